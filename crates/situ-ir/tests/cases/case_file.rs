//! Case files: inputs with what is expected of them, in one file.
//!
//! A file holds cases. A case starts with a line `//// title`, and ends where the next one starts. It is
//! the text of a module, in which comments of two kinds mean something:
//!
//! * `// name: arguments` for a directive name of [`DIRECTIVES`] asks the runner for something more;
//! * `//~ line` at the end of the case is a line of what the runner is expected to say.
//!
//! `INSTA_UPDATE=always cargo test` writes what the runner says into the files instead of comparing;
//! look at the difference before committing it.

use std::fs;
use std::path::{Path, PathBuf};

/// Names of directives; other comments are only comments.
pub(crate) const DIRECTIVES: [&str; 4] = ["canonical", "info", "lower", "run"];

/// One module with what is expected of it.
pub(crate) struct Case {
    /// What it shows.
    pub(crate) title: String,
    /// The name of the file, for messages.
    pub(crate) file: String,
    /// The line of the file on which the case starts.
    pub(crate) first_line: u32,
    /// The module, with the title and all comments but the expected lines.
    pub(crate) text: String,
    /// What the runner must say.
    pub(crate) expected: Vec<String>,
}

/// Something the runner is asked to do with a case.
pub(crate) struct Directive {
    pub(crate) name: String,
    pub(crate) arguments: String,
}

impl Case {
    /// What the runner is asked to do, in the order it is written.
    pub(crate) fn directives(&self) -> Vec<Directive> {
        let comments = self
            .text
            .lines()
            .filter_map(|line| line.strip_prefix("// "));
        let named = comments.filter_map(|comment| comment.split_once(':'));
        named
            .filter(|(name, _)| DIRECTIVES.contains(name))
            .map(|(name, arguments)| Directive {
                name: name.to_owned(),
                arguments: arguments.trim().to_owned(),
            })
            .collect()
    }
}

/// All case files, in the order of their names.
pub(crate) fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut files: Vec<_> = fs::read_dir(folder)
        .expect("the folder of cases exists")
        .map(|entry| entry.expect("the folder can be listed").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "sir"))
        .collect();
    files.sort();
    files
}

/// Cuts a file into cases; also gives what stands before the first.
pub(crate) fn read(path: &Path) -> (String, Vec<Case>) {
    let file = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned();
    let content = fs::read_to_string(path).expect("case files are text");
    let mut before = String::new();
    let mut cases: Vec<Case> = Vec::new();
    for (number, line) in content.lines().enumerate() {
        if let Some(title) = line.strip_prefix("//// ") {
            cases.push(Case {
                title: title.to_owned(),
                file: file.clone(),
                first_line: number as u32 + 1,
                text: String::new(),
                expected: Vec::new(),
            });
        }
        let Some(case) = cases.last_mut() else {
            before.extend([line, "\n"]);
            continue;
        };
        if let Some(expected) = line.strip_prefix("//~") {
            let expected = expected.strip_prefix(' ').unwrap_or(expected);
            case.expected.push(expected.to_owned());
        } else {
            case.text.extend([line, "\n"]);
        }
    }
    for case in &mut cases {
        case.text.truncate(case.text.trim_end().len());
        case.text.push('\n');
    }
    (before, cases)
}

/// Runs every case of a file and compares what `run` says with what is expected, or writes it down.
///
/// # Panics
/// If something else is expected.
pub(crate) fn check(path: &Path, run: impl Fn(&Case) -> String) {
    let (mut content, cases) = read(path);
    let mut wrong = Vec::new();
    for mut case in cases {
        if update() {
            case.first_line = content.lines().count() as u32 + 1;
        }
        let said = run(&case);
        if said
            .lines()
            .map(str::trim_end)
            .ne(case.expected.iter().map(String::as_str))
        {
            wrong.push(format!(
                "{}:{}: {}\n--- expected\n{}\n--- found\n{said}\n",
                case.file,
                case.first_line,
                case.title,
                case.expected.join("\n"),
            ));
        }
        content += &case.text;
        for line in said.lines() {
            content += format!("//~ {line}").trim_end();
            content.push('\n');
        }
        content.push('\n');
    }
    if update() {
        content.truncate(content.trim_end().len());
        fs::write(path, content + "\n").expect("case files can be written");
    } else {
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the variable is insta's and steers this test only"
)]
fn update() -> bool {
    std::env::var("INSTA_UPDATE").is_ok_and(|value| value == "always")
}

"""The layer check finds what it is meant to find, and only that."""

import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).resolve().parents[2] / "tools"
sys.path.insert(0, str(TOOLS))

import check_layers  # noqa: E402 (the tools are scripts, not an installed package)
from rust_source import mask  # noqa: E402


def messages(path: str, text: str) -> list[str]:
    check = check_layers.check_rust if path.endswith(".rs") else check_layers.check_python
    return [str(finding) for finding in check(path, text)]


def test_this_repository_is_clean() -> None:
    root = TOOLS.parent
    assert check_layers.check(root, check_layers.tracked_files(root)) == []


def test_code_may_not_name_a_crate_above() -> None:
    found = messages("crates/situ-ir/src/a.rs", "//! Doc.\n\nuse situ_runtime::Queue;\n")
    assert found == [
        "crates/situ-ir/src/a.rs:3: `situ-ir` must not know `situ-runtime`; "
        "it may know no other crate of situ"
    ]


@pytest.mark.parametrize(
    "code",
    ["use situ_ir::Module;", "// situ_runtime", 'let x = "situ_array";', "use situ_codegen::X;"],
)
def test_code_may_name_its_own_crate_and_those_below(code: str) -> None:
    assert messages("crates/situ-codegen/src/a.rs", f"//! Doc.\n{code}\n") == []


@pytest.mark.parametrize(
    "table", ["dependencies", "dev-dependencies", "target.'cfg(unix)'.dependencies"]
)
def test_manifest_may_not_depend_upwards(table: str) -> None:
    text = f'[package]\nname = "situ-frontend"\n[{table}]\nsitu-ir = "1"\nsitu-array = "1"\n'
    found = list(check_layers.check_manifest("crates/situ-frontend/Cargo.toml", text))
    assert [finding.line for finding in found] == [5]
    assert "must not know `situ-array`" in found[0].message


def test_unsafe_is_refused_outside_its_places() -> None:
    found = messages("crates/situ-array/src/a.rs", "//! Doc.\n// SAFETY: no.\nunsafe { f() }\n")
    assert len(found) == 1
    assert "no place here" in found[0]


@pytest.mark.parametrize(
    "code",
    [
        "// SAFETY: f is total.\nunsafe { f() };",
        "// SAFETY: f is total,\n// as its docs say.\nlet x =\n    unsafe { f() };",
        "// SAFETY: nothing to share.\n#[cfg(unix)]\nunsafe impl Send for X {}",
        'let f: unsafe extern "C" fn();',
        "unsafe fn f() {}",
        "// unsafe { f() }",
    ],
)
def test_unsafe_with_a_reason_is_accepted(code: str) -> None:
    assert messages("crates/situ-runtime/src/backend/a.rs", f"//! Doc.\n{code}\n") == []


@pytest.mark.parametrize(
    "code",
    [
        "unsafe { f() };",
        "unsafe impl Send for X {}",
        "// SAFETY: about g only.\ng();\nunsafe { f() };",
        "// SAFETY: too far away.\n\nunsafe { f() };",
    ],
)
def test_unsafe_without_a_reason_is_reported(code: str) -> None:
    found = messages("crates/situ-runtime/src/backend/a.rs", f"//! Doc.\n{code}\n")
    assert len(found) == 1
    assert "SAFETY" in found[0]


def test_environment_is_read_in_config_only() -> None:
    text = '//! Doc.\nlet x = std::env::var("SITU_TRACE");\nlet y = env!("CARGO_PKG_VERSION");\n'
    assert len(messages("crates/situ-runtime/src/queue.rs", text)) == 1
    assert messages("crates/situ-runtime/src/config.rs", text) == []
    assert len(messages("python/situ/a.py", '"""Doc."""\nimport os\nos.environ["X"]\n')) == 1


@pytest.mark.parametrize(
    ("path", "text"), [("crates/situ-ir/src/a.rs", "use x;\n"), ("tools/a.py", "import sys\n")]
)
def test_files_must_say_what_they_are(path: str, text: str) -> None:
    assert "starts without a" in messages(path, text)[0]


@pytest.mark.parametrize(
    "path", ["python/situ/utils.py", "crates/situ-ir/src/common/x.rs", "a/base.rs"]
)
def test_names_that_say_nothing_are_refused(path: str) -> None:
    assert len(list(check_layers.check_name(path))) == 1


def test_names_that_merely_contain_such_a_word_are_fine() -> None:
    assert list(check_layers.check_name("crates/situ-array/src/database.rs")) == []


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ('a("x // y") b', "a() b"),
        ('r#"un"safe"# x', "x"),
        ("/* a /* b */ c */ d", "d"),
        (r"'\'' 'a' b'\n' '\u{1F600}' x", "x"),
        ("fn f<'a>(x: &'a str) {}", "fn f<'a>(x: &'a str) {}"),
        (r'"\"" x', "x"),
        ('br"\\" x', "x"),
    ],
)
def test_mask_keeps_code_only(source: str, code: str) -> None:
    assert mask(source).replace(" ", "") == code.replace(" ", "")
    assert len(mask(source)) == len(source)

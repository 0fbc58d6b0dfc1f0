//! Random programs of submissions, compared with a model that does one thing after the other.
//!
//! A program submits kernels, copies, fills, host tasks and barriers to queues of every sort, on
//! devices that share their memory or do not; it holds queues back, drops what is in use, makes work
//! fail, and reads and writes arrays. The model says what every read finds, which command fails or
//! is not run, what is told to whom, and that nothing is left at the end.
//!
//! `make stress` runs many more programs than `make test` does, other ones each time. A failure
//! prints the smallest program found that still fails; `SEEDS` in this file can repeat a seed.

mod ending;
mod observations;
mod oracle;
mod places;
mod program;
mod run;
mod submissions;
mod watchdog;

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use program::Script;
use watchdog::Watchdog;

/// The programs of every run.
const SEEDS: std::ops::Range<u64> = 0..2_000;

/// The programs that only `make test-all` and `make stress` run as well.
const OTHER_SEEDS: std::ops::Range<u64> = 2_000..6_000;

/// How often a part of a program is tried before it counts as harmless: what depends on time does
/// not always fail.
const ATTEMPTS: usize = 20;

/// How long shrinking may take.
const SHRINKING: Duration = Duration::from_mins(2);

#[test]
fn programs_do_what_the_model_does() {
    check_all(SEEDS);
}

#[test]
#[ignore = "`make test-all` runs it"]
fn the_other_programs_do_what_the_model_does() {
    check_all(OTHER_SEEDS);
}

#[test]
#[ignore = "takes minutes; run by `make stress`"]
fn many_more_programs_do_what_the_model_does() {
    let watchdog = Watchdog::start();
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let start = now.expect("it is after 1970").as_nanos() as u64;
    let deadline = Instant::now() + Duration::from_mins(2);
    let mut seed = start;
    while Instant::now() < deadline {
        check(&Script::generate(seed), &watchdog);
        seed = seed.wrapping_add(1);
    }
    eprintln!("{} programs, from seed {start}", seed.wrapping_sub(start));
    watchdog.stop();
}

fn check_all(seeds: std::ops::Range<u64>) {
    let watchdog = Watchdog::start();
    for seed in seeds {
        check(&Script::generate(seed), &watchdog);
    }
    watchdog.stop();
}

/// Runs a program; fails with the smallest part of it that does.
fn check(script: &Script, watchdog: &Watchdog) {
    watchdog.reset();
    watchdog.tell(format!("seed {}", script.seed));
    let Err(problem) = run::run(script, watchdog) else {
        return;
    };
    let story = watchdog.reset().join("\n");
    let small = shrink(script, watchdog);
    let small_problem = failure_of(&small, watchdog, 10 * ATTEMPTS);
    let small_story = watchdog.reset().join("\n");
    panic!(
        "{problem}\n{story}\n\nmade small: {}\n{small}\n{small_story}",
        small_problem.unwrap_or_else(|| "it does not fail any more".to_owned())
    );
}

/// What goes wrong in a program, if anything does in so many attempts.
fn failure_of(script: &Script, watchdog: &Watchdog, attempts: usize) -> Option<String> {
    (0..attempts).find_map(|_| {
        watchdog.reset();
        run::run(script, watchdog).err()
    })
}

/// Leaves out as much as it can while the program still fails.
fn shrink(script: &Script, watchdog: &Watchdog) -> Script {
    let deadline = Instant::now() + SHRINKING;
    let mut small = script.clone();
    let mut size = small.operations.len().div_ceil(2);
    while size > 0 && Instant::now() < deadline {
        let mut start = 0;
        while start < small.operations.len() {
            let mut candidate = small.clone();
            let end = (start + size).min(candidate.operations.len());
            candidate.operations.drain(start..end);
            if failure_of(&candidate, watchdog, ATTEMPTS).is_some() {
                small = candidate;
            } else {
                start += size;
            }
        }
        size /= 2;
    }
    small
}

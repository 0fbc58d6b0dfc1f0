//! Calls of functions that may throw C++ exceptions.
//!
//! `guard.cpp` has the `try` and the `catch`. The exception unwinds through the one Rust frame between
//! them, which the `C-unwind` calling convention allows.

use std::ffi::{CStr, c_char, c_void};

// SAFETY: the declaration is that of `guard.cpp`.
unsafe extern "C" {
    /// Runs the callback; if it throws, passes the exception's text to `report` and gives `false`.
    fn situ_guard(
        callback: unsafe extern "C-unwind" fn(*mut c_void),
        data: *mut c_void,
        report: unsafe extern "C" fn(*mut c_void, *const c_char),
    ) -> bool;
}

/// What goes in and comes out.
struct Job<F, T> {
    call: Option<F>,
    result: Option<T>,
    thrown: Option<String>,
}

/// The result of a call, or the text of the exception that it threw.
///
/// The closure is to make the foreign call and nothing else: what it owns is dropped when an exception
/// passes through it, and a panic of Rust's would end the process.
pub(super) fn guarded<F: FnOnce() -> T, T>(call: F) -> Result<T, String> {
    unsafe extern "C-unwind" fn run<F: FnOnce() -> T, T>(job: *mut c_void) {
        // SAFETY: this is the job below, which nobody else uses meanwhile.
        let job = unsafe { &mut *job.cast::<Job<F, T>>() };
        job.result = job.call.take().map(|call| call());
    }
    unsafe extern "C" fn report<F: FnOnce() -> T, T>(job: *mut c_void, text: *const c_char) {
        // SAFETY: as above; the text is a C string that lives as long as the exception.
        unsafe {
            let job = &mut *job.cast::<Job<F, T>>();
            job.thrown = Some(CStr::from_ptr(text).to_string_lossy().trim().to_owned());
        }
    }
    let mut job = Job {
        call: Some(call),
        result: None,
        thrown: None,
    };
    // SAFETY: both callbacks take the job that is passed along, which outlives the call.
    unsafe { situ_guard(run::<F, T>, (&raw mut job).cast(), report::<F, T>) };
    match job.result {
        Some(result) => Ok(result),
        None => Err(job.thrown.unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // SAFETY: the name is that of a function of the C++ library with this signature.
    unsafe extern "C-unwind" {
        /// `std::__throw_out_of_range` of the C++ library: throws what its name says.
        #[link_name = "_ZSt20__throw_out_of_rangePKc"]
        fn throw_out_of_range(text: *const c_char);
    }

    #[test]
    fn results_come_through() {
        assert_eq!(guarded(|| 42), Ok(42));
        assert_eq!(guarded(|| ()), Ok(()));
    }

    #[test]
    fn an_exception_becomes_its_text_and_what_the_call_owns_is_dropped() {
        let owned = std::sync::Arc::new(());
        let kept = std::sync::Arc::clone(&owned);
        for _ in 0..3 {
            let moved = std::sync::Arc::clone(&kept);
            let outcome = guarded(move || {
                // SAFETY: the text is a C string; the exception is caught by the guard.
                unsafe { throw_out_of_range(c"no such element ".as_ptr()) };
                std::sync::Arc::strong_count(&moved)
            });
            assert_eq!(outcome, Err("no such element".to_owned()));
        }
        drop(kept);
        assert_eq!(std::sync::Arc::strong_count(&owned), 1);
        assert_eq!(guarded(|| 1), Ok(1));
    }
}

//! Compute follows data: which queue runs a call, and what memory its result gets.
//!
//! This is the one place where that is decided, for array functions and kernels alike:
//!
//! - A queue that the caller names runs the call, if every array is accessible from it, that is, was
//!   allocated in its context.
//! - Otherwise the call runs on the one queue that all its arrays agree on, up to equivalence; with
//!   several equivalent queues, on the first array's. Outputs take part like inputs.
//! - The result's USM kind is the lowest of the arrays' in the order device, shared, host.
//! - Scalars never decide. Arrays in host memory belong to no queue and are refused.
//!
//! What to use when nothing decides (a default queue) is the business of the caller. Refusals and
//! explanations are put into words in [`explanation`], off the fast path.

pub mod explanation;

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use situ_runtime::fork::ForkLocal;
use situ_runtime::{Device, Queue, UsmKind};

use crate::array::Array;
use crate::error::Error;
use crate::key_hash::BuildKeyHasher;
pub use explanation::{Explanation, Home, Reason, Refusal, Role};

/// The queue that arrays of a device belong to if nobody names another; one for each device.
pub fn default_queue(device: &Device) -> Queue {
    static QUEUES: ForkLocal<Mutex<HashMap<Device, Queue, BuildKeyHasher>>> = ForkLocal::new();
    // A forked child goes on with its parent's queues, but not with the lock.
    let queues = QUEUES.get_or_init_after(|inherited| {
        let known = inherited.and_then(|lock| lock.try_lock().ok());
        Mutex::new(known.map(|known| known.clone()).unwrap_or_default())
    });
    let mut queues = queues.lock().unwrap_or_else(PoisonError::into_inner);
    queues
        .entry(device.clone())
        .or_insert_with(|| Queue::new(device))
        .clone()
}

/// Where a call runs and where its result lives.
#[derive(Clone, Debug)]
pub struct Placement {
    /// The queue.
    pub queue: Queue,
    /// The result's kind of memory.
    pub usm_kind: UsmKind,
}

/// What is to be placed, as messages call it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation<'a> {
    /// An array function.
    Function(&'a str),
    /// A kernel of the user's.
    Kernel(&'a str),
    /// `x[...] = value`.
    Assignment,
    /// An expression of several array functions.
    Expression,
    /// Nothing: somebody asks where such a call would run.
    Question,
}

/// What one argument of a call means for its placement.
#[derive(Clone, Copy, Debug)]
pub enum Participant<'a> {
    /// An array, which decides.
    Array(&'a Array),
    /// An array that is written, and decides just as well.
    Output(&'a Array),
    /// An array in host memory, which is refused.
    HostArray,
    /// A number, which goes wherever the arrays are.
    Scalar,
}

/// Finds the placement of one call.
#[derive(Clone, Copy, Debug)]
pub struct Placer<'a> {
    /// What is to be placed.
    pub operation: Operation<'a>,
    /// The queue that the caller named.
    pub explicit: Option<&'a Queue>,
}

impl Placer<'_> {
    /// The placement of a call with these arguments, each with the name its caller knows it by;
    /// `None` if nothing decides.
    ///
    /// # Errors
    /// [`Error::Placement`] if the arguments do not agree.
    pub fn place<'a>(
        &self,
        arguments: impl Iterator<Item = (&'a str, Participant<'a>)> + Clone,
    ) -> Result<Option<Placement>, Error> {
        let mut queue = self.explicit;
        let mut usm_kind = None;
        for (_, participant) in arguments.clone() {
            let array = match participant {
                Participant::Array(array) | Participant::Output(array) => array,
                Participant::HostArray => return Err(self.refusal(arguments)),
                Participant::Scalar => continue,
            };
            match queue {
                None => queue = Some(array.queue()),
                Some(queue) if self.agrees(queue, array) => {}
                Some(_) => return Err(self.refusal(arguments)),
            }
            let kind = array.usm_kind();
            usm_kind = Some(usm_kind.map_or(kind, |lowest: UsmKind| lowest.min(kind)));
        }
        Ok(queue.map(|queue| Placement {
            queue: queue.clone(),
            usm_kind: usm_kind.unwrap_or(UsmKind::Device),
        }))
    }

    /// The one array of a call as an array of the queue that runs the call.
    ///
    /// # Errors
    /// [`Error::Placement`] if it is not accessible from the queue that was named.
    pub fn place_one(&self, name: &str, array: &Array) -> Result<Array, Error> {
        let Some(queue) = self.explicit else {
            return Ok(array.clone());
        };
        self.place(std::iter::once((name, Participant::Array(array))))?;
        Ok(array.with_queue(queue))
    }

    /// Whether an array can take part in work on a queue.
    fn agrees(&self, queue: &Queue, array: &Array) -> bool {
        match self.explicit {
            None => queue.is_equivalent(array.queue()),
            Some(_) => queue.context() == array.queue().context(),
        }
    }

    #[cold]
    fn refusal<'a>(&self, arguments: impl Iterator<Item = (&'a str, Participant<'a>)>) -> Error {
        Error::Placement(Box::new(Refusal::new(self, arguments)))
    }
}

#[cfg(test)]
mod tests;

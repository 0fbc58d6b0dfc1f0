//! Placement in words: why a call was refused, and how a decision came about.
//!
//! Everything here is built when somebody will read it, and is data first: a [`Refusal`] tells where
//! each argument lives and why they do not fit together, and its text follows from that.

use std::fmt;

use situ_runtime::{Queue, UsmKind};

use super::{Operation, Participant, Placement, Placer};

/// Where the memory of an array is at home.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Home {
    /// The queue's number.
    pub queue: u64,
    /// The context's number.
    pub context: u64,
    /// The device's filter string.
    pub device: String,
    /// Whether the queue runs its work in the order of submission.
    pub in_order: bool,
    /// Whether the queue's events record times.
    pub enable_profiling: bool,
}

impl Home {
    fn new(queue: &Queue) -> Self {
        let properties = queue.properties();
        Self {
            queue: queue.id(),
            context: queue.context().id(),
            device: queue.device().filter_string(),
            in_order: properties.in_order,
            enable_profiling: properties.enable_profiling,
        }
    }

    /// Whether it stands for a queue that is equivalent to the other's.
    fn is_equivalent(&self, other: &Self) -> bool {
        Self {
            queue: other.queue,
            ..self.clone()
        } == *other
    }
}

impl fmt::Display for Home {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (queue {}, ", self.device, self.queue)?;
        write!(f, "context {}", self.context)?;
        if !self.in_order {
            f.write_str(", out of order")?;
        }
        if self.enable_profiling {
            f.write_str(", profiling")?;
        }
        f.write_str(")")
    }
}

/// What part an argument has in a placement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// An array, which decides.
    Array {
        /// Where it is at home.
        home: Home,
        /// Its kind of memory.
        usm_kind: UsmKind,
        /// Whether the call writes it.
        is_output: bool,
        /// Whether its memory is another package's, so that it may be that package's array.
        is_foreign: bool,
    },
    /// An array in host memory.
    HostArray,
    /// A number.
    Scalar,
}

impl Role {
    fn home(&self) -> Option<&Home> {
        match self {
            Self::Array { home, .. } => Some(home),
            Self::HostArray | Self::Scalar => None,
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Array { home, usm_kind, .. } => write!(f, "is {usm_kind} memory on {home}"),
            Self::HostArray => f.write_str("is a host array, which belongs to no queue"),
            Self::Scalar => f.write_str("is a number, which takes no part"),
        }
    }
}

/// The arguments of a call with their parts in its placement.
type Cast = Vec<(String, Role)>;

/// Describes arguments, leaving out those that are the very array of an argument before.
fn cast<'a>(arguments: impl Iterator<Item = (&'a str, Participant<'a>)>) -> Cast {
    let mut seen = Vec::new();
    let mut cast = Cast::new();
    for (name, participant) in arguments {
        let role = match participant {
            Participant::HostArray => Role::HostArray,
            Participant::Scalar => Role::Scalar,
            Participant::Array(array) | Participant::Output(array) => {
                let repeats = |other: &&crate::Array| {
                    array.is_same_view(other) && array.queue() == other.queue()
                };
                if matches!(participant, Participant::Output(_)) && seen.iter().any(repeats) {
                    continue;
                }
                seen.push(array);
                Role::Array {
                    home: Home::new(array.queue()),
                    usm_kind: array.usm_kind(),
                    is_output: matches!(participant, Participant::Output(_)),
                    is_foreign: array.allocation().is_foreign(),
                }
            }
        };
        cast.push((name.to_owned(), role));
    }
    cast
}

/// Why arguments do not fit together. Of the reasons among arrays, those that take a copy to mend come
/// first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Reason {
    /// Arrays of different devices, which do not see each other's memory.
    Devices,
    /// Arrays of one device in contexts that do not see each other's memory.
    Contexts,
    /// Arrays of one context that belong to different devices of it.
    DevicesOfOneContext,
    /// Arrays of one device and context whose queues behave differently.
    Properties,
    /// Arrays in host memory, together with arrays on devices.
    HostAndDevice,
    /// Arrays in host memory only.
    HostOnly,
    /// Arrays that are not accessible from the queue that was named.
    NotAccessible,
}

impl Reason {
    fn find(explicit: Option<&Home>, arguments: &Cast) -> Self {
        let has_host_array = arguments.iter().any(|(_, role)| *role == Role::HostArray);
        let mut homes = arguments.iter().filter_map(|(_, role)| role.home());
        let Some(first) = homes.next() else {
            return Self::HostOnly;
        };
        if has_host_array {
            return Self::HostAndDevice;
        }
        if explicit.is_some() {
            return Self::NotAccessible;
        }
        // Of several, the one that is hardest to mend is told.
        homes
            .filter(|other| !first.is_equivalent(other))
            .map(
                |other| match (first.context == other.context, first.device == other.device) {
                    (false, false) => Self::Devices,
                    (false, true) => Self::Contexts,
                    (true, false) => Self::DevicesOfOneContext,
                    (true, true) => Self::Properties,
                },
            )
            .min()
            .unwrap_or(Self::Properties)
    }

    /// The sentence that follows the list of arguments.
    fn sentence(self) -> &'static str {
        match self {
            Self::Devices => "the devices differ, and situ computes where the data lives",
            Self::Contexts => {
                "the device is the same, but memory of one context cannot be used in another"
            }
            Self::DevicesOfOneContext => {
                "they share a context, so any of the devices could run it, and situ does not choose"
            }
            Self::Properties => {
                "device and context are the same, but the queues have different properties, so \
                 they are not equivalent"
            }
            Self::HostAndDevice => "situ computes where the data lives and never copies silently",
            Self::HostOnly => "situ computes where the data lives",
            Self::NotAccessible => "a queue can only use memory of its own context",
        }
    }
}

/// A call that has no placement: where its arguments live, and why they do not fit together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What was to be placed, as messages call it.
    pub operation: String,
    /// Whether it takes `queue=`.
    pub takes_queue: bool,
    /// Whether there is a block in which arrays of the host are brought to a queue for the call.
    pub takes_host_data: bool,
    /// The queue that the caller named.
    pub explicit: Option<Home>,
    /// Each argument's name and part.
    pub arguments: Vec<(String, Role)>,
    /// Why they do not fit together.
    pub reason: Reason,
}

/// An array whose queue others are brought to.
#[derive(Clone, Copy)]
struct Anchor<'a> {
    name: &'a str,
    home: &'a Home,
    is_foreign: bool,
}

impl Anchor<'_> {
    /// How a caller names the queue. Arrays of other packages have no `queue`, but are taken for it themselves.
    fn place(&self) -> String {
        let name = self.name;
        if self.is_foreign {
            name.to_owned()
        } else {
            format!("{name}.queue")
        }
    }
}

impl Refusal {
    pub(super) fn new<'a>(
        placer: &Placer<'_>,
        arguments: impl Iterator<Item = (&'a str, Participant<'a>)>,
    ) -> Self {
        let explicit = placer.explicit.map(Home::new);
        let arguments = cast(arguments);
        Self {
            operation: match placer.operation {
                Operation::Function(name) => format!("`{name}`"),
                Operation::Kernel(name) => format!("kernel `{name}`"),
                Operation::Assignment => "an assignment".to_owned(),
                Operation::Expression => "an expression".to_owned(),
                Operation::Question => "a function".to_owned(),
            },
            takes_queue: matches!(
                placer.operation,
                Operation::Function(_) | Operation::Question
            ),
            takes_host_data: matches!(placer.operation, Operation::Kernel(_)),
            reason: Reason::find(explicit.as_ref(), &arguments),
            explicit,
            arguments,
        }
    }

    fn headline(&self) -> String {
        let operation = &self.operation;
        match (self.reason, &self.explicit) {
            (Reason::Devices, _) => {
                format!("cannot run {operation} on arrays of different devices")
            }
            (Reason::Contexts, _) => {
                format!("cannot run {operation} on arrays of different contexts")
            }
            (Reason::DevicesOfOneContext | Reason::Properties, _) => {
                format!("cannot run {operation} on arrays of different queues")
            }
            (Reason::HostAndDevice, _) => {
                format!("cannot run {operation} on host and device arrays together")
            }
            (Reason::HostOnly, None) => format!("cannot tell where to run {operation}"),
            (Reason::HostOnly, Some(_)) => format!("cannot run {operation} on host arrays"),
            (Reason::NotAccessible, explicit) => format!(
                "cannot run {operation} on queue {}",
                explicit.as_ref().map_or(0, |home| home.queue)
            ),
        }
    }

    /// The array whose queue the others are best brought to: the one that is written, because a copy
    /// of it would not be, or the first.
    fn anchor(&self) -> Option<Anchor<'_>> {
        let mut arrays = self.arguments.iter().filter_map(|(name, role)| match role {
            Role::Array {
                home,
                is_output,
                is_foreign,
                ..
            } => Some((
                Anchor {
                    name,
                    home,
                    is_foreign: *is_foreign,
                },
                *is_output,
            )),
            Role::HostArray | Role::Scalar => None,
        });
        let first = arrays.clone().next();
        let anchor = arrays.find(|(_, is_output)| *is_output).or(first);
        anchor.map(|(anchor, _)| anchor)
    }

    /// The statement after which the call is not refused.
    fn remedy(&self) -> String {
        let anchor = self.anchor();
        let place = match (&self.explicit, anchor) {
            (Some(_), _) => "queue".to_owned(),
            (None, Some(anchor)) => anchor.place(),
            (None, None) => String::new(),
        };
        let fits = |home: &Home| match (&self.explicit, anchor) {
            (Some(queue), _) => home.context == queue.context,
            (None, Some(anchor)) => home.is_equivalent(anchor.home),
            (None, None) => true,
        };
        let (mut names, mut values) = (Vec::new(), Vec::new());
        for (name, role) in &self.arguments {
            let value = match role {
                Role::HostArray if place.is_empty() => format!("situ.asarray({name})"),
                Role::HostArray => format!("situ.asarray({name}, queue={place})"),
                Role::Array {
                    home,
                    is_foreign: true,
                    ..
                } if !fits(home) => format!("situ.asarray({name}, queue={place})"),
                Role::Array { home, .. } if !fits(home) => format!("{name}.to_device({place})"),
                Role::Array { .. } | Role::Scalar => continue,
            };
            names.push(name.as_str());
            values.push(value);
        }
        format!("{} = {}", names.join(", "), values.join(", "))
    }

    fn help(&self) -> String {
        let remedy = self.remedy();
        match self.reason {
            Reason::HostOnly if self.takes_host_data => format!(
                "put the data on a device first, e.g. `{remedy}`, or call it inside of \
                 `with situ.host_data_on(\"cpu\"):`"
            ),
            Reason::HostAndDevice | Reason::HostOnly => {
                format!("put the data on a device first, e.g. `{remedy}`")
            }
            Reason::NotAccessible => {
                format!("bring the data into the queue's context first, e.g. `{remedy}`")
            }
            Reason::Devices | Reason::Contexts => {
                format!("bring the arrays together first, e.g. `{remedy}`")
            }
            Reason::DevicesOfOneContext | Reason::Properties => match self.anchor() {
                Some(anchor) if self.takes_queue => format!(
                    "say where to compute with `queue={}`, or with `{remedy}`, which copies nothing",
                    anchor.place()
                ),
                _ => format!("say where to compute with `{remedy}`, which copies nothing"),
            },
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.headline())?;
        let mut label = "why: ";
        for (name, role) in &self.arguments {
            if *role != Role::Scalar {
                write!(f, "\n  {label} `{name}` {role}")?;
                label = "     ";
            }
        }
        if let Some(queue) = &self.explicit {
            write!(f, "\n  {label} `queue` is on {queue}")?;
        }
        write!(f, "\n        {}", self.reason.sentence())?;
        write!(f, "\n  help: {}", self.help())
    }
}

/// How a placement came about, argument by argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The queue that runs the call.
    pub home: Home,
    /// The result's kind of memory.
    pub usm_kind: UsmKind,
    /// What decided.
    pub decided_by: Decision,
    /// Each argument's name and part.
    pub arguments: Vec<(String, Role)>,
}

/// What decides a placement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// The caller, who named a queue.
    Explicit,
    /// The arrays.
    Arrays,
    /// Nothing in the call, so a default was used.
    Default,
}

impl Explanation {
    /// Explains a placement that was found for arguments.
    pub fn new<'a>(
        placement: &Placement,
        decided_by: Decision,
        arguments: impl Iterator<Item = (&'a str, Participant<'a>)>,
    ) -> Self {
        Self {
            home: Home::new(&placement.queue),
            usm_kind: placement.usm_kind,
            decided_by,
            arguments: cast(arguments),
        }
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (home, usm_kind) = (&self.home, self.usm_kind);
        write!(f, "runs on {home}; the result is {usm_kind} memory")?;
        for (name, role) in &self.arguments {
            write!(f, "\n  `{name}` {role}")?;
        }
        let decision = match self.decided_by {
            Decision::Explicit => "the queue was named, and every array is accessible from it",
            Decision::Arrays => "the arrays' queues are equivalent, and the first array's runs it",
            Decision::Default => "no argument decides, so the default queue runs it",
        };
        write!(f, "\n  queue:  {decision}")?;
        let kind = match self.decided_by {
            Decision::Default => "device memory unless something else is asked for",
            Decision::Explicit | Decision::Arrays => {
                "the lowest of the arrays' in the order device, shared, host"
            }
        };
        write!(f, "\n  memory: {kind}")
    }
}

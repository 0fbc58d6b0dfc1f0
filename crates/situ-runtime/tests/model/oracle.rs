//! The model: commands take effect one after the other, in the order of submission.
//!
//! That is what dependence promises, so it is all there is to say about data. What needs care is
//! failure, because it depends on whether a command was submitted before or after the one it depends
//! on had failed. A command that waits for a closed gate has certainly not ended; one that somebody
//! waited for certainly has; of all others nothing is known, and the run makes sure that nothing
//! depends on it.

use super::program::Part;

/// A command's position in the list.
pub(crate) type Id = usize;

/// A set of commands.
pub(crate) type Set = u128;

/// The most commands a program has.
pub(crate) const MOST_COMMANDS: usize = Set::BITS as usize;

pub(crate) const fn bit(id: Id) -> Set {
    1 << id
}

pub(crate) fn members(mut set: Set) -> impl Iterator<Item = Id> {
    std::iter::from_fn(move || {
        (set != 0).then(|| {
            let id = set.trailing_zeros() as Id;
            set &= set - 1;
            id
        })
    })
}

/// How a command ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    Done,
    Fails,
    /// Something it depends on fails.
    NotRun,
}

/// A submitted command.
#[derive(Debug)]
pub(crate) struct Command {
    pub(crate) queue: usize,
    pub(crate) fate: Fate,
    /// Everything that ends before this begins.
    pub(crate) before: Set,
    /// What it depends on by name or by data.
    pub(crate) dependences: Set,
    /// Somebody was told that it failed.
    pub(crate) is_told: bool,
    /// It has certainly ended.
    is_over: bool,
}

/// What a queue makes new commands wait for.
#[derive(Debug)]
pub(crate) struct Queue {
    pub(crate) in_order: bool,
    last: Option<Id>,
}

/// How a command uses a part of an array.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Use {
    pub(crate) array: usize,
    pub(crate) part: Part,
    pub(crate) writes: bool,
}

impl Use {
    fn conflicts_with(&self, other: &Self) -> bool {
        let overlaps = !matches!(
            (self.part, other.part),
            (Part::Front, Part::Back) | (Part::Back, Part::Front)
        );
        self.array == other.array && overlaps && (self.writes || other.writes)
    }
}

/// The contents of an array, and who uses it.
#[derive(Debug)]
pub(crate) struct Array {
    /// `None` where a failed kernel may have written.
    pub(crate) elements: Vec<Option<i64>>,
    /// The commands that a later user depends on: as the runtime is meant to remember them.
    writers: Set,
    readers: Set,
    /// Every use there was.
    uses: Vec<(Id, Use)>,
}

impl Array {
    pub(crate) fn new(elements: Vec<Option<i64>>) -> Self {
        Self {
            elements,
            writers: 0,
            readers: 0,
            uses: Vec::new(),
        }
    }

    /// The elements of a part.
    pub(crate) fn range(&self, part: Part) -> std::ops::Range<usize> {
        let len = self.elements.len();
        match part {
            Part::Whole => 0..len,
            Part::Front => 0..len / 2,
            Part::Back => len / 2..len,
        }
    }
}

/// What a submission waits for.
#[derive(Debug, Clone)]
pub(crate) enum Awaited {
    Data,
    Named(Set),
    /// A barrier without events.
    Everything,
}

/// A submission.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) queue: usize,
    pub(crate) awaited: Awaited,
    pub(crate) uses: Vec<Use>,
    pub(crate) is_barrier: bool,
}

/// The state of the model.
#[derive(Debug, Default)]
pub(crate) struct Oracle {
    pub(crate) commands: Vec<Command>,
    pub(crate) queues: Vec<Queue>,
    pub(crate) arrays: Vec<Array>,
    /// Gates that are not open.
    pub(crate) closed: Set,
}

impl Oracle {
    pub(crate) fn add_queue(&mut self, in_order: bool) {
        self.queues.push(Queue {
            in_order,
            last: None,
        });
    }

    fn filter(&self, set: Set, is_wanted: impl Fn(&Command) -> bool) -> Set {
        members(set)
            .filter(|id| is_wanted(&self.commands[*id]))
            .map(bit)
            .sum()
    }

    /// Those that have not certainly ended.
    pub(crate) fn unfinished(&self, set: Set) -> Set {
        self.filter(set, |command| !command.is_over)
    }

    /// Those that fail or are not run.
    pub(crate) fn failing(&self, set: Set) -> Set {
        self.filter(set, |command| command.fate != Fate::Done)
    }

    /// Those that nobody was told of.
    pub(crate) fn untold(&self, set: Set) -> Set {
        self.filter(set, |command| !command.is_told)
    }

    pub(crate) fn of_queue(&self, queue: usize) -> Set {
        let all = self.commands.iter().enumerate();
        all.filter(|(_, command)| command.queue == queue)
            .map(|(id, _)| bit(id))
            .sum()
    }

    /// The commands, with everything that ends before them.
    pub(crate) fn and_before(&self, set: Set) -> Set {
        members(set).fold(set, |all, id| all | self.commands[id].before)
    }

    /// The gates that keep any of these from ending.
    pub(crate) fn gates_of(&self, set: Set) -> Set {
        self.and_before(set) & self.closed
    }

    /// Whether a command certainly has not ended.
    pub(crate) fn is_held(&self, id: Id) -> bool {
        self.gates_of(bit(id)) != 0
    }

    /// Those that wait for any of these gates and for no other.
    pub(crate) fn released_by(&self, gates: Set) -> Set {
        (0..self.commands.len())
            .filter(|id| {
                let held_by = self.gates_of(bit(*id));
                held_by & gates != 0 && held_by & !gates == 0
            })
            .map(bit)
            .sum()
    }

    /// Notes that somebody has waited for these.
    pub(crate) fn end(&mut self, set: Set) {
        for id in members(self.and_before(set)) {
            self.commands[id].is_over = true;
        }
    }

    /// The unfinished commands that a host has to wait for.
    pub(crate) fn users_of(&self, array: usize, writes: bool) -> Set {
        let array = &self.arrays[array];
        let readers = if writes { array.readers } else { 0 };
        self.unfinished(array.writers | readers)
    }

    /// The events that must be named so that a command is in order with all others that use the
    /// same data, and no more than those.
    pub(crate) fn needed_events(&self, queue: usize, uses: &[Use]) -> Set {
        let conflicting = uses.iter().flat_map(|mine| {
            let others = self.arrays[mine.array].uses.iter();
            others
                .filter(|(_, other)| mine.conflicts_with(other))
                .map(|(id, _)| bit(*id))
        });
        let conflicting = conflicting.fold(0, |all, each| all | each);
        let needed = self.unfinished(conflicting) & !self.and_before(self.order(queue));
        let implied = members(needed).fold(0, |all, id| all | self.commands[id].before);
        needed & !implied
    }

    /// What every new command of a queue comes after.
    fn order(&self, queue: usize) -> Set {
        self.queues[queue].last.map_or(0, bit)
    }

    /// What a submission depends on, and what it only comes after.
    fn edges(&self, request: &Request) -> (Set, Set) {
        let order = self.order(request.queue);
        match &request.awaited {
            Awaited::Named(events) => (*events, order),
            Awaited::Everything => (0, order | self.of_queue(request.queue)),
            Awaited::Data => request
                .uses
                .iter()
                .fold((0, order), |(depends, after), each| {
                    let array = &self.arrays[each.array];
                    let readers = if each.writes { array.readers } else { 0 };
                    (depends | array.writers, after | readers)
                }),
        }
    }

    /// Everything a submission waits for.
    pub(crate) fn awaited(&self, request: &Request) -> Set {
        let (depends, after) = self.edges(request);
        self.unfinished(depends | after)
    }

    /// Failures on which the fate of a submission depends, and of which it is not known whether they
    /// have happened yet.
    pub(crate) fn doubtful(&self, request: &Request) -> Set {
        let (depends, _) = self.edges(request);
        let doubtful = self.unfinished(self.failing(depends));
        members(doubtful)
            .filter(|id| !self.is_held(*id))
            .map(bit)
            .sum()
    }

    /// What a submission will come to; `None` if it is refused. There must be no doubt.
    pub(crate) fn fate(&self, request: &Request, fails: bool) -> Option<Fate> {
        let (depends, _) = self.edges(request);
        let failing = self.failing(depends);
        if matches!(request.awaited, Awaited::Named(_)) && failing != self.unfinished(failing) {
            return None;
        }
        Some(if self.unfinished(failing) != 0 {
            Fate::NotRun
        } else if fails {
            Fate::Fails
        } else {
            Fate::Done
        })
    }

    /// Adds a command.
    pub(crate) fn submit(&mut self, request: &Request, fate: Fate) -> Id {
        let id = self.commands.len();
        let (depends, after) = self.edges(request);
        let before = self.and_before(depends | after);
        self.commands.push(Command {
            queue: request.queue,
            fate,
            before,
            dependences: depends,
            is_told: false,
            is_over: false,
        });
        for each in &request.uses {
            self.remember(id, each, depends | after);
        }
        let queue = &mut self.queues[request.queue];
        if queue.in_order || request.is_barrier {
            queue.last = Some(id);
        }
        id
    }

    fn remember(&mut self, id: Id, used: &Use, awaited: Set) {
        let queue = self.commands[id].queue;
        let follows = if self.queues[queue].in_order {
            self.of_queue(queue)
        } else {
            0
        };
        let array = &mut self.arrays[used.array];
        if used.writes {
            array.writers &= !(awaited | follows);
            array.readers &= !(awaited | follows);
            array.writers |= bit(id);
        } else {
            array.readers |= bit(id);
        }
        if self.commands[id].fate != Fate::NotRun {
            array.uses.push((id, *used));
        }
    }
}

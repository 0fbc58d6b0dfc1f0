//! Random programs: lists of operations that all mean something, whatever came before.
//!
//! An operation names queues, arrays and events by arbitrary numbers, which the run takes modulo
//! what there is. So any part of a program is a program, which is what makes shrinking simple.

use std::fmt;

/// A number that stands for one of whatever there is.
pub(crate) type Pick = u16;

/// Which part of an array a command uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Whole,
    Front,
    Back,
}

/// What a submission waits for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Waits {
    /// The commands that use the same data.
    Data,
    /// The events that are needed, by name, and one more.
    Named(Pick),
}

/// One thing a program does.
#[derive(Debug, Clone)]
pub(crate) enum Operation {
    OpenQueue {
        place: Pick,
        device: Pick,
        in_order: bool,
        enable_profiling: bool,
    },
    DropQueue(Pick),
    Allocate {
        place: Pick,
        len: Pick,
        kind: Pick,
    },
    DropArray(Pick),
    Step {
        queue: Pick,
        x: Pick,
        part: Part,
        waits: Waits,
    },
    Combine {
        queue: Pick,
        to: Pick,
        a: Pick,
        b: Pick,
        part: Part,
        waits: Waits,
    },
    Reverse {
        queue: Pick,
        to: Pick,
        from: Pick,
        waits: Waits,
    },
    /// A kernel that leaves its array, on a device that notices.
    Fault {
        queue: Pick,
        x: Pick,
        waits: Waits,
    },
    Copy {
        queue: Pick,
        to: (Pick, Part),
        from: (Pick, Part),
        waits: Waits,
    },
    Fill {
        queue: Pick,
        x: Pick,
        part: Part,
        value: u8,
        waits: Waits,
    },
    HostTask {
        queue: Pick,
        events: Vec<Pick>,
        fails: bool,
    },
    /// A host task that does not end before the gate is opened.
    Gate {
        queue: Pick,
        events: Vec<Pick>,
    },
    OpenGate(Pick),
    Barrier {
        queue: Pick,
        events: Vec<Pick>,
    },
    WaitForEvent {
        event: Pick,
        meanwhile: bool,
    },
    WaitForQueue {
        queue: Pick,
        meanwhile: bool,
    },
    Read {
        queue: Pick,
        x: Pick,
        meanwhile: bool,
    },
    Write {
        queue: Pick,
        x: Pick,
        value: i64,
        meanwhile: bool,
    },
    AddCallback(Pick),
    /// Looks at everything that can be seen without waiting.
    Look,
}

/// A list of operations.
#[derive(Clone)]
pub(crate) struct Script {
    pub(crate) seed: u64,
    pub(crate) operations: Vec<Operation>,
}

impl fmt::Display for Script {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "seed {}:", self.seed)?;
        for operation in &self.operations {
            writeln!(formatter, "  {operation:?}")?;
        }
        Ok(())
    }
}

impl Script {
    /// The program of a seed.
    pub(crate) fn generate(seed: u64) -> Self {
        let mut random = Random(seed);
        // Few places, so that queues and arrays find each other.
        let places = [0; 3].map(|_| random.pick());
        let places = &places[..[1, 1, 2, 3][random.below(4) as usize]];
        // Most programs have failures, some have none, so that success is looked at as well.
        let may_fail = random.below(4) != 0;
        let len = 8 + random.below(60);
        let mut operations = Vec::new();
        for place in places {
            operations.push(random.queue(*place));
            operations.push(random.queue(*place));
            operations.extend((0..3).map(|_| random.array(*place)));
        }
        operations.extend((0..len).map(|_| {
            let place = places[random.below(places.len() as u64) as usize];
            random.operation(place, may_fail)
        }));
        Self { seed, operations }
    }
}

/// Numbers that are the same for the same seed: the `SplitMix64` sequence.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    fn pick(&mut self) -> Pick {
        self.next() as Pick
    }

    fn is_one_of(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    fn picks(&mut self) -> Vec<Pick> {
        let count = [0, 0, 1, 1, 2, 3][self.below(6) as usize];
        (0..count).map(|_| self.pick()).collect()
    }

    fn part(&mut self) -> Part {
        [Part::Whole, Part::Whole, Part::Front, Part::Back][self.below(4) as usize]
    }

    fn waits(&mut self) -> Waits {
        if self.is_one_of(3) {
            Waits::Named(self.pick())
        } else {
            Waits::Data
        }
    }

    fn queue(&mut self, place: Pick) -> Operation {
        Operation::OpenQueue {
            place,
            device: self.pick(),
            in_order: !self.is_one_of(2),
            enable_profiling: self.is_one_of(4),
        }
    }

    fn array(&mut self, place: Pick) -> Operation {
        Operation::Allocate {
            place,
            len: self.pick(),
            kind: self.pick(),
        }
    }

    fn operation(&mut self, place: Pick, may_fail: bool) -> Operation {
        let (queue, x) = (self.pick(), self.pick());
        match self.below(100) {
            0..4 => self.queue(place),
            4..6 => Operation::DropQueue(queue),
            6..10 => self.array(place),
            10..13 => Operation::DropArray(x),
            13..27 => Operation::Step {
                queue,
                x,
                part: self.part(),
                waits: self.waits(),
            },
            27..35 => Operation::Combine {
                queue,
                to: x,
                a: self.pick(),
                b: self.pick(),
                part: self.part(),
                waits: self.waits(),
            },
            35..41 => Operation::Reverse {
                queue,
                to: x,
                from: self.pick(),
                waits: self.waits(),
            },
            41..44 if may_fail => Operation::Fault {
                queue,
                x,
                waits: self.waits(),
            },
            41..51 => Operation::Copy {
                queue,
                to: (x, self.part()),
                from: (self.pick(), self.part()),
                waits: self.waits(),
            },
            51..56 => Operation::Fill {
                queue,
                x,
                part: self.part(),
                value: self.next() as u8,
                waits: self.waits(),
            },
            56..64 => Operation::HostTask {
                queue,
                events: self.picks(),
                fails: may_fail && self.is_one_of(2),
            },
            64..71 => Operation::Gate {
                queue,
                events: self.picks(),
            },
            71..75 => Operation::OpenGate(x),
            75..81 => Operation::Barrier {
                queue,
                events: self.picks(),
            },
            81..85 => Operation::WaitForEvent {
                event: x,
                meanwhile: self.is_one_of(2),
            },
            85..88 => Operation::WaitForQueue {
                queue,
                meanwhile: self.is_one_of(2),
            },
            88..92 => Operation::Read {
                queue,
                x,
                meanwhile: self.is_one_of(2),
            },
            92..94 => Operation::Write {
                queue,
                x,
                value: self.next() as i64,
                meanwhile: self.is_one_of(2),
            },
            94..97 => Operation::AddCallback(x),
            _ => Operation::Look,
        }
    }
}

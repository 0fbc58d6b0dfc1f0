//! Cutting a kernel at its barriers.
//!
//! One thread runs a whole work-group. Between two places where the work-items meet (barriers and
//! collectives) they are independent, so the thread can run them one after the other: such a
//! stretch of statements is a *region*, which becomes a loop over the work-items. An `If` or `Loop`
//! with a meeting inside is control flow of the *group*: validation proved that all work-items go
//! the same way, so its condition is evaluated once, as the first work-item sees it, and its blocks
//! are cut in turn.
//!
//! Jumps out of a region come in two kinds. One that all work-items take together (it stands in the
//! group's control flow, or directly in an `If` with a uniform condition) is a jump of the group.
//! Any other leaves the region for one work-item; if more regions follow that it must then skip, it
//! remembers so in its *status*.
//!
//! Some statements are done *once* for the group instead of in a region: those that set what is the
//! same for all work-items and lives across regions (`storage` says which), for example the counter
//! of a loop with barriers.

use situ_ir::{
    Block, Collective, Expression, Function, FunctionInfo, Handle, Statement, StatementKind, Value,
    Variable,
};

use crate::llvm::statements::Exit;

/// The code of a group.
#[derive(Debug)]
pub(super) enum Node<'a> {
    /// Runs for each work-item.
    Region(Region<'a>),
    /// A `Let` or `Assign` that runs once.
    Once(&'a Statement),
    /// What all work-items computed is combined; they contributed in the region before.
    Combine(&'a Collective),
    /// The group runs one of two pieces of code.
    If {
        condition: Handle<Expression>,
        accept: Vec<Node<'a>>,
        reject: Vec<Node<'a>>,
    },
    /// The group repeats.
    Loop {
        condition: Option<Handle<Expression>>,
        body: Vec<Node<'a>>,
        step: Vec<Node<'a>>,
    },
    /// The group jumps.
    Jump(Exit),
}

/// Statements without meetings, run for one work-item after the other.
#[derive(Debug)]
pub(super) struct Region<'a> {
    /// Numbers regions in the order of the text.
    pub(super) number: usize,
    pub(super) statements: &'a [Statement],
    /// What each work-item gives to a collective at the end.
    pub(super) contribution: Option<&'a Collective>,
    /// Whether the group may run it more than once.
    pub(super) is_in_loop: bool,
    exits: ExitSet,
    /// Whether a work-item that leaves early must be skipped by regions that follow.
    pub(super) leaves_status: bool,
}

/// How a kernel is cut.
#[derive(Debug)]
pub(super) struct Structure<'a> {
    pub(super) nodes: Vec<Node<'a>>,
    /// How many regions there are.
    pub(super) regions: usize,
    /// Which values could be bound once for the group.
    pub(super) value_candidates: Vec<bool>,
    /// Which variables could be assigned once for the group, every time they are.
    pub(super) variable_candidates: Vec<bool>,
    /// Whether any work-item's status matters.
    pub(super) uses_status: bool,
}

/// What is done once for the group.
#[derive(Clone, Debug)]
pub(super) struct Hoisted {
    pub(super) values: Vec<bool>,
    pub(super) variables: Vec<bool>,
}

impl Hoisted {
    pub(super) fn nothing(function: &Function) -> Self {
        Self {
            values: vec![false; function.values.len()],
            variables: vec![false; function.variables.len()],
        }
    }
}

/// The ways by which a statement can be left other than through its end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ExitSet {
    is_continue: bool,
    is_break: bool,
    is_return: bool,
}

impl ExitSet {
    fn any(self) -> bool {
        self.is_continue || self.is_break || self.is_return
    }

    fn merge(&mut self, other: Self) {
        self.is_continue |= other.is_continue;
        self.is_break |= other.is_break;
        self.is_return |= other.is_return;
    }

    fn of(statement: &Statement) -> Self {
        let mut exits = Self::default();
        match &statement.kind {
            StatementKind::Continue => exits.is_continue = true,
            StatementKind::Break => exits.is_break = true,
            StatementKind::Return(_) => exits.is_return = true,
            StatementKind::If { .. } | StatementKind::Loop { .. } => {
                for statement in statement.kind.blocks().flat_map(|block| &block.statements) {
                    exits.merge(Self::of(statement));
                }
            }
            _ => {}
        }
        if matches!(statement.kind, StatementKind::Loop { .. }) {
            exits.is_continue = false;
            exits.is_break = false;
        }
        exits
    }
}

/// Whether work-items meet in a statement.
fn has_meeting(statement: &Statement) -> bool {
    statement.kind.is_meeting()
        || statement
            .kind
            .blocks()
            .flat_map(|block| &block.statements)
            .any(has_meeting)
}

/// Cuts a kernel, with some things done once.
pub(super) fn cut<'a>(
    function: &'a Function,
    info: &'a FunctionInfo,
    hoisted: &Hoisted,
) -> Structure<'a> {
    let mut cutter = Cutter {
        info,
        hoisted,
        regions: 0,
        loops: 0,
        left: ExitSet::default(),
        bound_once: vec![false; function.values.len()],
        assigned_once: vec![0; function.variables.len()],
        assignments: vec![0; function.variables.len()],
    };
    function.body.for_each_statement(&mut |statement| {
        if let StatementKind::Assign { variable, .. } = &statement.kind {
            cutter.assignments[variable.index()] += 1;
        }
    });
    let mut nodes = if info.synchronises {
        cutter.block(&function.body)
    } else {
        let mut nodes = Vec::new();
        cutter.region(&mut nodes, &function.body.statements, None);
        nodes
    };
    let end = Follow {
        ends_function: true,
        ends_round: false,
    };
    let uses_status = mark_exits(&mut nodes, end);
    let variable_candidates = cutter
        .assigned_once
        .iter()
        .zip(&cutter.assignments)
        .map(|(once, all)| *all > 0 && once == all)
        .collect();
    Structure {
        nodes,
        regions: cutter.regions,
        value_candidates: cutter.bound_once,
        variable_candidates,
        uses_status,
    }
}

struct Cutter<'a, 'h> {
    info: &'a FunctionInfo,
    hoisted: &'h Hoisted,
    regions: usize,
    /// Loops of the group around the present block.
    loops: usize,
    /// How some work-items may have left before the present statement, on their own.
    left: ExitSet,
    bound_once: Vec<bool>,
    /// For each variable, how many of its assignments could be done once.
    assigned_once: Vec<u32>,
    assignments: Vec<u32>,
}

impl<'a> Cutter<'a, '_> {
    fn block(&mut self, block: &'a Block) -> Vec<Node<'a>> {
        let statements = &block.statements;
        let mut nodes = Vec::new();
        // The region that is growing starts here; some work-items may leave it so.
        let mut start = 0;
        let mut leaving = ExitSet::default();
        for (position, statement) in statements.iter().enumerate() {
            let is_together = !self.left.any() && !leaving.any();
            let mut node = None;
            let mut contribution = None;
            let mut ends_region = true;
            match &statement.kind {
                StatementKind::Barrier(_) => {}
                StatementKind::Collective(collective) => {
                    contribution = Some(collective);
                    node = Some(Node::Combine(collective));
                }
                StatementKind::Let { value, expression } if is_together => {
                    ends_region = self.is_let_once(*value, *expression);
                    node = Some(Node::Once(statement));
                }
                StatementKind::Assign {
                    variable,
                    expression,
                } if is_together => {
                    ends_region = self.is_assign_once(*variable, *expression);
                    node = Some(Node::Once(statement));
                }
                StatementKind::Break if is_together => node = Some(Node::Jump(Exit::Break)),
                StatementKind::Continue if is_together => node = Some(Node::Jump(Exit::Continue)),
                StatementKind::Return(_) if is_together => node = Some(Node::Jump(Exit::Return)),
                StatementKind::If { condition, .. } => {
                    let jumps_together = is_together
                        && ExitSet::of(statement).any()
                        && self.info.is_uniform(*condition);
                    ends_region = jumps_together || has_meeting(statement);
                }
                StatementKind::Loop { .. } => ends_region = has_meeting(statement),
                _ => ends_region = false,
            }
            if !ends_region {
                leaving.merge(ExitSet::of(statement));
                continue;
            }
            if start < position || contribution.is_some() {
                self.left.merge(leaving);
                self.region(&mut nodes, &statements[start..position], contribution);
            }
            start = position + 1;
            leaving = ExitSet::default();
            let is_jump = matches!(node, Some(Node::Jump(_)));
            nodes.extend(node.or_else(|| self.control(statement)));
            if is_jump {
                // Nothing after a jump of the whole group is ever reached.
                return nodes;
            }
        }
        if start < statements.len() {
            self.left.merge(leaving);
            self.region(&mut nodes, &statements[start..], None);
        }
        nodes
    }

    fn region(
        &mut self,
        nodes: &mut Vec<Node<'a>>,
        statements: &'a [Statement],
        contribution: Option<&'a Collective>,
    ) {
        let mut exits = ExitSet::default();
        for statement in statements {
            exits.merge(ExitSet::of(statement));
        }
        nodes.push(Node::Region(Region {
            number: self.regions,
            statements,
            contribution,
            is_in_loop: self.loops > 0,
            exits,
            leaves_status: false,
        }));
        self.regions += 1;
    }

    /// Control flow of the group.
    fn control(&mut self, statement: &'a Statement) -> Option<Node<'a>> {
        match &statement.kind {
            StatementKind::If {
                condition,
                accept,
                reject,
            } => {
                let before = self.left;
                let accept = self.block(accept);
                let left_by_accept = std::mem::replace(&mut self.left, before);
                let reject = self.block(reject);
                self.left.merge(left_by_accept);
                Some(Node::If {
                    condition: *condition,
                    accept,
                    reject,
                })
            }
            StatementKind::Loop {
                condition,
                body,
                step,
            } => {
                let before = self.left;
                self.loops += 1;
                let body = self.block(body);
                // Who left a round is back for the next one.
                self.left.is_continue = before.is_continue;
                self.left.is_break = before.is_break;
                let step = self.block(step);
                self.loops -= 1;
                Some(Node::Loop {
                    condition: *condition,
                    body,
                    step,
                })
            }
            _ => None,
        }
    }

    fn is_let_once(&mut self, value: Handle<Value>, expression: Handle<Expression>) -> bool {
        self.bound_once[value.index()] = self.info.is_uniform(expression);
        self.hoisted.values[value.index()]
    }

    fn is_assign_once(
        &mut self,
        variable: Handle<Variable>,
        expression: Handle<Expression>,
    ) -> bool {
        self.assigned_once[variable.index()] += u32::from(self.info.is_uniform(expression));
        self.hoisted.variables[variable.index()]
    }
}

/// What comes after a node.
#[derive(Clone, Copy)]
struct Follow {
    /// Nothing: the function ends.
    ends_function: bool,
    /// Only the step of the loop around it.
    ends_round: bool,
}

/// Finds the regions whose early leavers must be remembered; whether there are any.
fn mark_exits(nodes: &mut [Node<'_>], follow: Follow) -> bool {
    let mut marked = false;
    let count = nodes.len();
    for (position, node) in nodes.iter_mut().enumerate() {
        let follow = if position + 1 == count {
            follow
        } else {
            Follow {
                ends_function: false,
                ends_round: false,
            }
        };
        match node {
            Node::Region(region) => {
                let ends = (!region.exits.is_return || follow.ends_function)
                    && (!region.exits.is_continue || follow.ends_round)
                    && !region.exits.is_break;
                region.leaves_status = !ends;
                marked |= !ends;
            }
            Node::If { accept, reject, .. } => {
                marked |= mark_exits(accept, follow);
                marked |= mark_exits(reject, follow);
            }
            Node::Loop { body, step, .. } => {
                let round = Follow {
                    ends_function: false,
                    ends_round: true,
                };
                marked |= mark_exits(body, round);
                marked |= mark_exits(step, round);
            }
            Node::Once(_) | Node::Combine(_) | Node::Jump(_) => {}
        }
    }
    marked
}

#[cfg(test)]
mod tests {
    use situ_ir::{Source, text, validate};

    use super::*;

    /// How a kernel is cut, in short: `R` is a region (with `?` if work-items that leave it must be
    /// skipped afterwards), `J` a jump of the group, `C` a combination.
    fn cut_of(text: &str) -> String {
        let module = text::parse(Source::new("test.sir", text)).unwrap_or_else(|e| panic!("{e}"));
        let module = validate(module).unwrap_or_else(|e| panic!("{e}"));
        let (handle, function) = module.kernels().next().expect("there is a kernel");
        let hoisted = Hoisted::nothing(function);
        let structure = cut(function, module.info(handle), &hoisted);
        short(&structure.nodes)
    }

    fn short(nodes: &[Node<'_>]) -> String {
        let words = nodes.iter().map(|node| match node {
            Node::Region(region) if region.leaves_status => "R?".to_owned(),
            Node::Region(_) => "R".to_owned(),
            Node::Once(_) => "1".to_owned(),
            Node::Combine(_) => "C".to_owned(),
            Node::If { accept, reject, .. } => {
                format!("if({} | {})", short(accept), short(reject))
            }
            Node::Loop { body, step, .. } => format!("loop({}; {})", short(body), short(step)),
            Node::Jump(_) => "J".to_owned(),
        });
        words.collect::<Vec<_>>().join(" ")
    }

    fn kernel(body: &str) -> String {
        format!("kernel[1] k(x: global i64*, n: i64) {{ var i: i64; {body} }}")
    }

    #[test]
    fn a_kernel_without_meetings_is_one_region() {
        let text = kernel("if n > 3 { return; } x[local_id(0)] = 1; loop { break; }");
        assert_eq!(cut_of(&text), "R");
    }

    #[test]
    fn regions_end_at_barriers_and_collectives() {
        let text = kernel(
            "x[0] = 1; barrier(local); barrier(local); x[1] = 1;
             let s = collective reduce add(n) work_group; x[2] = s;",
        );
        assert_eq!(cut_of(&text), "R R C R");
    }

    #[test]
    fn only_control_flow_around_meetings_belongs_to_the_group() {
        let text = kernel(
            "if n > 1 { x[0] = 1; }
             if n > 2 { barrier(local); x[1] = 1; } else { x[2] = 1; }
             i = 0;
             while i < n { barrier(local); x[3] = 1; } step { i = i + 1; }",
        );
        assert_eq!(cut_of(&text), "R if(R | R) R loop(R; R)");
    }

    #[test]
    fn jumps_under_uniform_conditions_are_jumps_of_the_group() {
        let text = kernel("if n > 1 { return; } barrier(local); x[0] = 1;");
        assert_eq!(cut_of(&text), "if(J | ) R");
    }

    #[test]
    fn leaving_matters_only_if_something_follows() {
        let last = kernel("barrier(local); if local_id(0) > 1 { return; } x[0] = 1;");
        assert_eq!(cut_of(&last), "R");
        let followed = kernel(
            "if n > 2 { barrier(local); if local_id(0) > 1 { return; } x[0] = 1; } x[1] = 1;",
        );
        assert_eq!(cut_of(&followed), "if(R? | ) R");
        let end_of_round = kernel(
            "i = 0;
             while i < n { barrier(local); if local_id(0) > 1 { continue; } x[0] = 1; }
             step { i = i + 1; }",
        );
        assert_eq!(cut_of(&end_of_round), "R loop(R; R)");
    }
}

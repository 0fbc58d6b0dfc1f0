//! Where the names of a kernel with groups live.
//!
//! A region runs for one work-item after the other, so what a work-item computed in one region and
//! needs in another must wait somewhere. In the order of preference:
//!
//! 1. A name used in one region only stays in a register (or on the stack, from where LLVM moves
//!    it).
//! 2. What is cheap to compute from ids, parameters and constants is computed again in each region.
//!    This also shows LLVM how an index depends on the work-item, so that accesses become vector
//!    accesses.
//! 3. What is the same for all work-items is computed once for the group (see `regions`).
//! 4. Everything else gets one slot for each work-item in the group's frame.

use std::collections::{BTreeSet, HashSet};

use situ_ir::{
    AddressSpace, ArrayVariable, Collective, CollectiveOperation, CollectiveScope, Expression,
    Function, FunctionInfo, Handle, PointerRoot, Statement, StatementKind, Value, Variable,
};

use super::lifetimes::{Lifetime, lifetimes};
use super::regions::{Hoisted, Node, Region, Structure, cut};

/// The largest expression that is computed again.
const MAX_REPEATED_NODES: u32 = 24;

/// Where a value lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueStorage {
    /// In a register, of the group or of one region.
    Register,
    /// It is computed again.
    Expression(Handle<Expression>),
    /// In the frame.
    Slot,
}

/// Where a variable lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum VariableStorage {
    /// On the stack, one for the group.
    Group,
    /// On the stack, in one region.
    Region {
        /// The region's number.
        number: usize,
        /// Whether it is read before it is assigned, perhaps.
        needs_zero: bool,
    },
    /// It is computed again.
    Expression(Handle<Expression>),
    /// In the frame.
    Slot {
        /// Whether it is read before it is assigned, perhaps.
        needs_zero: bool,
    },
}

/// Where an array lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArrayStorage {
    /// Nowhere: it is not used.
    Unused,
    /// In local memory.
    Local,
    /// On the stack, in one region.
    Stack,
    /// In the frame.
    Frame,
}

/// What a region does with names that live in the frame.
#[derive(Clone, Debug, Default)]
pub(super) struct RegionNames {
    /// Values that earlier regions bound.
    pub(super) values: Vec<Handle<Value>>,
    pub(super) variables: Vec<Handle<Variable>>,
}

/// How a kernel is cut and where its names live.
#[derive(Debug)]
pub(super) struct Plan<'a> {
    pub(super) structure: Structure<'a>,
    pub(super) values: Vec<ValueStorage>,
    pub(super) variables: Vec<VariableStorage>,
    pub(super) arrays: Vec<ArrayStorage>,
    /// For each region by its number.
    pub(super) regions: Vec<RegionNames>,
}

/// Cuts a kernel and gives its names a place.
///
/// Doing something once cuts a region in two, by which more names may come to live across regions;
/// so this repeats until nothing is added.
pub(super) fn plan<'a>(function: &'a Function, info: &'a FunctionInfo) -> Plan<'a> {
    let mut hoisted = Hoisted::nothing(function);
    loop {
        let structure = cut(function, info, &hoisted);
        let planner = Planner::new(function, info, &structure, &hoisted);
        if !planner.hoist_more(&structure, &mut hoisted) {
            return planner.finish(structure);
        }
    }
}

/// Where code runs: once for the group, or in a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Context {
    Group,
    Region { number: usize, is_in_loop: bool },
}

struct Planner<'f> {
    function: &'f Function,
    info: &'f FunctionInfo,
    hoisted: Hoisted,
    lifetimes: Vec<Lifetime>,
    /// Where each value is bound.
    bound: Vec<Option<Context>>,
    /// Where each value, variable and array is used.
    value_uses: Vec<BTreeSet<Context>>,
    variable_uses: Vec<BTreeSet<Context>>,
    array_uses: Vec<BTreeSet<Context>>,
    /// The expression of each value and variable that can be computed again.
    repeated_values: Vec<Option<Repeated>>,
    repeated_variables: Vec<Option<Repeated>>,
}

/// An expression that can be computed anywhere, and its size.
#[derive(Clone, Copy, Debug)]
struct Repeated {
    expression: Handle<Expression>,
    nodes: u32,
}

impl<'f> Planner<'f> {
    fn new(
        function: &'f Function,
        info: &'f FunctionInfo,
        structure: &Structure<'f>,
        hoisted: &Hoisted,
    ) -> Self {
        let mut planner = Self {
            function,
            info,
            hoisted: hoisted.clone(),
            lifetimes: lifetimes(function),
            bound: vec![None; function.values.len()],
            value_uses: vec![BTreeSet::new(); function.values.len()],
            variable_uses: vec![BTreeSet::new(); function.variables.len()],
            array_uses: vec![BTreeSet::new(); function.arrays.len()],
            repeated_values: vec![None; function.values.len()],
            repeated_variables: vec![None; function.variables.len()],
        };
        planner.nodes(&structure.nodes);
        planner.repeat();
        planner
    }

    // ----- uses -----

    fn nodes(&mut self, nodes: &[Node<'f>]) {
        for node in nodes {
            match node {
                Node::Region(region) => self.region(region),
                Node::Once(statement) => self.statement(statement, Context::Group),
                Node::Combine(collective) => {
                    // What differs between work-items is in slots, wherever it is used.
                    if is_result_of_group(collective) {
                        self.bound[collective.result.index()] = Some(Context::Group);
                    }
                    if let CollectiveOperation::Broadcast(position) = collective.operation {
                        self.expression(position, Context::Group);
                    }
                }
                Node::If {
                    condition,
                    accept,
                    reject,
                } => {
                    self.expression(*condition, Context::Group);
                    self.nodes(accept);
                    self.nodes(reject);
                }
                Node::Loop {
                    condition,
                    body,
                    step,
                } => {
                    if let Some(condition) = condition {
                        self.expression(*condition, Context::Group);
                    }
                    self.nodes(body);
                    self.nodes(step);
                }
                Node::Jump(_) => {}
            }
        }
    }

    fn region(&mut self, region: &Region<'f>) {
        let context = Context::Region {
            number: region.number,
            is_in_loop: region.is_in_loop,
        };
        for statement in region.statements {
            self.statement(statement, context);
        }
        if let Some(collective) = region.contribution {
            self.expression(collective.operand, context);
        }
    }

    fn statement(&mut self, statement: &'f Statement, context: Context) {
        statement.kind.for_each_expression(|expression| {
            self.expression(expression, context);
        });
        match &statement.kind {
            StatementKind::Let { value, expression } => {
                self.bound[value.index()] = Some(context);
                let nodes = self.repeated_nodes(*expression);
                self.repeated_values[value.index()] = nodes.map(|nodes| Repeated {
                    expression: *expression,
                    nodes,
                });
            }
            StatementKind::Assign {
                variable,
                expression,
            } => {
                self.variable_uses[variable.index()].insert(context);
                if self.lifetimes[variable.index()].is_assigned_once_before_reads() {
                    let nodes = self.repeated_nodes(*expression);
                    self.repeated_variables[variable.index()] = nodes.map(|nodes| Repeated {
                        expression: *expression,
                        nodes,
                    });
                }
            }
            other => {
                if let Some(value) = other.bound_value() {
                    self.bound[value.index()] = Some(context);
                }
            }
        }
        for block in statement.kind.blocks() {
            for statement in &block.statements {
                self.statement(statement, context);
            }
        }
    }

    /// Records that an expression is evaluated somewhere; whether that says anything new.
    fn expression(&mut self, root: Handle<Expression>, context: Context) -> bool {
        let mut is_new = false;
        let mut seen = HashSet::new();
        let mut pending = vec![root];
        while let Some(expression) = pending.pop() {
            if !seen.insert(expression) {
                continue;
            }
            if let Some(PointerRoot::Array(array)) = self.info.pointer_root(expression) {
                is_new |= self.array_uses[array.index()].insert(context);
            }
            match &self.function.expressions[expression] {
                Expression::Value(value) => {
                    is_new |= self.value_uses[value.index()].insert(context);
                }
                Expression::Variable(variable) => {
                    is_new |= self.variable_uses[variable.index()].insert(context);
                }
                other => other.for_each_operand(|operand| pending.push(operand)),
            }
        }
        is_new
    }

    // ----- what is computed again -----

    /// The size of an expression that is cheap and the same wherever it is computed.
    fn repeated_nodes(&self, root: Handle<Expression>) -> Option<u32> {
        let mut nodes = 0;
        let mut pending = vec![root];
        while let Some(expression) = pending.pop() {
            nodes += match &self.function.expressions[expression] {
                Expression::Math { .. } | Expression::Load { .. } | Expression::Complex { .. } => {
                    return None;
                }
                Expression::Value(value) if self.is_of_group(*value) => 1,
                Expression::Value(value) => self.repeated_values[value.index()]?.nodes,
                Expression::Variable(variable) => self.repeated_variables[variable.index()]?.nodes,
                other => {
                    other.for_each_operand(|operand| pending.push(operand));
                    1
                }
            };
            if nodes > MAX_REPEATED_NODES {
                return None;
            }
        }
        Some(nodes)
    }

    /// Whether a value is bound once, in a register of the group.
    fn is_of_group(&self, value: Handle<Value>) -> bool {
        self.bound[value.index()] == Some(Context::Group)
    }

    /// Settles what is computed again: everything that can and that lives across regions. What it
    /// is made of is then used there, too.
    fn repeat(&mut self) {
        let mut values: Vec<_> = self.function.values.handles().collect();
        let mut variables: Vec<_> = self.function.variables.handles().collect();
        // A later name may be made of earlier ones, so the last comes first.
        values.reverse();
        variables.reverse();
        let mut is_settled = false;
        while !is_settled {
            is_settled = true;
            for &value in &values {
                let Some(repeated) = self.repeated_values[value.index()] else {
                    continue;
                };
                if self.value_lives_on(value) {
                    for context in self.value_uses[value.index()].clone() {
                        is_settled &= !self.expression(repeated.expression, context);
                    }
                }
            }
            for &variable in &variables {
                let Some(repeated) = self.repeated_variables[variable.index()] else {
                    continue;
                };
                if self.variable_lives_on(variable) {
                    for context in self.variable_uses[variable.index()].clone() {
                        is_settled &= !self.expression(repeated.expression, context);
                    }
                }
            }
        }
    }

    /// Whether a value bound in a region is used elsewhere.
    fn value_lives_on(&self, value: Handle<Value>) -> bool {
        let bound = self.bound[value.index()];
        bound != Some(Context::Group)
            && self.value_uses[value.index()]
                .iter()
                .any(|context| Some(*context) != bound)
    }

    /// Whether a variable is used in more than one place.
    fn variable_lives_on(&self, variable: Handle<Variable>) -> bool {
        let uses = &self.variable_uses[variable.index()];
        uses.len() > 1 || uses.contains(&Context::Group)
    }

    // ----- what is done once -----

    /// Adds what should be done once for the group; whether there is anything.
    fn hoist_more(&self, structure: &Structure<'_>, hoisted: &mut Hoisted) -> bool {
        let mut added = false;
        for value in self.function.values.handles() {
            let index = value.index();
            let should = structure.value_candidates[index]
                && self.repeated_values[index].is_none()
                && self.value_lives_on(value);
            added |= should && !std::mem::replace(&mut hoisted.values[index], should);
        }
        for variable in self.function.variables.handles() {
            let index = variable.index();
            let should = structure.variable_candidates[index]
                && self.repeated_variables[index].is_none()
                && self.variable_lives_on(variable);
            added |= should && !std::mem::replace(&mut hoisted.variables[index], should);
        }
        added
    }

    // ----- the result -----

    fn finish(self, structure: Structure<'f>) -> Plan<'f> {
        let values = self.function.values.handles();
        let variables = self.function.variables.handles();
        let arrays = self.function.arrays.handles();
        Plan {
            values: values.map(|value| self.value_storage(value)).collect(),
            variables: variables.map(|name| self.variable_storage(name)).collect(),
            arrays: arrays.map(|array| self.array_storage(array)).collect(),
            regions: self.region_names(structure.regions),
            structure,
        }
    }

    fn region_names(&self, count: usize) -> Vec<RegionNames> {
        let mut regions = vec![RegionNames::default(); count];
        for value in self.function.values.handles() {
            if self.value_storage(value) != ValueStorage::Slot {
                continue;
            }
            for context in &self.value_uses[value.index()] {
                if let Context::Region { number, .. } = context
                    && Some(*context) != self.bound[value.index()]
                {
                    regions[*number].values.push(value);
                }
            }
        }
        for variable in self.function.variables.handles() {
            if !matches!(
                self.variable_storage(variable),
                VariableStorage::Slot { .. }
            ) {
                continue;
            }
            for context in &self.variable_uses[variable.index()] {
                if let Context::Region { number, .. } = context {
                    regions[*number].variables.push(variable);
                }
            }
        }
        regions
    }

    fn value_storage(&self, value: Handle<Value>) -> ValueStorage {
        match self.repeated_values[value.index()] {
            _ if !self.value_lives_on(value) => ValueStorage::Register,
            Some(repeated) => ValueStorage::Expression(repeated.expression),
            None => ValueStorage::Slot,
        }
    }

    fn variable_storage(&self, variable: Handle<Variable>) -> VariableStorage {
        let index = variable.index();
        let lifetime = &self.lifetimes[index];
        let uses = &self.variable_uses[index];
        let needs_zero = !lifetime.is_assigned_before_reads();
        if self.hoisted.variables[index] || uses.is_empty() {
            return VariableStorage::Group;
        }
        if self.variable_lives_on(variable) {
            return match self.repeated_variables[index] {
                Some(repeated) => VariableStorage::Expression(repeated.expression),
                None => VariableStorage::Slot { needs_zero },
            };
        }
        match uses.first() {
            // In a loop of the group the content of the last round may be read.
            Some(Context::Region { is_in_loop, number }) if !is_in_loop || !needs_zero => {
                VariableStorage::Region {
                    number: *number,
                    needs_zero,
                }
            }
            _ => VariableStorage::Slot { needs_zero },
        }
    }

    fn array_storage(&self, array: Handle<ArrayVariable>) -> ArrayStorage {
        let uses = &self.array_uses[array.index()];
        let mut contexts = uses.iter();
        if self.function.arrays[array].space == AddressSpace::Local {
            return ArrayStorage::Local;
        }
        match (contexts.next(), contexts.next()) {
            (None, _) => ArrayStorage::Unused,
            (
                Some(Context::Region {
                    is_in_loop: false, ..
                }),
                None,
            ) => ArrayStorage::Stack,
            _ => ArrayStorage::Frame,
        }
    }
}

/// Whether all work-items of the group get the same result, so that it needs no slots.
pub(super) fn is_result_of_group(collective: &Collective) -> bool {
    collective.scope == CollectiveScope::WorkGroup
        && !matches!(
            collective.operation,
            CollectiveOperation::InclusiveScan(_) | CollectiveOperation::ExclusiveScan(_)
        )
}

#[cfg(test)]
mod tests {
    use situ_ir::{Source, ValidModule, text, validate};

    use super::*;

    fn parse(text: &str) -> ValidModule {
        let module = text::parse(Source::new("test.sir", text)).unwrap_or_else(|e| panic!("{e}"));
        validate(module).unwrap_or_else(|e| panic!("{e}"))
    }

    /// What the plan of the only kernel of a module says about a name.
    fn storage_of(module: &ValidModule, name: &str) -> String {
        let (handle, function) = module.kernels().next().expect("there is a kernel");
        let plan = plan(function, module.info(handle));
        let value = function.values.iter().find(|(_, v)| v.name == name);
        let variable = function.variables.iter().find(|(_, v)| v.name == name);
        let array = function.arrays.iter().find(|(_, a)| a.name == name);
        match (value, variable, array) {
            (Some((value, _)), ..) => match plan.values[value.index()] {
                ValueStorage::Expression(_) => "again".to_owned(),
                storage => format!("{storage:?}"),
            },
            (_, Some((variable, _)), _) => match plan.variables[variable.index()] {
                VariableStorage::Expression(_) => "again".to_owned(),
                storage => format!("{storage:?}"),
            },
            (.., Some((array, _))) => format!("{:?}", plan.arrays[array.index()]),
            _ => panic!("nothing is called {name}"),
        }
    }

    #[test]
    fn each_name_lives_where_it_is_cheapest() {
        let module = parse(
            "kernel[1] k(x: global f64*, n: i64) {
                var round: i64;
                var total: f64;
                var index: i64;
                var inner: i64;
                array tile: local f64[8];
                array kept: private f64[2];
                array used_once: private f64[2];
                array unused: private f64[2];
                index = local_id(0) + (group_id(0) * 8);
                let again = index * 2;
                let loaded = x[index];
                let uniform = x[n];
                let local = loaded * 3.0;
                tile[local_id(0)] = local;
                kept[0] = loaded;
                round = 0;
                while round < n {
                    barrier(local);
                    inner = 0;
                    while inner < 4 {
                        total = total + tile[inner];
                    } step {
                        inner = inner + 1;
                    }
                    barrier(local);
                } step {
                    round = round + 1;
                }
                used_once[0] = total;
                x[again] = ((used_once[0] + kept[0]) + loaded) + uniform;
            }",
        );
        for (name, expected) in [
            ("index", "again"),
            ("again", "again"),
            ("loaded", "Slot"),
            // One register for the group.
            ("uniform", "Register"),
            ("local", "Register"),
            ("round", "Group"),
            ("total", "Slot { needs_zero: true }"),
            ("inner", "Region { number: 2, needs_zero: false }"),
            ("tile", "Local"),
            ("kept", "Frame"),
            ("used_once", "Stack"),
            ("unused", "Unused"),
        ] {
            assert_eq!(storage_of(&module, name), expected, "{name}");
        }
    }

    #[test]
    fn what_a_round_reads_of_the_last_one_lives_on() {
        let module = parse(
            "kernel[1] k(x: global i64*) {
                var round: i64;
                var carried: i64;
                round = 0;
                while round < 3 {
                    barrier(local);
                    carried = carried + x[local_id(0)];
                    x[local_id(0)] = carried;
                } step {
                    round = round + 1;
                }
            }",
        );
        assert_eq!(storage_of(&module, "carried"), "Slot { needs_zero: true }");
    }

    #[test]
    fn scans_have_results_for_each_work_item_and_reductions_one() {
        let module = parse(
            "kernel[1] k(x: global i64*) {
                let sum = collective reduce add(x[local_id(0)]) work_group;
                let upto = collective inclusive_scan add(x[local_id(0)]) work_group;
                let part = collective reduce add(x[local_id(0)]) sub_group;
                x[local_id(0)] = sum + (upto + part);
            }",
        );
        assert_eq!(storage_of(&module, "sum"), "Register");
        assert_eq!(storage_of(&module, "upto"), "Slot");
        assert_eq!(storage_of(&module, "part"), "Slot");
    }
}

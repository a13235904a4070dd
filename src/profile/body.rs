//! The tables of one profile while it is read: functions, self costs, lines and calls. The head
//! (names, events, parts) is separate.
//!
//! Reading fills one body, or one per part with `--split`. All bodies share one table of names. A
//! few bytes of input are enough to create a body, so there can be many. What few formats have is
//! therefore boxed, and a table first reserves space for only one row.

use super::{
    CallEdge, CallTable, CallTree, Code, ColumnMap, Contexts, Costs, Forest, Full, Function,
    FunctionId, Line, LineTable, Lines, NameId, Overflow, Profile, Site, Sizes, StatedCosts,
    index::Index,
    lines::{keep_firsts, reserve_first},
};

/// Collects the cost lines and calls of one profile.
#[derive(Default)]
pub(super) struct Body {
    pub functions: Vec<Function>,
    /// The functions with their own record, in the order of their first records.
    recorded: Vec<FunctionId>,
    /// For every name, the first function that has it, or [`NOBODY`]. It stays in proportion to the
    /// functions, because many bodies share one table of names.
    first: Vec<FunctionId>,
    /// The functions that are not in `first`: another function had the name first, or `first` was
    /// too short.
    others: Index,
    pub self_costs: Costs,
    pub lines: LineTable,
    pub calls: CallTable,
    pub stated: Option<Box<StatedCosts>>,
    /// The trees of calls, if the reader builds them.
    forest: Option<Box<Forest>>,
    /// Whether no complete tree of calls is possible.
    treeless: bool,
    /// Costs by input size, if the format has them.
    pub sizes: Option<Box<Sizes>>,
    /// Single instructions, if they are wanted and there are any.
    pub code: Option<Box<Code>>,
    /// The contexts of functions that were joined.
    pub contexts: Option<Box<Contexts>>,
}

/// A complete body, to which nothing is added.
pub(super) struct Frozen {
    pub functions: Vec<Function>,
    pub recorded: Vec<FunctionId>,
    pub self_costs: Costs,
    pub lines: Vec<Line>,
    pub line_costs: Costs,
    pub arcs: Vec<CallEdge>,
    pub sites: Vec<Site>,
    pub call_costs: Costs,
    pub stated: Option<Box<StatedCosts>>,
    pub tree: Option<Box<CallTree>>,
    pub sizes: Option<Box<Sizes>>,
    pub code: Option<Box<Code>>,
    pub contexts: Option<Box<Contexts>>,
}

impl Body {
    /// Finds or adds the function with these three names.
    pub(super) fn function(&mut self, object: NameId, file: NameId, name: NameId) -> FunctionId {
        let key = [object, file, name];
        let first = self.first.get(name.0 as usize).copied().unwrap_or(NOBODY);
        match self.functions.get(first.index()) {
            Some(f) if f.names() == key => first,
            _ => self.other_function(key),
        }
    }

    /// Finds or adds a function that is not the first with its name.
    fn other_function(&mut self, key @ [object, file, name]: [NameId; 3]) -> FunctionId {
        let functions = &self.functions;
        if let Some(id) = self
            .others
            .find(key, |id| functions[id as usize].names() == key)
        {
            return FunctionId(id);
        }
        reserve_first(&mut self.functions);
        self.functions.push(Function {
            object,
            file,
            name,
            recorded: false,
        });
        let id = FunctionId(self.self_costs.push());
        let at = name.index();
        if at >= self.first.len() && at < 64 + 16 * self.functions.len() {
            self.first.resize(at + 1, NOBODY);
        }
        if let Some(first) = self.first.get_mut(at).filter(|first| **first == NOBODY) {
            *first = id;
            return id;
        }
        self.others.insert(key, id.0);
        id
    }

    /// Records that a function has its own record.
    pub(super) fn record(&mut self, function: FunctionId) {
        let recorded = &mut self.functions[function.index()].recorded;
        if !std::mem::replace(recorded, true) {
            self.recorded.push(function);
        }
    }

    /// Adds trees of calls between the functions of this body.
    pub(super) fn add_trees(&mut self, trees: Forest) {
        if self.treeless {
            return;
        }
        match &mut self.forest {
            None => self.forest = Some(Box::new(trees)),
            Some(forest) => {
                let same: Vec<FunctionId> =
                    (0..self.functions.len() as u32).map(FunctionId).collect();
                forest.absorb(trees, &same, &mut ColumnMap::default());
            }
        }
    }

    /// Drops the trees, and all later ones: there is no tree of all calls.
    pub(super) fn lose_trees(&mut self) {
        (self.forest, self.treeless) = (None, true);
    }

    /// Whether a table has reached its limit, so that reading must stop.
    pub(super) fn is_full(&self) -> bool {
        self.costs().any(Costs::is_full)
    }

    /// How many counts the tables have space for.
    pub(super) fn allocated(&self) -> usize {
        self.costs().map(Costs::allocated).sum()
    }

    /// The tables of costs.
    fn costs(&self) -> impl Iterator<Item = &Costs> {
        let code = self.code.iter().flat_map(|code| code.costs());
        [&self.self_costs, &self.lines.costs, &self.calls.costs]
            .into_iter()
            .chain(code)
    }

    /// Adds another body. `names` maps its names to those here, and `columns` maps its columns to
    /// those of all `events` events.
    ///
    /// # Errors
    /// Fails if the rows would take far more memory than before, because the events differ too
    /// much.
    pub(super) fn absorb(
        &mut self,
        mut other: Body,
        names: &[NameId],
        columns: &mut ColumnMap,
        events: usize,
    ) -> Result<Overflow, Full> {
        let before = (self.allocated() + other.allocated()) as u64;
        let check = |body: &Body| {
            Full::reached(body.is_full(), body.allocated(), events, 2 * before).map_or(Ok(()), Err)
        };
        let mut over = false;
        let fresh = self.functions.is_empty();
        // If only one of the two has lines, move the costs of the other to an unknown line.
        if self.lines.is_empty() != other.lines.is_empty() {
            over |= self.place_nowhere() | other.place_nowhere();
            check(self)?;
        }
        let (functions, added) = self.add_rows(&mut other, names, columns, check)?;
        over |= added;
        if fresh {
            self.stated = other.stated.is_some().then(Box::default);
            self.forest = other.forest.is_some().then(|| Box::new(Forest::new()));
        }
        match (&mut self.stated, &other.stated) {
            (Some(stated), Some(more)) => over |= stated.absorb(more, &functions, columns),
            // A value that only one input states cannot be added up, so it is computed for both.
            (stated, _) => *stated = None,
        }
        match (&mut self.forest, other.forest.take()) {
            (Some(forest), Some(more)) => forest.absorb(*more, &functions, columns),
            (forest, _) => *forest = None,
        }
        if let Some(more) = other.sizes.take() {
            let empty = || Box::new(Sizes::new(more.metric, more.cell, more.version));
            self.sizes
                .get_or_insert_with(empty)
                .absorb(&more, &functions);
        }
        Ok(over)
    }

    /// Whether its functions have only self costs, lines, instructions and calls.
    pub(super) fn has_calls_alone(&self) -> bool {
        self.stated.is_none() && self.forest.is_none() && self.sizes.is_none()
    }

    /// A profile of its functions, self costs and calls alone, without names.
    pub(super) fn calls_alone(self) -> Profile {
        let (arcs, sites, call_costs, _) = self.calls.finish();
        Profile {
            functions: self.functions,
            self_costs: self.self_costs,
            arcs,
            sites,
            call_costs: call_costs.into(),
            ..Profile::default()
        }
    }

    /// Adds another body with the same columns, and takes its instructions; `names` maps its names to
    /// those here. Returns the new ids of its functions.
    pub(super) fn join(
        &mut self,
        other: &mut Body,
        names: &[NameId],
    ) -> (Vec<FunctionId>, Overflow) {
        let Ok(added) = self.add_rows(other, names, &mut ColumnMap::default(), |_| {
            Ok::<(), std::convert::Infallible>(())
        });
        added
    }

    /// Adds the functions, self costs, lines, calls and instructions of another body, until `check`
    /// fails.
    #[inline(always)]
    fn add_rows<E>(
        &mut self,
        other: &mut Body,
        names: &[NameId],
        columns: &mut ColumnMap,
        check: impl Fn(&Body) -> Result<(), E>,
    ) -> Result<(Vec<FunctionId>, Overflow), E> {
        let name = |id: NameId| names[id.0 as usize];
        let mut over = false;
        let functions: Vec<FunctionId> = (other.functions.iter())
            .map(|f| self.function(name(f.object), name(f.file), name(f.name)))
            .collect();
        for id in &other.recorded {
            self.record(functions[id.index()]);
        }
        for (old, &new) in (0..).zip(&functions) {
            let counts = other.self_costs.row(old);
            if !counts.is_empty() {
                over |= self.self_costs.add(new.0, columns.place(counts));
                check(self)?;
            }
        }
        for line in other.lines.iter() {
            let counts = columns.place(other.lines.cost(line.row));
            over |= self.lines.add(
                functions[line.function.index()],
                name(line.file),
                line.line,
                counts,
            );
            check(self)?;
        }
        for ((caller, callee, file, line), count, counts) in other.calls.iter() {
            let key = (
                functions[caller.index()],
                functions[callee.index()],
                name(file),
                line,
            );
            over |= self.calls.add(key, [count], columns.place(counts));
            check(self)?;
        }
        if let Some(code) = other.code.take() {
            over |= self
                .code
                .get_or_insert_default()
                .absorb(*code, &functions, names, columns);
            check(self)?;
        }
        Ok((functions, over))
    }

    /// Moves self costs to line 0 of their functions if there are no lines at all.
    fn place_nowhere(&mut self) -> Overflow {
        let mut over = false;
        if self.lines.is_empty() {
            for (at, f) in (0..).zip(&self.functions) {
                let counts = self.self_costs.row(at);
                if !counts.is_empty() {
                    over |= self.lines.add(FunctionId(at), f.file, 0, counts);
                }
            }
        }
        over
    }

    /// Brings everything into its final order.
    pub(super) fn freeze(mut self, kept: Lines) -> (Frozen, Overflow) {
        let (arcs, sites, call_costs, mut over) = self.calls.finish();
        let tree = self.forest.map(|forest| {
            let (tree, over_tree) = forest.finish();
            over |= over_tree;
            let stated = self.stated.get_or_insert_default();
            if !stated.has_inclusive {
                over |= tree.state_inclusive(self.functions.len(), stated);
            }
            Box::new(tree)
        });
        let (mut lines, line_costs) = self.lines.finish();
        if kept == Lines::Firsts {
            keep_firsts(&mut lines);
        }
        let frozen = Frozen {
            functions: self.functions,
            recorded: self.recorded,
            self_costs: self.self_costs,
            lines,
            line_costs,
            arcs,
            sites,
            call_costs,
            stated: self.stated,
            tree,
            sizes: self.sizes,
            code: self.code.map(|code| Box::new(code.finish())),
            contexts: self.contexts,
        };
        (frozen, over)
    }
}

/// Marks a free place in `first`; no function has this id.
const NOBODY: FunctionId = FunctionId(u32::MAX);

#[cfg(test)]
mod tests {
    use super::*;

    /// With `--split`, eleven bytes of input can create a body. All bodies together must take at
    /// most a hundred times that; their parts take memory, too.
    #[test]
    fn a_body_of_one_line_is_small() {
        let mut body = Body::default();
        let f = body.function(NameId::EMPTY, NameId::UNKNOWN, NameId::UNKNOWN);
        body.lines.add(f, NameId::UNKNOWN, 1, &[1]);
        assert_eq!(body.functions.capacity(), 1);
        let (body_size, frozen) = (size_of::<Body>(), size_of::<Frozen>());
        assert!(body_size <= 592 && frozen <= 336, "{body_size} {frozen}");
    }

    /// With `--split`, every part has a body, and all bodies share the names.
    #[test]
    fn a_body_is_no_larger_than_its_functions() {
        let mut body = Body::default();
        let mut function = |file, name| {
            (
                body.function(NameId::EMPTY, NameId(file), NameId(name)),
                body.first.len(),
            )
        };
        let far = 50_000;
        let (a, room) = function(1, far);
        assert!(room < 100, "{room}");
        let (b, _) = function(2, far);
        let all: Vec<FunctionId> = (2..far).map(|name| function(1, name).0).collect();
        assert_eq!(all, (2..far).map(FunctionId).collect::<Vec<_>>());
        let (c, room) = function(3, far);
        assert!(
            room > far as usize,
            "the table has grown beyond the name: {room}"
        );
        assert_eq!([a, b, c], [0, 1, far].map(FunctionId));
        assert_eq!([1, 2, 3].map(|file| function(file, far).0), [a, b, c]);
        assert_eq!(function(1, 7).0, all[5]);
    }
}

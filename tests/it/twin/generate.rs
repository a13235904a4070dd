//! Random but plausible profiles, and what they say: the generator knows every record it wrote, so
//! a reader can be compared with the truth and not only with another reader. One seed gives one
//! profile, everywhere and for ever.
use super::generate_text::trimmed;
use super::mutate::Rng;
use super::naive::{Function, Name, meant};
use std::collections::{BTreeMap, BTreeSet};

/// Caller, callee, and the file and line of the call.
pub(crate) type Site = (Function, Function, Name, u64);

/// What a generated profile says, in the recorded events.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Truth {
    pub(crate) events: Vec<Name>,
    pub(crate) parts: usize,
    pub(crate) totals: Vec<i64>,
    pub(crate) lines: BTreeMap<(Function, Name, u64), Vec<i64>>,

    pub(crate) calls: BTreeMap<Site, (u64, Vec<i64>)>,
    pub(crate) warnings: BTreeSet<(u64, &'static str)>,
}

pub(crate) fn profile(seed: u64) -> (Vec<u8>, Truth) {
    let (pieces, truth) = spelled(
        seed,
        seed,
        Spelling {
            plain: false,
            apart: false,
        },
    );
    (pieces.concat(), truth)
}

/// How a truth is written down.
#[derive(Clone, Copy)]
pub(crate) struct Spelling {
    /// Names without ids, positions absolute.
    pub(crate) plain: bool,
    /// Every part is a file of its own.
    pub(crate) apart: bool,
}

/// The truth that `seed` stands for, in the spelling that `spelling` stands for.
pub(crate) fn spelled(seed: u64, spelling: u64, how: Spelling) -> (Vec<Vec<u8>>, Truth) {
    let (mut rng, mut spell) = (Rng::new(seed), Rng::new(!spelling));
    let dialect = Dialect::choose(&mut rng, &mut spell, how);
    let functions = choose_functions(&mut rng, &dialect);
    let mut w = Writer::new((rng, spell), dialect, functions, how);
    if w.spell.one_in(8) {
        w.out.extend(b"\xef\xbb\xbf");
    }
    let parts = if w.rng.one_in(3) {
        1 + w.rng.below(4)
    } else {
        1
    };
    for part in 0..parts {
        w.part(part);
    }
    // Valgrind's writer ends every line.
    if w.spell.one_in(8) && !w.dialect.writer {
        w.out.pop();
    }
    w.finish()
}

/// How a producer names the files of its functions.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Files {
    Fl,
    /// lsprofcalltree writes `fi=` for `fl=`.
    FiForFl,
    Never,
}

/// The habits of one producer.
pub(crate) struct Dialect {
    /// creator `callgrind-...`: positions and files by the writer's rule.
    pub(crate) writer: bool,
    pub(crate) files: Files,
    pub(crate) compress: [bool; 3],
    pub(crate) relative: bool,
    pub(crate) fn_before_fl: bool,
    pub(crate) negative: bool,
    pub(crate) sloppy: bool,
    pub(crate) crlf: bool,
    /// Writes things that warn.
    pub(crate) odd: bool,
}

impl Dialect {
    fn choose(rng: &mut Rng, spell: &mut Rng, how: Spelling) -> Dialect {
        let writer = rng.one_in(2);
        let all = spell.one_in(2);
        let files = if writer {
            Files::Fl
        } else {
            rng.pick(&[Files::Fl, Files::Fl, Files::FiForFl, Files::Never])
        };
        Dialect {
            writer,
            files,
            compress: [(); 3].map(|_| !how.plain && (all || spell.one_in(2))),
            relative: !how.plain && !spell.one_in(4),
            fn_before_fl: !writer && files == Files::Fl && spell.one_in(3),
            negative: !writer && rng.one_in(3),
            sloppy: spell.one_in(3),
            crlf: spell.one_in(10),
            odd: rng.one_in(3),
        }
    }
}

const OBJECTS: [&[u8]; 4] = [b"", b"/bin/x", b"/lib/l.so.6", b"<0.33.0>"];
const FILES: [&[u8]; 8] = [
    b"a.c",
    b"/src/x/util.c",
    b"h.h",
    b"???",
    b"php:internal",
    b"C:\\w\\x.php",
    b"dir#1/a=b.c",
    b"src/\xc4\x8daj.rs",
];
const NAMES: [&[u8]; 19] = [
    b"main",
    b"fib",
    b"fib'2",
    b"fib'main",
    b"main'2'fib",
    b"(below main)",
    b"operator==",
    b"Fixnum#<=>",
    b"(12 foo",
    b"f:g/2 (a, b)",
    b"{main}",
    b"???",
    b"cl@anon\0/x.php:3$0->run",
    b"\xff\xfe <T as X>::f",
    // Long ones of several callers are stored by what they have in common.
    b"core::fmt::builders::DebugStruct::field_with::<app::trace>'<app::Order as core::fmt::Debug>::fmt::with_all_names",
    b"core::fmt::write::to_the_end'2'<app::Order as core::fmt::Debug>::fmt::with_all_names'app::main::with_arguments_of_a_shell",
    b"core::fmt::Formatter::pad_integral_with_all_there_is'core::fmt::write::to_the_end'2'<app::Order as core::fmt::Debug>::fmt::with_all_names'app::main::with_arguments_of_a_shell",
    b"'<app::Order as core::fmt::Debug>::fmt::with_all_names'core::fmt::write::with_no_arguments_and_much_more_to_say::in::length'",
    b"<app::Order as core::fmt::Debug>::fmt::with_all_names'app::main::with_arguments_of_a_shell",
];
const EVENTS: [&[u8]; 6] = [
    b"Ir",
    b"Dr",
    b"Time_(10ns)",
    b"cpu(ms)",
    b"D1mr",
    b"sysTime",
];

fn choose_functions(rng: &mut Rng, dialect: &Dialect) -> Vec<Function> {
    let mut functions = BTreeSet::new();
    for _ in 0..2 + rng.below(9) {
        let file = if dialect.files == Files::Never {
            b"???".to_vec()
        } else {
            rng.pick(&FILES).to_vec()
        };
        let (object, name) = (rng.pick(&OBJECTS).to_vec(), rng.pick(&NAMES).to_vec());
        functions.insert(Function { object, file, name });
    }
    functions.into_iter().collect()
}

pub(crate) type Position = (u64, u64, u64);

/// What a reader has understood so far; the same names as in the format notes.
#[derive(Default)]
pub(crate) struct State {
    pub(crate) object: Name,
    pub(crate) function_file: Name,
    pub(crate) file: Name,
    pub(crate) cfn: Option<Name>,
    pub(crate) base: Option<Position>,
    /// Writer rule: L.file, P, and whether P came after the last call or jump.
    pub(crate) l_file: Name,
    pub(crate) p: Option<Name>,
    pub(crate) fresh: bool,
}

pub(crate) struct Writer {
    /// What is said.
    pub(crate) rng: Rng,
    /// How it is said.
    pub(crate) spell: Rng,
    how: Spelling,
    /// Where the parts begin.
    starts: Vec<usize>,
    pub(crate) dialect: Dialect,
    pub(crate) functions: Vec<Function>,
    pub(crate) out: Vec<u8>,
    pub(crate) lines: u64,
    pub(crate) part: u64,
    pub(crate) ids: [BTreeMap<Name, u64>; 3],
    pub(crate) defined: [BTreeMap<u64, (Name, u64)>; 3],
    pub(crate) positions: Vec<&'static str>,
    pub(crate) events: Vec<Name>,
    pub(crate) state: State,
    pub(crate) sums: Vec<i64>,
    /// What all parts so far cost.
    costs: Vec<i64>,
    /// The name just made redefines an id; its line will warn.
    pub(crate) redefined: bool,
    pub(crate) truth: Truth,
}

impl Writer {
    fn new(
        (rng, spell): (Rng, Rng),
        dialect: Dialect,
        functions: Vec<Function>,
        how: Spelling,
    ) -> Writer {
        Writer {
            rng,
            spell,
            how,
            starts: Vec::new(),
            dialect,
            functions,
            out: Vec::new(),
            lines: 0,
            part: 0,
            ids: Default::default(),
            defined: Default::default(),
            positions: vec!["line"],
            events: Vec::new(),
            state: State::default(),
            sums: Vec::new(),
            costs: Vec::new(),
            redefined: false,
            truth: Truth::default(),
        }
    }

    // ---- parts ----

    fn part(&mut self, part: u64) {
        self.part = part;
        self.truth.parts += 1;
        // No function file yet: the first fl= is always written.
        self.state = State {
            file: b"???".to_vec(),
            ..State::default()
        };
        self.state.l_file = b"???".to_vec();
        self.starts.push(if part == 0 { 0 } else { self.out.len() });
        if self.how.apart {
            (self.ids, self.defined) = Default::default();
        }
        let mut header: Vec<Name> = Vec::new();
        let inherit = part > 0 && self.rng.one_in(2);
        if !inherit {
            self.choose_events();
        }
        if !inherit || self.how.apart {
            header.extend(self.events_lines());
        }
        self.sums = vec![0; self.truth.events.len()];
        if part == 0 || self.how.apart {
            let valgrind: &[u8] = b"creator: callgrind-3.19.0";
            header.push(if self.dialect.writer {
                valgrind.into()
            } else {
                b"creator:a profiler 2.9".to_vec()
            });
        }
        for line in [
            "version: 1",
            "pid: 77",
            "cmd:  ./x a=b",
            "desc: I1 cache: ",
            "thread:1",
        ] {
            // Callgrind's parts have one: there, callees are what they are named.
            if self.spell.one_in(2) || self.dialect.writer && line.starts_with("desc") {
                header.push(line.into());
            }
        }
        // Derived events are no part of the truth: they are arithmetic on it.
        for line in [
            "event: Ir : Instructions",
            "event: Sum = Ir + 2 Dr - D1mr : Weighted",
            "event: Two=2*Sum",
        ] {
            if self.spell.one_in(4) {
                header.push(line.into());
            }
        }
        self.spell.shuffle(&mut header);
        if part > 0 {
            // Only such a key ends the part before; until then its summary would be the old part's.
            header.insert(0, format!("part: {}", part + 1).into());
        }
        for (at, line) in header.into_iter().enumerate() {
            // A file must look like a profile from its first line on.
            if at > 0 {
                self.noise();
            }
            self.line(line);
        }
        let (with_summary, with_totals) = (self.rng.one_in(3), self.rng.one_in(2));
        let blocks = 1 + self.rng.below(6);
        // The sums are known at the end only, so a summary stands there too (Cachegrind's does).
        for _ in 0..blocks {
            self.block();
        }
        self.part_totals(with_summary, with_totals);
    }

    /// Events and columns; some names are new, some stay, in another order.
    fn choose_events(&mut self) {
        let mut names: Vec<Name> = EVENTS.iter().map(|e| e.to_vec()).collect();
        self.rng.shuffle(&mut names);
        names.truncate(1 + self.rng.below(4) as usize);
        for name in &names {
            if !self.truth.events.contains(name) {
                self.truth.events.push(name.clone());
            }
        }
        self.events = names;
        let columns: [&[&str]; 8] = [
            &["line"],
            &["line"],
            &["line"],
            &["instr", "line"],
            &["instr"],
            &["bb", "line"],
            &["instr", "bb", "line"],
            &[],
        ];
        self.positions = self.rng.pick(&columns).to_vec();
    }

    /// An `events:` and perhaps a `positions:` line.
    fn events_lines(&mut self) -> Vec<Name> {
        let blank = if self.spell.one_in(3) { "  " } else { " " };
        let events = [
            b"events: ".to_vec(),
            self.events.join(blank.as_bytes()),
            blank.into(),
        ]
        .concat();
        if self.positions == ["line"] && self.spell.one_in(2) {
            return vec![events];
        }
        vec![
            events,
            format!("positions: {}", self.positions.join(" ")).into(),
        ]
    }

    fn part_totals(&mut self, with_summary: bool, with_totals: bool) {
        let columns: Vec<usize> = self
            .events
            .iter()
            .map(|e| {
                self.truth
                    .events
                    .iter()
                    .position(|u| u == e)
                    .expect("a known event")
            })
            .collect();
        let (mut summary, mut totals) = (vec![0; columns.len()], vec![0; columns.len()]);
        if with_totals {
            totals = columns.iter().map(|c| self.sums[*c]).collect();
            if self.dialect.odd && self.rng.one_in(5) {
                totals[0] += 1;
                self.truth.warnings.insert((0, "totals-mismatch"));
            }
            self.line(format!("totals: {}", trimmed(&totals).join(" ")));
        }
        let summaries = if with_summary {
            1 + u64::from(self.dialect.odd && self.rng.one_in(4))
        } else {
            0
        };
        for again in 0..summaries {
            summary = columns
                .iter()
                .map(|c| self.sums[*c] + self.rng.below(3) as i64)
                .collect();
            self.line(format!("summary:{}", trimmed(&summary).join("\t")));
            if again > 0 {
                self.warn("second-summary");
            }
        }
        let mut base = self.sums.clone();
        for (column, (summary, total)) in columns.iter().zip(summary.iter().zip(&totals)) {
            let written = [*summary, *total].into_iter().find(|n| *n != 0);
            base[*column] = written.unwrap_or(base[*column]);
        }
        self.truth.totals.resize(base.len(), 0);
        for (sum, base) in self.truth.totals.iter_mut().zip(base) {
            *sum += base;
        }
        self.costs.resize(self.sums.len(), 0);
        for (sum, cost) in self.costs.iter_mut().zip(&self.sums) {
            *sum += cost;
        }
    }

    // ---- functions and their records ----

    fn block(&mut self) {
        let mut function = self.rng.pick(&self.functions);
        self.open(&function);
        if self.rng.one_in(20) {
            // A definition only; then the real one.
            function = self.rng.pick(&self.functions);
            self.open(&function);
        }
        let mut at: Position = (
            0x1000 + self.rng.below(0x8000),
            0x1000,
            1 + self.rng.below(300),
        );
        let mut started = false;
        for _ in 0..self.rng.below(7) {
            self.noise();
            at = (
                at.0 + self.rng.below(9),
                at.0,
                (at.2 + self.rng.below(12)).saturating_sub(self.rng.below(10)),
            );
            let mut file = function.file.clone();
            // Where fi= stands for fl=, one directly after fn= would move the function.
            let may_be_inlined =
                self.dialect.files == Files::Fl || self.dialect.files == Files::FiForFl && started;
            if may_be_inlined && self.rng.one_in(4) {
                file = self.rng.pick(&FILES).to_vec();
            }
            match self.rng.below(8) {
                0..=3 => self.self_cost(&function, file, at),
                4..=6 => self.call(&function, file, at),
                _ => {
                    if !self.positions.is_empty() {
                        self.jump(&function, file, at);
                    }
                    continue;
                }
            }
            started = true;
        }
        if !self.dialect.writer && self.dialect.sloppy && self.spell.one_in(6) {
            // Definitions only: the next function's calls must not see them.
            self.named("cob", 0, b"/nowhere");
            self.named("cfi", 1, b"nowhere.c");
            self.named("cfn", 2, b"nobody");
        }
        if self.dialect.odd && self.spell.one_in(12) {
            // A specification or the end follows, other than names of a caller of it.
            self.line("calls=3 5");
            self.warn("missing-call-cost");
            self.line("jfn=nobody");
        }
        if self.dialect.writer && self.state.p.is_some() && self.spell.one_in(2) {
            self.enter("fe", &function.file);
        }
    }

    fn open(&mut self, function: &Function) {
        self.noise();
        let object_changes = self.state.object != function.object;
        if object_changes || self.spell.one_in(6) {
            self.named("ob", 0, &function.object);
            self.state.object = function.object.clone();
        }
        let repeat = object_changes || self.spell.one_in(4);
        let file_line = match self.dialect.files {
            Files::Never => None,
            Files::FiForFl => Some("fi"),
            Files::Fl => (repeat || self.state.function_file != function.file).then_some("fl"),
        };
        let write_file = |w: &mut Writer| {
            if let Some(key) = file_line {
                w.named(key, 1, &function.file);
            }
        };
        if self.dialect.fn_before_fl {
            self.named("fn", 2, &function.name);
            write_file(self);
        } else {
            write_file(self);
            self.named("fn", 2, &function.name);
        }
        let s = &mut self.state;
        s.function_file = function.file.clone();
        (s.file, s.l_file) = (function.file.clone(), function.file.clone());
        (s.p, s.fresh, s.cfn) = (None, false, None);
        if self.dialect.writer {
            // Valgrind writes absolute positions until the first self line.
            s.base = None;
        }
    }

    /// fi= or fe=, which mean the same. Where fi= stands for fl= it moves the functions to come,
    /// too.
    fn enter(&mut self, key: &str, file: &[u8]) {
        self.named(key, 1, file);
        self.state.file = file.to_vec();
        (self.state.p, self.state.fresh) = (Some(file.to_vec()), true);
    }

    /// Makes `file` the one the next line of numbers stands in, with as few words as the producer
    /// would.
    fn enter_if_needed(&mut self, function: &Function, file: &[u8], is_self: bool) {
        let s = &self.state;
        let current = match (self.dialect.writer, &s.p) {
            (false, _) => &s.file,
            (true, Some(p)) if s.fresh || !is_self => p,
            (true, _) => &s.l_file,
        };
        if current != file || (self.dialect.files == Files::Fl && self.spell.one_in(15)) {
            self.enter(if file == function.file { "fe" } else { "fi" }, file);
        }
    }

    fn self_cost(&mut self, function: &Function, file: Name, at: Position) {
        self.enter_if_needed(function, &file, true);
        if !self.dialect.writer && self.dialect.sloppy && self.spell.one_in(12) {
            // Definitions only: the next call must not see them.
            self.named("cob", 0, b"/nowhere");
            self.named("cfn", 2, b"nobody");
            self.state.cfn = Some(b"nobody".to_vec());
        }
        if !self.dialect.writer && self.spell.one_in(25) {
            // The object of functions to come; this one keeps its own, and so do its callees.
            self.named("ob", 0, b"/lib/other.so");
            self.state.object = b"/lib/other.so".to_vec();
        }
        let row = self.cost();
        self.numbers(at, Some(&row), true);
        for (sum, cost) in self.sums.iter_mut().zip(&row) {
            *sum += cost;
        }
        let line = self.source_line(at);
        add(
            self.truth
                .lines
                .entry((function.clone(), file.clone(), line))
                .or_default(),
            &row,
        );
        (self.state.l_file, self.state.p, self.state.fresh) = (file, None, false);
    }

    fn call(&mut self, caller: &Function, file: Name, at: Position) {
        self.enter_if_needed(caller, &file, false);
        let callee = self.rng.pick(&self.functions);
        let default = if self.dialect.writer {
            self.state.l_file.clone()
        } else {
            self.state.file.clone()
        };
        let mut specs = Vec::new();
        if callee.object != caller.object || self.spell.one_in(6) {
            specs.push(("cob", 0, callee.object.clone()));
        }
        if callee.file != default || self.spell.one_in(6) {
            specs.push((
                self.spell.pick(&["cfi", "cfi", "cfl"]),
                1,
                callee.file.clone(),
            ));
        }
        if self.state.cfn.as_ref() != Some(&callee.name)
            || self.dialect.writer
            || self.spell.one_in(2)
        {
            specs.push(("cfn", 2, callee.name.clone()));
        }
        if !self.dialect.writer {
            self.spell.shuffle(&mut specs);
        }
        for (key, table, name) in specs {
            self.named(key, table, &name);
        }
        self.state.cfn = Some(callee.name.clone());
        let count = match self.rng.below(6) {
            0 => 0,
            1 => self.rng.below(1 << 40),
            _ => 1 + self.rng.below(20),
        };
        let target = if self.positions.is_empty() || self.spell.one_in(4) {
            String::new()
        } else {
            self.target(at)
        };
        let key = if caller == &callee && self.spell.one_in(4) {
            "rcalls"
        } else {
            "calls"
        };
        let count_text = self.number(count, false);
        self.line(format!("{key}={count_text} {target}"));
        self.noise();
        let row = self.cost();
        self.numbers(at, Some(&row), false);
        let line = self.source_line(at);
        let call = self
            .truth
            .calls
            .entry((caller.clone(), callee, file, line))
            .or_default();
        call.0 += count;
        add(&mut call.1, &row);
        self.state.fresh = false;
    }

    fn jump(&mut self, function: &Function, file: Name, at: Position) {
        self.enter_if_needed(function, &file, false);
        if self.spell.one_in(4) {
            let (file, name) = (self.spell.pick(&FILES), self.spell.pick(&NAMES));
            self.named("jfi", 1, file);
            self.named("jfn", 2, name);
        }
        let (target, executed) = (self.target(at), 1 + self.spell.below(50));
        let line = match self.spell.below(3) {
            0 => format!("jump={executed} {target}"),
            1 => format!("jcnd={}/{executed} {target}", self.spell.below(executed)),
            _ => format!("jcnd={executed} {} {target}", self.spell.below(executed)),
        };
        self.line(line);
        self.numbers(at, None, false);
        self.state.fresh = false;
    }

    /// Other writers' callees without a block may be other functions.
    fn find_callees(&mut self) {
        let callers = self.truth.calls.keys().map(|(caller, ..)| caller);
        let blocks = callers
            .chain(self.truth.lines.keys().map(|(function, ..)| function))
            .cloned()
            .collect();
        let calls = self.truth.calls.keys();
        let in_any_object = calls
            .filter(|(from, to, ..)| from.object == to.object)
            .map(|(_, to, ..)| to.clone())
            .collect();
        for ((caller, callee, file, line), (count, cost)) in std::mem::take(&mut self.truth.calls) {
            let callee = meant(&callee, &in_any_object, &blocks)
                .cloned()
                .unwrap_or(callee);
            let call = self
                .truth
                .calls
                .entry((caller, callee, file, line))
                .or_default();
            call.0 += count;
            add(&mut call.1, &cost);
        }
    }

    fn finish(mut self) -> (Vec<Vec<u8>>, Truth) {
        let events = self.truth.events.len();
        self.truth.totals.resize(events, 0);
        // What parts state can cancel; a total of 0 is none beside costs.
        for (total, cost) in self
            .truth
            .totals
            .iter_mut()
            .zip(&self.costs)
            .filter(|(total, _)| **total == 0)
        {
            *total = *cost;
        }
        self.truth
            .lines
            .values_mut()
            .for_each(|row| row.resize(events, 0));
        self.truth
            .calls
            .values_mut()
            .for_each(|call| call.1.resize(events, 0));
        if !self.dialect.writer {
            self.find_callees();
        }
        let ends = self.starts.iter().skip(1).copied().chain([self.out.len()]);
        let pieces = self
            .starts
            .iter()
            .zip(ends)
            .map(|(&start, end)| self.out[start..end].to_vec());
        (pieces.collect(), self.truth)
    }
}

fn add(sum: &mut Vec<i64>, row: &[i64]) {
    sum.resize(sum.len().max(row.len()), 0);
    sum.iter_mut().zip(row).for_each(|(sum, cost)| *sum += cost);
}

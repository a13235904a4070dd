//! The naive twin of the profile reader: one uncompressed Callgrind or Cachegrind profile, read the
//! slow and obvious way, to compare the real reader with. Two passes: first the lines are sorted
//! into parts and each part's header is read (so the order of header keys cannot matter), then the
//! lines are interpreted in order. Every rule of the format notes is one function here; quotes in
//! comments are from those notes. The siblings hold what is no part of reading in order:
//! `naive_lines` (first pass), `naive_names`, `naive_totals`, `naive_analysis`. It owns all names,
//! looks everything up by name, and shares no code with the reader it checks.
use super::naive_analysis::{derived_events, inclusive_costs};
use super::naive_lines::*;
use super::naive_names::Table;
use super::naive_totals::{Base, has_high_summary, lacks_totals};
use std::collections::{BTreeMap, BTreeSet};

pub(crate) type Name = Vec<u8>;

/// "Function identity = (ob, fl-file, name)."
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Function {
    pub(crate) object: Name,
    pub(crate) file: Name,
    pub(crate) name: Name,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Cost {
    pub(crate) self_cost: Vec<i64>,
    pub(crate) inclusive: Vec<i64>,
    pub(crate) called: u64,
    /// Index into `Profile::cycles`.
    pub(crate) cycle: Option<usize>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Call {
    pub(crate) count: u64,
    pub(crate) inclusive: Vec<i64>,
    pub(crate) sites: BTreeMap<(Name, u64), (u64, Vec<i64>)>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Cycle {
    pub(crate) members: Vec<Function>,
    pub(crate) self_cost: Vec<i64>,
    pub(crate) inclusive: Vec<i64>,
}

/// Cost rows have one number an event: the recorded events, then those derived in the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Profile {
    pub(crate) events: Vec<Name>,
    pub(crate) recorded: usize,
    pub(crate) totals: Vec<i64>,
    pub(crate) totals_source: &'static str,
    pub(crate) parts: usize,
    pub(crate) functions: BTreeMap<Function, Cost>,
    pub(crate) lines: BTreeMap<(Function, Name, u64), Vec<i64>>,
    /// The first line of a cost or call that is known, of each function in each file; 0 if none is.
    pub(crate) firsts: BTreeMap<(Function, Name), u64>,
    pub(crate) calls: BTreeMap<(Function, Function), Call>,
    pub(crate) cycles: Vec<Cycle>,
    /// (line, kind), at most once each; line 0 is "no line in particular".
    pub(crate) warnings: BTreeSet<(u64, &'static str)>,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fatal {
    pub(crate) line: u64,
    pub(crate) message: String,
}

const UNKNOWN: &[u8] = b"???";

/// The limits of a count; -2^63 is none, it marks a count that was never written.
pub(crate) const LEAST: i128 = -(i64::MAX as i128);
pub(crate) const MOST: i128 = i64::MAX as i128;

/// What the next line of numbers is.
pub(crate) enum Pending {
    Nothing,
    /// `late` if names of the caller stand behind it.
    Call {
        count: u64,
        line: u64,
        late: bool,
    },
    Jump,
}

/// "Context (ob, file, fn, numeric base) resets at a part."
pub(crate) struct Context {
    object: Name,
    fl_seen: bool,
    function_file: Name,
    file: Name,
    function: Option<Function>,
    /// A cost was seen since `fn=`.
    started: bool,
    base: Vec<i128>,
    cob: Option<Name>,
    cfi: Option<Name>,
    cfn: Option<Name>,
    pending: Pending,
    /// The writer rule's L.file, P, and whether P came after the last call or jump record.
    last_self_file: Name,
    p: Option<Name>,
    p_is_fresh: bool,
    pub(crate) summary: Option<Vec<i64>>,
    pub(crate) totals: Option<Vec<i64>>,
    pub(crate) computed: Vec<i128>,
}

pub(crate) fn read(bytes: &[u8]) -> Result<Profile, Fatal> {
    // Callgrind ends every part with `totals:` and every line with a line feed.
    let whole_lines = bytes
        .iter()
        .rposition(|b| *b == b'\n')
        .map_or(0, |at| at + 1);
    let last = &bytes[whole_lines..];
    if !last.is_empty()
        && !last.starts_with(b"totals:")
        && let Ok((mut profile, Unfinished(true))) = read_lines(&bytes[..whole_lines])
    {
        profile.warnings.retain(|(_, kind)| *kind != "truncated");
        profile
            .warnings
            .insert((split_lines_count(&bytes[..whole_lines]), "truncated"));
        return Ok(profile);
    }
    read_lines(bytes).map(|(profile, _)| profile)
}

/// Whether the last part is one of Callgrind's whose `totals:` is still to come.
struct Unfinished(bool);

fn read_lines(bytes: &[u8]) -> Result<(Profile, Unfinished), Fatal> {
    if bytes.is_empty() {
        return fatal(0, "the file is empty");
    }
    let parts = split_parts(split_lines(bytes));
    let headers = read_headers(&parts);
    let columns = union_of_events(&parts);
    let mut reader = Reader {
        columns,
        cachegrind: is_cachegrind(bytes),
        ..Reader::default()
    };
    let mut base = Base::new(reader.columns.len());
    let (mut unfinished, mut by_valgrind) = (false, false);
    for (number, (part, header)) in parts.iter().zip(&headers).enumerate() {
        reader.part = number;
        let context = reader.read_part(part, header)?;
        // Half a number is another one.
        let last = bytes
            .rsplit(|b| *b == b'\n')
            .next()
            .unwrap_or_default()
            .trim_ascii();
        let is_half = number + 1 == parts.len() && !last.is_empty() && !last.starts_with(b"#");
        let mismatch = if is_half {
            (split_lines_count(bytes), "truncated")
        } else {
            (0, "totals-mismatch")
        };
        base.add_part(&context, &mut reader, mismatch);
        if header.writer_rule && has_high_summary(&context, &reader.columns) {
            reader.warn(0, "totals-mismatch");
        }
        let by_hand = header.writer_rule && !header.callgrind;
        // Who poses as Callgrind needs no `totals:` where the lines add up.
        let adds_up = context.summary.as_ref().is_some_and(|stated| {
            stated
                .iter()
                .zip(&context.computed)
                .all(|(stated, sum)| i128::from(*stated) == *sum)
        });
        let is_cut = lacks_totals(part, header, &context) && !(by_hand && adds_up);
        unfinished = is_cut
            && !by_hand
            && part
                .iter()
                .any(|(_, kind)| matches!(kind, Kind::Spec(..) | Kind::Numbers(_)));
        by_valgrind |= header.xtree || header.callgrind;
        if is_cut && !(by_hand && context.computed.iter().all(|sum| *sum == 0)) {
            let end = parts
                .get(number + 1)
                .map_or(split_lines_count(bytes), |next| next[0].0 - 1);
            reader.warn(end, "truncated");
        }
    }
    if reader.columns.is_empty() {
        return fatal(split_lines_count(bytes), "no events: line");
    }
    if !by_valgrind {
        reader.find_callees();
    }
    Ok((reader.finish(parts.len(), base)?, Unfinished(unfinished)))
}

/// The number of the last line.
fn split_lines_count(bytes: &[u8]) -> u64 {
    bytes
        .strip_suffix(b"\n")
        .unwrap_or(bytes)
        .split(|b| *b == b'\n')
        .count() as u64
}

fn fatal<T>(line: u64, message: &str) -> Result<T, Fatal> {
    Err(Fatal {
        line,
        message: message.into(),
    })
}

// ---- the second pass ----

#[derive(Default)]
pub(crate) struct Reader {
    pub(crate) part: usize,
    columns: Vec<(Name, usize)>,
    /// Whether `fl=` ends a function.
    cachegrind: bool,
    /// "Id tables must survive part boundaries and be redefinable." With the part of the
    /// definition.
    pub(crate) ids: BTreeMap<(Table, String), (Name, usize)>,
    pub(crate) undefined: BTreeSet<(Table, String)>,
    formulas: Vec<(Name, Option<Vec<u8>>)>,
    /// Functions with lines of their own.
    blocks: BTreeSet<Function>,
    profile: Profile,
}

impl Reader {
    pub(crate) fn warn(&mut self, line: u64, kind: &'static str) {
        self.profile.warnings.insert((line, kind));
    }

    fn read_part(&mut self, part: &[Line], header: &Header) -> Result<Context, Fatal> {
        let mut c = Context {
            object: Name::new(),
            fl_seen: false,
            function_file: UNKNOWN.into(),
            file: UNKNOWN.into(),
            function: None,
            started: false,
            base: vec![0; header.positions.len()],
            cob: None,
            cfi: None,
            cfn: None,
            pending: Pending::Nothing,
            last_self_file: UNKNOWN.into(),
            p: None,
            p_is_fresh: false,
            summary: None,
            totals: None,
            computed: vec![0; self.columns.len()],
        };
        for (number, kind) in part {
            match kind {
                Kind::Header(key, value) => self.header(&mut c, header, *number, key, value)?,
                Kind::Spec(key, value) => self.spec(&mut c, header, *number, key, value),
                Kind::Ignored(key, value) => self.ignored(*number, key, value),
                Kind::Numbers(words) => self.numbers(&mut c, header, *number, words)?,
                Kind::Unknown(warning) => self.warn(*number, warning),
            }
        }
        self.drop_pending(&mut c);
        Ok(c)
    }

    fn header(
        &mut self,
        c: &mut Context,
        h: &Header,
        line: u64,
        key: &str,
        value: &[u8],
    ) -> Result<(), Fatal> {
        match key {
            // "A rejects major >= 2"; "accept major version 0 or 1, any minor".
            "version" => match whole(value.split(|b| *b == b'.').next().unwrap_or_default()) {
                None => self.warn(line, "malformed-line"),
                Some(0 | 1) => {}
                Some(_) => return fatal(line, "unsupported version"),
            },
            "positions" if columns_of(value).is_none() => self.warn(line, "malformed-line"),
            "events" => {
                if value.is_empty() {
                    return fatal(line, "no event");
                }
                let events: Vec<Name> = words(value).into_iter().map(Name::from).collect();
                if numbered(&events).iter().any(|(_, before)| *before > 0) {
                    self.warn(line, "duplicate-event");
                }
            }
            "event" => self.event(line, value),
            "summary" => {
                if c.summary.is_some() {
                    self.warn(line, "second-summary");
                }
                c.summary = Some(self.summary(h, line, &words(value))?);
            }
            "totals" => {
                if c.totals.is_some() {
                    self.warn(line, "second-summary");
                }
                c.totals = Some(self.counts(h, line, &words(value))?);
            }
            _ => {}
        }
        Ok(())
    }

    /// `event: NAME [= formula] [: long name]`; the formula is kept for the end of the file.
    fn event(&mut self, line: u64, value: &[u8]) {
        let end = value
            .iter()
            .position(|b| is_blank(b) || b"=:".contains(b))
            .unwrap_or(value.len());
        let (name, rest) = (value[..end].to_vec(), trim(&value[end..]));
        // What follows without any sign is a long name.
        let is_long_name = !value.iter().any(|b| b"=:".contains(b));
        if name.is_empty() || !(rest.is_empty() || is_long_name || b"=:".contains(&rest[0])) {
            return self.warn(line, "malformed-line");
        }
        let formula = rest.strip_prefix(b"=").map(|rest| {
            rest.split(|b| *b == b':')
                .next()
                .unwrap_or_default()
                .to_vec()
        });
        match self.formulas.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = old.take().or(formula),
            None => self.formulas.push((name, formula)),
        }
    }

    /// "0..E costs, missing = 0, more than E: fatal with line number." "A count that is not an
    /// integer (a decimal, garbage) is a warning that names the line, and counts as 0": a decimal
    /// alone, garbage with what follows it, which may stand in any column (071). In columns of the
    /// union. Callgrind writes sums below zero modulo 2^64: one warning, and the limit stands for
    /// each.
    fn summary(&mut self, header: &Header, line: u64, words: &[&[u8]]) -> Result<Vec<i64>, Fatal> {
        let is_negative = |word: &&[u8]| {
            header.writer_rule
                && integer(word).is_some_and(|count| count > MOST && count <= u64::MAX.into())
        };
        if words.iter().any(is_negative) {
            self.warn(line, "negative-summary");
        }
        let most = MOST.to_string();
        let words: Vec<&[u8]> = words
            .iter()
            .map(|word| {
                if is_negative(word) {
                    most.as_bytes()
                } else {
                    word
                }
            })
            .collect();
        self.counts(header, line, &words)
    }

    fn counts(&mut self, header: &Header, line: u64, words: &[&[u8]]) -> Result<Vec<i64>, Fatal> {
        let events = numbered(&header.events);
        let mut counts = vec![0; self.columns.len()];
        if words.len() > events.len() {
            return fatal(line, "too many counts");
        }
        for (event, word) in events.iter().zip(words) {
            if *word == b"." {
                continue;
            }
            let column = self
                .columns
                .iter()
                .position(|c| c == event)
                .expect("the union has every event");
            match integer(word) {
                Some(count) => counts[column] = self.clamp(line, count),
                None => self.warn(line, "bad-count"),
            }
            let decimal = String::from_utf8_lossy(word)
                .parse::<f64>()
                .is_ok_and(f64::is_finite);
            if integer(word).is_none() && !decimal {
                break;
            }
        }
        Ok(counts)
    }

    /// "A count or a sum outside that range saturates, with one warning that names the line."
    pub(crate) fn clamp(&mut self, line: u64, value: i128) -> i64 {
        let clamped = value.clamp(LEAST, MOST);
        if clamped != value {
            self.warn(line, "saturated");
        }
        clamped as i64
    }

    fn clamp_u64(&mut self, line: u64, value: i128) -> u64 {
        let clamped = value.clamp(0, u64::MAX.into());
        if clamped != value {
            self.warn(line, "saturated");
        }
        clamped as u64
    }

    // ---- position specifications ----

    fn spec(&mut self, c: &mut Context, h: &Header, line: u64, key: &str, value: &[u8]) {
        // Some writers name the caller, with its file, between `calls=` and its cost.
        match &mut c.pending {
            Pending::Call { late, .. }
                if !h.callgrind && ["ob", "fl", "fi", "fe"].contains(&key) =>
            {
                *late = true
            }
            Pending::Call { late: true, .. } if key == "fn" => {}
            _ => self.drop_pending(c),
        }
        match key {
            // "ob= alone keeps the current function."
            "ob" => c.object = self.name(Table::Objects, line, value),
            "fl" => {
                let file = self.name(Table::Files, line, value);
                c.set_function_file(file);
                c.fl_seen = true;
                if self.cachegrind && (c.started || c.function.is_none()) {
                    c.open_function(b"<unspecified>".to_vec());
                    c.file = c.function_file.clone();
                    (c.last_self_file, c.p, c.p_is_fresh) = (c.file.clone(), None, false);
                }
            }
            "fi" | "fe" => {
                let file = self.name(Table::Files, line, value);
                // "If no fl= so far treat fi/fe as fl."
                match c.fl_seen {
                    false => c.set_function_file(file),
                    true => c.set_current_file(file),
                }
            }
            "fn" => {
                let name = self.name(Table::Functions, line, value);
                c.open_function(name);
                // "fn= resets current file to the fl file." "Keep cfn for further calls=; clear at
                // fn=."
                c.file = c.function_file.clone();
                (c.last_self_file, c.p, c.p_is_fresh) = (c.file.clone(), None, false);
                if !matches!(c.pending, Pending::Call { .. }) {
                    (c.cob, c.cfi, c.cfn) = (None, None, None);
                }
            }
            "cob" => c.cob = Some(self.name(Table::Objects, line, value)),
            "cfi" | "cfl" => c.cfi = Some(self.name(Table::Files, line, value)),
            "cfn" => c.cfn = Some(self.name(Table::Functions, line, value)),
            "jfi" => drop(self.name(Table::Files, line, value)),
            "jfn" => drop(self.name(Table::Functions, line, value)),
            "calls" | "rcalls" => {
                let count = self.call_count(line, value);
                c.pending = Pending::Call {
                    count,
                    line,
                    late: false,
                };
            }
            _ if is_jump(key, value) => c.pending = Pending::Jump,
            _ => self.warn(line, "malformed-line"),
        }
    }

    /// "`calls=N [targets]`: target optional, surplus numbers ignored, hex legal."
    fn call_count(&mut self, line: u64, value: &[u8]) -> u64 {
        match words(value).first().and_then(|word| whole(word)) {
            Some(count) => self.clamp_u64(line, count),
            None => {
                self.warn(line, "bad-count");
                0
            }
        }
    }

    /// "No cost line follows (EOF, other spec line): warn, drop."
    fn drop_pending(&mut self, c: &mut Context) {
        if let Pending::Call { line, .. } = c.pending {
            self.warn(line, "missing-call-cost");
            (c.cob, c.cfi) = (None, None);
        }
        c.pending = Pending::Nothing;
    }

    // ---- lines of numbers ----

    fn numbers(
        &mut self,
        c: &mut Context,
        h: &Header,
        line: u64,
        words: &[&[u8]],
    ) -> Result<(), Fatal> {
        let Some((position, source_line)) = self.position(c, h, line, words) else {
            self.warn(line, "malformed-line");
            return Ok(());
        };
        if h.events.is_empty() {
            return fatal(line, "no events: line before data");
        }
        let counts = &words[h.positions.len()..];
        let mut pending = std::mem::replace(&mut c.pending, Pending::Nothing);
        if matches!(pending, Pending::Jump) && !counts.is_empty() {
            pending = Pending::Nothing;
        }
        // Spec rule: every line of numbers updates the base. Writer rule: "only self cost lines
        // update L".
        if !h.writer_rule || matches!(pending, Pending::Nothing) {
            c.base = position;
        }
        match pending {
            // "Source position line (no cost)."
            Pending::Jump => c.p_is_fresh = false,
            Pending::Call { count, .. } => {
                let cost = self.counts(h, line, counts)?;
                self.call(c, h, line, source_line, count, cost);
            }
            Pending::Nothing => {
                let cost = self.counts(h, line, counts)?;
                self.self_cost(c, h, line, source_line, cost);
            }
        }
        Ok(())
    }

    /// The subpositions of a line, and which source line they say; None if one is missing or
    /// malformed.
    fn position(
        &mut self,
        c: &Context,
        h: &Header,
        line: u64,
        words: &[&[u8]],
    ) -> Option<(Vec<i128>, u64)> {
        let words = words.get(..h.positions.len())?;
        let parsed = words
            .iter()
            .map(|word| subposition(word))
            .collect::<Option<Vec<_>>>()?;
        let (mut position, mut source_line) = (Vec::new(), 0);
        for (column, parsed) in parsed.into_iter().enumerate() {
            let value = match parsed {
                Subposition::Absolute(value) => value,
                Subposition::Relative(delta) => c.base[column].saturating_add(delta),
            };
            if h.positions[column] == Column::Line {
                // "Negative line: clamp to 0, warn."
                if value < 0 {
                    self.warn(line, "negative-line");
                }
                source_line = self.clamp(line, value.max(0)) as u64;
                position.push(source_line.into());
            } else {
                position.push(value);
            }
        }
        Some((position, source_line))
    }

    /// "Cost before any fn=: unknown function + warning", as if `fn=` stood before the first such
    /// line.
    fn function(&mut self, c: &mut Context, line: u64) -> Function {
        if c.function.is_none() {
            self.warn(line, "cost-before-function");
            c.open_function(UNKNOWN.into());
        }
        c.started = true;
        let function = c.function.clone().expect("just opened");
        self.blocks.insert(function.clone());
        function
    }

    fn self_cost(
        &mut self,
        c: &mut Context,
        h: &Header,
        line: u64,
        source_line: u64,
        cost: Vec<i64>,
    ) {
        let function = self.function(c, line);
        // Writer rule 3: "file = P if the fi/fe came after the last call/jump record, else L.file".
        let file = match (h.writer_rule, c.p.take()) {
            (false, _) => c.file.clone(),
            (true, Some(p)) if c.p_is_fresh => p,
            (true, _) => c.last_self_file.clone(),
        };
        (c.last_self_file, c.p_is_fresh) = (file.clone(), false);
        // "Forget pending cob/cfi at the next self line."
        (c.cob, c.cfi) = (None, None);
        for (sum, cost) in c.computed.iter_mut().zip(&cost) {
            *sum += i128::from(*cost);
        }
        let full = self.add_self(&function, &cost);
        self.stand_at(&function, &file, source_line);
        let at_line = self.profile.lines.entry((function, file, source_line));
        if full | add(at_line.or_insert(vec![0; cost.len()]), &cost) {
            self.warn(line, "saturated");
        }
    }

    fn call(
        &mut self,
        c: &mut Context,
        h: &Header,
        line: u64,
        source_line: u64,
        count: u64,
        cost: Vec<i64>,
    ) {
        let caller = self.function(c, line);
        // Writer rule 2: "source file = P if set else L.file. Callee default file (no cfi) =
        // L.file." Spec rule: both are the current file.
        let (file, callee_file) = match h.writer_rule {
            true => (
                c.p.clone().unwrap_or(c.last_self_file.clone()),
                c.last_self_file.clone(),
            ),
            false => (c.file.clone(), c.file.clone()),
        };
        c.p_is_fresh = false;
        let name = c.cfn.clone().unwrap_or_else(|| {
            self.warn(line, "call-without-callee");
            UNKNOWN.into()
        });
        // "Keep all three pending, resolve at the cost line, clear cob/cfi then."
        let callee = Function {
            object: c.cob.take().unwrap_or(caller.object.clone()),
            file: c.cfi.take().unwrap_or(callee_file),
            name,
        };
        let zero = vec![0; cost.len()];
        self.add_self(&caller, &zero);
        self.add_self(&callee, &zero);
        self.stand_at(&caller, &file, source_line);
        let new = Call {
            count: 0,
            inclusive: zero.clone(),
            sites: BTreeMap::new(),
        };
        let arc = self.profile.calls.entry((caller, callee)).or_insert(new);
        let site = arc.sites.entry((file, source_line)).or_insert((0, zero));
        let full = add(&mut arc.inclusive, &cost) | add(&mut site.1, &cost);
        if full | add_count(&mut arc.count, count) | add_count(&mut site.0, count) {
            self.warn(line, "saturated");
        }
    }

    fn stand_at(&mut self, function: &Function, file: &Name, source_line: u64) {
        let first = self
            .profile
            .firsts
            .entry((function.clone(), file.clone()))
            .or_default();
        *first = if *first == 0 { source_line } else { *first };
    }

    fn add_self(&mut self, function: &Function, cost: &[i64]) -> bool {
        let new = Cost {
            self_cost: vec![0; cost.len()],
            ..Cost::default()
        };
        add(
            &mut self
                .profile
                .functions
                .entry(function.clone())
                .or_insert(new)
                .self_cost,
            cost,
        )
    }

    fn find_callees(&mut self) {
        let calls = self.profile.calls.keys();
        let in_any_object = calls
            .filter(|(from, to)| from.object == to.object)
            .map(|(_, to)| to.clone())
            .collect();
        for ((caller, callee), call) in std::mem::take(&mut self.profile.calls) {
            let meant = meant(&callee, &in_any_object, &self.blocks)
                .cloned()
                .unwrap_or(callee.clone());
            if meant != callee {
                self.profile.functions.remove(&callee);
            }
            let sum = self.profile.calls.entry((caller, meant)).or_default();
            sum.inclusive.resize(call.inclusive.len(), 0);
            add(&mut sum.inclusive, &call.inclusive);
            add_count(&mut sum.count, call.count);
            for (place, (count, cost)) in call.sites {
                let site = sum.sites.entry(place).or_insert((0, vec![0; cost.len()]));
                add_count(&mut site.0, count);
                add(&mut site.1, &cost);
            }
        }
    }

    fn finish(mut self, parts: usize, base: Base) -> Result<Profile, Fatal> {
        self.profile.parts = parts;
        self.profile.recorded = self.columns.len();
        self.profile.events = self.columns.iter().map(|(name, _)| name.clone()).collect();
        self.profile.totals = base.totals().map(|sum| self.clamp(0, sum)).collect();
        self.profile.totals_source = base.source();
        inclusive_costs(&mut self.profile);
        derived_events(&mut self.profile, &self.formulas);
        Ok(self.profile)
    }
}

impl Context {
    /// "Function identity = (ob, fl-file, name)", all as they are at fn=.
    fn open_function(&mut self, name: Name) {
        self.function = Some(Function {
            object: self.object.clone(),
            file: self.function_file.clone(),
            name,
        });
        self.started = false;
    }

    /// "fl= sets function file and current file." "fl= directly after fn= re-homes the function;
    /// fl= later in a function acts like fi."
    fn set_function_file(&mut self, file: Name) {
        self.function_file = file.clone();
        if self.started {
            return self.set_current_file(file);
        }
        if let Some(function) = &mut self.function {
            function.file = file.clone();
        }
        (self.last_self_file, self.p, self.p_is_fresh) = (file.clone(), None, false);
        self.file = file;
    }

    /// "fi=/fe= set the current file only; fe is not special."
    fn set_current_file(&mut self, file: Name) {
        self.file = file.clone();
        (self.p, self.p_is_fresh) = (Some(file), true);
    }
}

/// The function that a callee without a block is: the one that has a block, the same name and the
/// same file, in any object if any call comes from the object that it is said to be in. A path is
/// the same as one that it is the end of, or that is the end of it.
pub(crate) fn meant<'f>(
    callee: &Function,
    in_any_object: &BTreeSet<Function>,
    blocks: &'f BTreeSet<Function>,
) -> Option<&'f Function> {
    let names = |path: &Name| -> Vec<Name> {
        path.split(|b| *b == b'/')
            .filter(|name| *name != b".")
            .map(Name::from)
            .collect()
    };
    let file = names(&callee.file);
    let is_same = |of: &Name| names(of).ends_with(&file) || file.ends_with(&names(of));
    if blocks.contains(callee) || callee.name == UNKNOWN {
        return None;
    }
    let found: Vec<_> = blocks
        .iter()
        .filter(|f| f.name == callee.name && is_same(&f.file))
        .collect();
    let [meant] = found[..] else { return None };
    (meant.object == callee.object || in_any_object.contains(callee)).then_some(meant)
}

/// Adds a row, saturating; true if that lost something.
fn add(row: &mut [i64], cost: &[i64]) -> bool {
    let mut full = false;
    for (sum, cost) in row.iter_mut().zip(cost) {
        let exact = i128::from(*sum) + i128::from(*cost);
        *sum = exact.clamp(LEAST, MOST) as i64;
        full |= i128::from(*sum) != exact;
    }
    full
}

fn add_count(sum: &mut u64, count: u64) -> bool {
    let full = sum.checked_add(count).is_none();
    *sum = sum.saturating_add(count);
    full
}

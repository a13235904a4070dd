//! The first half of the naive twin: lines, parts, part headers, words and numbers, as the format
//! notes say.
use super::naive::Name;
use std::collections::BTreeSet;

const STARTS_A_PART: [&str; 9] = [
    "version",
    "creator",
    "pid",
    "cmd",
    "part",
    "thread",
    "positions",
    "events",
    "separator",
];
const NEVER_STARTS_A_PART: [&str; 6] = [
    "summary",
    "totals",
    "desc",
    "event",
    "arch",
    "timeframe (BB)",
];
const BODY: [&str; 15] = [
    "ob", "fl", "fi", "fe", "fn", "cob", "cfi", "cfl", "cfn", "calls", "rcalls", "jump", "jcnd",
    "jfi", "jfn",
];
const IGNORED: [&str; 5] = ["frfn", "rec", "bb", "ln", "mp"];

/// What one line is; words and values without surrounding blanks.
#[derive(Clone)]
pub(crate) enum Kind<'a> {
    Header(&'static str, &'a [u8]),
    Spec(&'static str, &'a [u8]),
    Ignored(&'static str, &'a [u8]),
    Numbers(Vec<&'a [u8]>),
    Unknown(&'static str),
}

pub(crate) type Line<'a> = (u64, Kind<'a>);

#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Column {
    Address,
    Line,
}

#[derive(Clone)]
pub(crate) struct Header {
    pub(crate) events: Vec<Name>,
    pub(crate) positions: Vec<Column>,
    pub(crate) writer_rule: bool,
    /// Written by Callgrind, which describes every part.
    pub(crate) callgrind: bool,
    /// Written by Valgrind for `--xtree-memory`, which always ends with `totals:`.
    pub(crate) xtree: bool,
}

// ---- lines and parts ----

/// "Line = bytes up to LF; strip trailing CR, skip UTF-8 BOM; last line may lack LF."
/// Blank lines and comments are left out.
pub(crate) fn split_lines(bytes: &[u8]) -> Vec<Line<'_>> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut lines = Vec::new();
    for (index, line) in bytes.split(|b| *b == b'\n').enumerate() {
        let mut line = line;
        while let Some(shorter) = line.strip_suffix(b"\r") {
            line = shorter;
        }
        let line = trim(line);
        if !line.is_empty() && line[0] != b'#' {
            lines.push((index as u64 + 1, classify(line)));
        }
    }
    lines
}

pub(crate) fn classify(line: &[u8]) -> Kind<'_> {
    // Xdebug's separator of runs appended to one file.
    if line.starts_with(b"==== NEW PROFILING FILE") {
        return Kind::Header("separator", b"");
    }
    if line[0].is_ascii_digit() || b"+-*".contains(&line[0]) {
        // "A trailing `# asm` on cost lines is still produced: tolerate on cost lines only."
        let numbers: Vec<_> = words(line)
            .into_iter()
            .take_while(|word| word[0] != b'#')
            .collect();
        return match subposition(numbers[0]) {
            None => Kind::Unknown("malformed-line"),
            Some(_) => Kind::Numbers(numbers),
        };
    }
    let after = |key: &str, end: u8| -> Option<&[u8]> {
        Some(trim(
            line.strip_prefix(key.as_bytes())?.strip_prefix(&[end])?,
        ))
    };
    for key in STARTS_A_PART
        .into_iter()
        .filter(|key| *key != "separator")
        .chain(NEVER_STARTS_A_PART)
    {
        if let Some(value) = after(key, b':') {
            return Kind::Header(key, value.trim_ascii());
        }
    }
    // As php-memprof and pprof2calltree spell it.
    if let Some(value) = after("total", b':')
        .map(<[u8]>::trim_ascii)
        .or(after("totals", b'='))
    {
        return Kind::Header("totals", value);
    }
    for key in BODY {
        if let Some(value) = after(key, b'=') {
            return Kind::Spec(key, value);
        }
    }
    for key in IGNORED {
        if let Some(value) = after(key, b'=') {
            return Kind::Ignored(key, value);
        }
    }
    let word = line
        .iter()
        .take_while(|b| b.is_ascii_alphanumeric() || b"_-".contains(b))
        .count();
    let looks_like_a_header = word > 0 && line.get(word) == Some(&b':');
    Kind::Unknown(if looks_like_a_header {
        "unknown-header"
    } else {
        "malformed-line"
    })
}

/// "A header key that follows BODY lines starts a new part; before the body any order is one part.
/// summary/totals/desc/event never start a part." A part can lack a body: a key that it has starts
/// a part behind its totals; any key does behind `totals:` of Callgrind's, with which it ends every
/// part.
pub(crate) fn split_parts(lines: Vec<Line<'_>>) -> Vec<Vec<Line<'_>>> {
    let mut parts = vec![Vec::new()];
    let (mut body_seen, mut totals_seen, mut keys) = (false, false, BTreeSet::new());
    let (mut by_callgrind, mut ended) = (false, false);
    for line in lines {
        match &line.1 {
            Kind::Header(key @ ("summary" | "totals"), _) => {
                totals_seen = true;
                ended |= *key == "totals";
            }
            Kind::Header(key, value) if STARTS_A_PART.contains(key) => {
                let any_key = ended && by_callgrind && *key != "separator";
                if body_seen
                    || any_key
                    || totals_seen && keys.contains(key)
                    || *key == "separator" && !keys.is_empty()
                {
                    parts.push(Vec::new());
                    (body_seen, totals_seen, ended, keys) = (false, false, false, BTreeSet::new());
                }
                if *key == "creator" {
                    by_callgrind = value.starts_with(b"callgrind-");
                }
                if *key != "separator" {
                    keys.insert(*key);
                }
            }
            Kind::Spec(..) | Kind::Numbers(_) => body_seen = true,
            _ => {}
        }
        parts.last_mut().expect("there is always a part").push(line);
    }
    parts
}

/// "events/positions missing in a later part: inherit events; positions default to `line` if the
/// part has its own events line." The writer rule holds iff the creator starts with `callgrind-`.
pub(crate) fn read_headers(parts: &[Vec<Line>]) -> Vec<Header> {
    let (events, positions) = (Vec::new(), vec![Column::Line]);
    let mut last = Header {
        events,
        positions,
        writer_rule: false,
        callgrind: false,
        xtree: false,
    };
    let mut headers = Vec::new();
    for part in parts {
        let (mut events, mut positions) = (None, None);
        for (_, kind) in part {
            match kind {
                Kind::Header("events", value) if !value.is_empty() => {
                    events = Some(event_names(value))
                }
                Kind::Header("positions", value) => {
                    positions = columns_of(value).or(Some(vec![Column::Line]))
                }
                Kind::Header("creator", value) => {
                    last.writer_rule = value.starts_with(b"callgrind-");
                    last.xtree = value.starts_with(b"xtree-");
                }
                _ => {}
            }
        }
        last.callgrind = last.writer_rule
            && part
                .iter()
                .any(|(_, kind)| matches!(kind, Kind::Header("desc", _)));
        if events.is_some() {
            last.positions = vec![Column::Line];
        }
        last.events = events.unwrap_or(last.events);
        last.positions = positions.unwrap_or(last.positions);
        headers.push(last.clone());
    }
    headers
}

/// positions: "tokenise; `addr` = `instr`; 0..3 columns". None if a word is unknown or repeated.
pub(crate) fn columns_of(value: &[u8]) -> Option<Vec<Column>> {
    let mut seen = BTreeSet::new();
    let mut columns = Vec::new();
    for word in words(value) {
        let (word, column) = match word {
            b"instr" | b"addr" => ("instr", Column::Address),
            b"bb" => ("bb", Column::Address),
            b"line" => ("line", Column::Line),
            _ => return None,
        };
        if !seen.insert(word) {
            return None;
        }
        columns.push(column);
    }
    Some(columns)
}

/// "Different per part: map by NAME, union of columns." A name's second use in one list is its own
/// column.
pub(crate) fn union_of_events(parts: &[Vec<Line>]) -> Vec<(Name, usize)> {
    let mut union: Vec<(Name, usize)> = Vec::new();
    for (_, kind) in parts.iter().flatten() {
        if let Kind::Header("events", value) = kind {
            for event in numbered(&event_names(value)) {
                if !union.contains(&event) {
                    union.push(event);
                }
            }
        }
    }
    union
}

/// Each name with how often it stood before it in the list.
pub(crate) fn numbered(events: &[Name]) -> Vec<(Name, usize)> {
    let before = |i: usize| events[..i].iter().filter(|e| **e == events[i]).count();
    events
        .iter()
        .enumerate()
        .map(|(i, event)| (event.clone(), before(i)))
        .collect()
}

// ---- words and numbers ----

pub(crate) fn is_blank(byte: &u8) -> bool {
    *byte == b' ' || *byte == b'\t'
}

pub(crate) fn trim(mut bytes: &[u8]) -> &[u8] {
    while bytes.first().is_some_and(is_blank) {
        bytes = &bytes[1..];
    }
    while bytes.last().is_some_and(is_blank) {
        bytes = &bytes[..bytes.len() - 1];
    }
    bytes
}

/// The names in an `events:` line; white space of any kind sets them apart.
pub(crate) fn event_names(value: &[u8]) -> Vec<Name> {
    value
        .split(u8::is_ascii_whitespace)
        .filter(|word| !word.is_empty())
        .map(Name::from)
        .collect()
}

pub(crate) fn words(bytes: &[u8]) -> Vec<&[u8]> {
    bytes
        .split(is_blank)
        .filter(|word| !word.is_empty())
        .collect()
}

/// "Numbers: decimal or `0x` hex anywhere. No octal."
pub(crate) fn number(word: &[u8]) -> Option<i128> {
    let (digits, radix) = match word {
        [b'0', b'x' | b'X', digits @ ..] => (digits, 16),
        _ => (word, 10),
    };
    let mut value: i128 = 0;
    for digit in digits {
        let digit = (*digit as char).to_digit(radix)?;
        value = value
            .saturating_mul(radix.into())
            .saturating_add(digit.into());
    }
    (!digits.is_empty()).then_some(value)
}

/// "Negative costs are real." A decimal that is an integer is one: `2.5e1`.
pub(crate) fn integer(word: &[u8]) -> Option<i128> {
    let (sign, digits) = match word {
        [b'-', digits @ ..] => (-1, digits),
        [b'+', digits @ ..] => (1, digits),
        _ => (1, word),
    };
    whole(digits).map(|value| sign * value)
}

pub(crate) fn whole(word: &[u8]) -> Option<i128> {
    number(word).or_else(|| decimal(word))
}

/// The point is moved digit by digit in the text.
fn decimal(word: &[u8]) -> Option<i128> {
    let text = std::str::from_utf8(word).ok()?.to_ascii_lowercase();
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let (before, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let (mut before, mut after) = (before.to_owned(), after.to_owned());
    let exponent: i32 = exponent
        .parse()
        .ok()
        .filter(|_| !mantissa.trim_matches('.').is_empty())?;
    for _ in 0..exponent.clamp(0, 50) {
        before.push(if after.is_empty() {
            '0'
        } else {
            after.remove(0)
        });
    }
    for _ in 0..exponent.clamp(-50, 0).abs() {
        after.insert(0, before.pop().unwrap_or('0'));
    }
    let zeros = after.bytes().all(|digit| digit == b'0');
    zeros
        .then(|| number(format!("0{before}").as_bytes()))?
        .filter(|_| !before.contains('x'))
}

pub(crate) enum Subposition {
    Absolute(i128),
    Relative(i128),
}

/// `n`, `+n`, `-n` or `*`. "Ranges `10+3`, `10-12`, `0x10:0x18` in any subposition: accept, use the
/// start."
pub(crate) fn subposition(word: &[u8]) -> Option<Subposition> {
    let (sign, digits) = match word {
        b"*" => return Some(Subposition::Relative(0)),
        [sign @ (b'+' | b'-'), digits @ ..] => (Some(*sign), digits),
        _ => (None, word),
    };
    let range = |b: &u8| sign.is_none() && b"+-:".contains(b);
    let end = digits.iter().position(range).unwrap_or(digits.len());
    let start = number(&digits[..end])?;
    if end < digits.len() {
        number(&digits[end + 1..])?;
    }
    Some(match sign {
        None => Subposition::Absolute(start),
        Some(b'-') => Subposition::Relative(-start),
        Some(_) => Subposition::Relative(start),
    })
}

/// `(digits)` and what follows it. "Compressed iff `(`+digits+`)`." The digits come without leading
/// zeros.
pub(crate) fn split_id(value: &[u8]) -> Option<(String, &[u8])> {
    let value = value.strip_prefix(b"(")?;
    let end = value.iter().position(|b| !b.is_ascii_digit())?;
    if end == 0 || value[end] != b')' {
        return None;
    }
    let digits = String::from_utf8_lossy(&value[..end]);
    let digits = digits.trim_start_matches('0');
    Some((
        if digits.is_empty() {
            "0".into()
        } else {
            digits.into()
        },
        value[end + 1..].trim_ascii(),
    ))
}

/// `jump=N ...`, `jcnd=N/N ...` or "spec text says `jcnd=exe jump target` with blanks; accept
/// both".
pub(crate) fn is_jump(key: &str, value: &[u8]) -> bool {
    let numbers = |bytes: &[u8], separator: fn(&u8) -> bool, count: usize| {
        let words: Vec<_> = bytes.split(separator).filter(|w| !w.is_empty()).collect();
        words.len() >= count && words[..count].iter().all(|w| whole(w).is_some())
    };
    let first = words(value).first().copied().unwrap_or_default();
    let slash = first.iter().filter(|b| **b == b'/').count() == 1;
    match key {
        "jump" => whole(first).is_some(),
        _ if slash => numbers(first, |b| *b == b'/', 2),
        _ => numbers(value, is_blank, 2),
    }
}

/// "cmd: or desc: before events:, and none of what Callgrind writes there."
pub(crate) fn is_cachegrind(bytes: &[u8]) -> bool {
    let mut described = false;
    for line in bytes
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(bytes)
        .split(|b| *b == b'\n')
        .map(<[u8]>::trim_ascii)
    {
        let key = line
            .split_inclusive(|b| b":=".contains(b))
            .next()
            .unwrap_or_default();
        match key {
            _ if line == b"# callgrind format" => return false,
            _ if line.is_empty()
                || line[0] == b'#'
                || line.starts_with(b"==== NEW PROFILING FILE") => {}
            b"events:" => return described,
            b"version:" | b"creator:" | b"positions:" | b"pid:" | b"part:" | b"thread:" => {
                return false;
            }
            b"cmd:" | b"desc:" => described = true,
            b"fl=" | b"fn=" | b"ob=" | b"fi=" | b"fe=" => {}
            _ if key.ends_with(b":") && !key.iter().any(u8::is_ascii_control) => {}
            _ => return false,
        }
    }
    false
}

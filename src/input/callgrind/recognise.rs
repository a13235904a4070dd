//! Detects Callgrind's format from the first bytes of a file, and the writer from the header. Each
//! format that shares this syntax asks here whether a file is its own.

/// The program whose rules the lines follow.
#[derive(Clone, PartialEq, Eq)]
pub(in crate::input) enum Dialect {
    Callgrind,
    Cachegrind,
    Xdebug,
}

/// A file is in Callgrind's format if one of its keys comes before any line that the format does
/// not allow there.
pub(in crate::input) fn dialect(start: &[u8]) -> Option<Dialect> {
    let start = start.strip_prefix(b"\xef\xbb\xbf").unwrap_or(start);
    let mut seen = false;
    let mut version_or_creator = false;
    let mut description = false;
    // Xdebug names itself since 2.1. Older files have a known version and no creator.
    let (mut xdebug, mut old) = (false, false);
    for line in start.split(|&b| b == b'\n') {
        let line = line.trim_ascii();
        if line.is_empty() || line.starts_with(b"#") || line.starts_with(b"==== NEW PROFILING FILE")
        {
            version_or_creator |= line == b"# callgrind format";
            seen |= line == b"# callgrind format";
            continue;
        }
        let Some(end) = line.iter().position(|&b| b == b':' || b == b'=') else {
            break;
        };
        // A key is text. An archive can contain the lines of a profile unchanged.
        if line[..end].iter().any(u8::is_ascii_control) {
            break;
        }
        let value = line[end + 1..].trim_ascii();
        match (&line[..end], line[end]) {
            (b"version", b':') if value == b"0.9.6" => {
                (old, seen, version_or_creator) = (true, true, true)
            }
            (b"creator", b':') => {
                (old, xdebug) = (false, value.starts_with(b"xdebug"));
                (seen, version_or_creator) = (true, true);
            }
            (b"events", b':') => {
                // Cachegrind writes neither version nor creator before its events.
                if xdebug || old {
                    return Some(Dialect::Xdebug);
                }
                return Some(if version_or_creator || !description {
                    Dialect::Callgrind
                } else {
                    Dialect::Cachegrind
                });
            }
            (b"version" | b"positions" | b"pid" | b"part" | b"thread", b':') => {
                (seen, version_or_creator) = (true, true);
            }
            (b"cmd" | b"desc", b':') => (seen, description) = (true, true),
            (b"event" | b"summary" | b"totals" | b"arch" | b"timeframe (BB)", b':')
            | (b"fl" | b"fn" | b"ob" | b"fi" | b"fe", b'=') => seen = true,
            (_, b':') => {}
            _ => break,
        }
    }
    seen.then_some(Dialect::Callgrind)
}

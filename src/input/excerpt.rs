//! Quotes a piece of an input in a message. All readers use it.

/// Text of an input for a message: at most 60 bytes, without control characters.
pub(crate) fn shown(text: &[u8]) -> String {
    let cut = &text[..text.len().min(60)];
    let mut out: String = String::from_utf8_lossy(cut)
        .chars()
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect();
    if cut.len() < text.len() {
        out.push('…');
    }
    out
}

//! The class, type, module or namespace at the beginning of a function's name.

use crate::profile::callers::{CallerPieces, implementor, pieces};

/// The text before the last `::` or `->` of a name, without a return type; `None` for a plain
/// function.
///
/// Recursion levels, contexts, arguments, closures and the hashes of Rust's symbols are not part of
/// it. The class of `void ns::A<int>::f(int) const` and `ns::A<int>::g'2` is `ns::A<int>`, and that
/// of `<ns::B as Trait>::f` is `ns::B`.
pub fn class(name: &[u8]) -> Option<&[u8]> {
    let [mut name, ..] = pieces(name);
    loop {
        let (start, separator) = split(name)?;
        let (class, last) = (&name[start..separator], &name[separator + 2..]);
        // A closure belongs to the class of the function around it.
        if last == b"{{closure}}" || last.starts_with(b"{closure") || is_hash(last) {
            name = class;
            continue;
        }
        return Some(
            implementor(class)
                .filter(|(_, rest)| rest.is_empty())
                .map_or(class, |(inner, _)| inner),
        )
        .filter(|class| !class.is_empty());
    }
}

/// Where the name begins, and where its last separator is.
fn split(name: &[u8]) -> Option<(usize, usize)> {
    let (mut start, mut found) = (0, None);
    let (mut at, mut arguments) = (0, false);
    for (end, open) in CallerPieces::new(name) {
        let rest = &name[at..];
        let begins_word = at == 0 || !is_word(name[at - 1]);
        if open == 0
            && begins_word
            && rest.starts_with(b"operator")
            && !rest.get(8).copied().is_some_and(is_word)
        {
            break;
        }
        match rest[0] {
            b':' | b'-' if open == 0 && (rest.starts_with(b"::") || rest.starts_with(b"->")) => {
                found = Some((start, at));
            }
            b'(' if open == 1 && end == at + 1 => arguments = true,
            // The text before it is a return type.
            b' ' if open == 0 && !arguments => start = end,
            _ => {}
        }
        at = end;
    }
    found.filter(|&(start, separator)| start < separator)
}

fn is_hash(part: &[u8]) -> bool {
    part.len() == 17 && part[0] == b'h' && part[1..].iter().all(u8::is_ascii_hexdigit)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_many_languages() {
        for (name, want) in [
            ("main", ""),
            ("f'2", ""),
            ("f'a::b", ""),
            ("<a::F<'_> as b::T>::call'2'c::d", "a::F<'_>"),
            (
                "std::vector<int, std::allocator<int> >::push_back(int const&)",
                "std::vector<int, std::allocator<int> >",
            ),
            ("void ns::A<int>::f(std::map<a::b, c>) const", "ns::A<int>"),
            ("void std::sort<x::y*>(x::y*, x::y*)", "std"),
            ("int plain<a::b>(a::c)", ""),
            (
                "(anonymous namespace)::Table::grow()",
                "(anonymous namespace)::Table",
            ),
            ("A::operator()(B::C)", "A"),
            ("A::operator<(B::C)", "A"),
            ("A::operator B::C() const", "A"),
            ("operator<<(B::C)", ""),
            (
                "f(int)::{lambda(a::b)#1}::operator()(a::b) const",
                "f(int)::{lambda(a::b)#1}",
            ),
            ("core::fmt::write", "core::fmt"),
            (
                "<alloc::vec::Vec<T,A> as core::ops::drop::Drop>::drop",
                "alloc::vec::Vec<T,A>",
            ),
            ("<a::F as b::Fn<(c::D)>>::call", "a::F"),
            ("<dyn a::T>::call", "dyn a::T"),
            ("a::b::c::{{closure}}", "a::b"),
            ("a::b::c::h0123456789abcdef", "a::b"),
            ("Cart->total", "Cart"),
            ("App\\Cart::total", "App\\Cart"),
            ("::f", ""),
            ("a::", "a"),
            ("<", ""),
            (">>::x", ">>"),
        ] {
            let got = String::from_utf8_lossy(class(name.as_bytes()).unwrap_or_default());
            assert_eq!(got, want, "{name}");
        }
    }
}

//! Names on a screen: their width, and how to shorten them. Reports for pipes and files never
//! shorten names.
//!
//! For whoever changes this: a name can have a hundred thousand parts or callers, so every loop
//! must stop when the room is used up. Only [`CallerPieces`] knows what a bracket is; operators
//! such as `operator<` look like one.

use crate::profile::{
    callers::{CallerPieces, implementor, pieces},
    joined,
};
use std::{fmt::Write as _, iter};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The most columns of a name in a sentence.
const IN_A_SENTENCE: usize = 60;
/// The most columns of a name that somebody may type.
const TYPED: usize = 200;

/// The width of a text on a screen, in columns.
pub(crate) fn width(text: &str) -> usize {
    text.width()
}

/// Shortens a text to the width `most` by omitting its middle.
pub(crate) fn middle(text: &str, most: usize) -> String {
    if width(text) <= most {
        return text.to_owned();
    }
    let room = most.saturating_sub(1);
    // The end says more: it is the function's own name.
    let start = front(text, room * 2 / 5);
    let end = &text[text.len() - fitting(text.chars().rev(), room - room * 2 / 5)..];
    let omitted = if most > 0 { "…" } else { "" };
    format!("{start}{omitted}{end}")
}

/// The beginning of a text, as far as it fits into the width `most`.
pub(crate) fn front(text: &str, most: usize) -> &str {
    &text[..fitting(text.chars(), most)]
}

/// Truncates a text to the width `most`.
pub(crate) fn truncated(text: &str, most: usize) -> String {
    if width(text) <= most {
        text.to_owned()
    } else {
        format!("{}…", front(text, most.saturating_sub(1)))
    }
}

/// How many bytes of characters fit into a width.
fn fitting(characters: impl Iterator<Item = char>, most: usize) -> usize {
    let mut used = 0;
    let fits = |character: &char| {
        used += character.width().unwrap_or(0);
        used <= most
    };
    characters.take_while(fits).map(char::len_utf8).sum()
}

/// A name without its template, generic and function arguments: `Vec<…>::push(…)`.
///
/// The beginning of the name stays, as in `<Vec<…> as Drop>::drop` and `(anonymous namespace)::f`;
/// so do operators. The function's callers are names, too.
pub(crate) fn collapse(name: &str) -> String {
    joined(
        chain(name).map(|name| without_arguments(name, &['<', '('])),
        "'",
    )
}

/// A name without its function arguments: `Vec<int>::push(…)`.
pub(crate) fn without_parameters(name: &str) -> String {
    joined(chain(name).map(|name| without_arguments(name, &['('])), "'")
}

/// The function with its recursion level, then its callers.
fn chain(name: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(name);
    iter::from_fn(move || {
        let name = rest?;
        let [function, level, _] = pieces(name.as_bytes()).map(<[u8]>::len);
        rest = name.get(function + level + 1..);
        Some(&name[..function + level])
    })
}

/// A name without what is in some of its brackets.
fn without_arguments(name: &str, brackets: &[char]) -> String {
    let mut out = String::with_capacity(name.len());
    // The number of brackets open around the omitted text.
    let (mut at, mut depth, mut hidden) = (0, 0, None);
    for (end, open) in CallerPieces::new(name.as_bytes()) {
        let (piece, next) = (&name[at..end], &name[end..]);
        if hidden.is_none_or(|around| open <= around) {
            hidden = None;
            out.push_str(piece);
            // The function's own name may be in brackets: `<A as B>::f`, `void (*f(int))(char)`.
            let names = out.len() == 1
                || out.ends_with("::<") && next.starts_with("impl ")
                || out.ends_with(" (") && next.starts_with(['*', '&']);
            if open > depth
                && brackets.iter().any(|&b| piece.starts_with(b))
                && !names
                && !next.starts_with([')', '>'])
            {
                out.push('…');
                hidden = Some(depth);
            }
        }
        (at, depth) = (end, open);
    }
    out
}

/// Shortens a name to the width `most`. It omits, in this order: arguments, callers that do not
/// fit, qualification, the middle.
pub(crate) fn shorten(name: &str, most: usize) -> String {
    if width(name) <= most {
        return name.to_owned();
    }
    let name = collapse(name);
    if width(&name) <= most {
        return name;
    }
    let mut callers = chain(&name);
    let function = callers.next().unwrap_or_default();
    if function.len() == name.len() {
        return unqualified(function, most).unwrap_or_else(|last| middle(&last, most));
    }
    // The mark for omitted callers needs room.
    const LEFT_OUT: &str = "'…";
    let room = most.saturating_sub(width(LEFT_OUT));
    let mut out = unqualified(function, room).unwrap_or_else(|last| middle(&last, room));
    for caller in callers {
        let Some(Ok(caller)) = room
            .checked_sub(width(&out) + 1)
            .map(|room| unqualified(caller, room))
        else {
            out.push_str(LEFT_OUT);
            break;
        };
        let _ = write!(out, "'{caller}");
    }
    middle(&out, most)
}

/// A name with as much of its qualification as fits; if nothing does, its last part.
fn unqualified(name: &str, most: usize) -> Result<String, String> {
    if width(name) <= most {
        return Ok(name.to_owned());
    }
    let name = plain_type(name);
    if width(&name) <= most {
        return Ok(name);
    }
    let qualifiers = qualifiers(&name);
    // From the end, since a name can have very many parts.
    let cuts = qualifiers
        .iter()
        .rev()
        .map(|&at| format!("…{}", &name[at..]));
    let fitting = cuts.take_while(|text| width(text) <= most).last();
    // The last part alone may still be too wide.
    fitting.ok_or_else(|| name[qualifiers.last().map_or(0, |at| at + 2)..].to_owned())
}

/// `a::T::f` for Rust's `<a::T as b::Trait>::f`. A type that is not a path keeps its brackets:
/// `<fn(…) -> a::T>::f`.
fn plain_type(name: &str) -> String {
    let Some((inner, method)) = implementor(name.as_bytes()) else {
        return name.to_owned();
    };
    let (inner, method) = (&name[1..=inner.len()], &name[name.len() - method.len()..]);
    let is_path = !inner.contains("->") && !inner.starts_with("impl ");
    if is_path {
        format!("{inner}{method}")
    } else {
        format!("<{inner}>{method}")
    }
}

/// The positions of each `::` outside all brackets, except before closures, whose names mean
/// nothing without their function.
fn qualifiers(name: &str) -> Vec<usize> {
    let (mut found, mut at) = (Vec::new(), 0);
    for (end, open) in CallerPieces::new(name.as_bytes()) {
        let rest = &name[at..];
        // The rest is the operator's name, which can be a type.
        if rest
            .strip_prefix("operator")
            .is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
        {
            break;
        }
        if open == 0
            && rest.starts_with("::")
            && !["::{", "::operator()"].iter().any(|c| rest.starts_with(c))
        {
            found.push(at);
        }
        at = end;
    }
    found
}

/// Breaks a text with a command in backticks into lines that can be typed as they are: a line that
/// ends within the command ends with a backslash.
pub(crate) fn command(text: &str, room: Option<usize>) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut typed = false;
    for word in text.split(' ') {
        // A backslash may have to follow.
        let fits =
            |line: &String| room.is_none_or(|room| width(line) + 1 + width(word) + 2 <= room);
        match lines.last_mut() {
            Some(line) if fits(line) => {
                line.push(' ');
                line.push_str(word);
            }
            last => {
                if let Some(line) = last.filter(|_| typed) {
                    line.push_str(" \\");
                }
                lines.push(word.to_owned());
            }
        }
        typed ^= word.matches('`').count() % 2 == 1;
    }
    lines
}

/// A name in a sentence: C++ has names of thousands of columns.
pub(crate) fn in_a_sentence(name: &[u8]) -> String {
    shorten(&String::from_utf8_lossy(name), IN_A_SENTENCE)
}

/// A line with similar names, whole if possible, so that they can be typed.
pub(crate) fn hint(near: &[String]) -> String {
    let near: Vec<String> = near.iter().map(|name| shorten(name, TYPED)).collect();
    if near.is_empty() {
        String::new()
    } else {
        format!("\nhint: did you mean {}?", near.join(", "))
    }
}

/// The last part of a path.
pub(crate) fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A path without as many of its first folders as needed to fit; its last part always stays.
pub(crate) fn tail(path: &str, most: usize) -> String {
    if width(path) <= most {
        return path.to_owned();
    }
    // From the end, since a path can have very many parts.
    let cuts = path
        .rmatch_indices('/')
        .map(|(at, _)| format!("…{}", &path[at..]));
    cuts.take_while(|cut| width(cut) <= most)
        .last()
        .unwrap_or_else(|| base(path).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_collapse() {
        for (name, want) in [
            ("main", "main"),
            (
                "std::vector<int, std::allocator<int> >::push_back(int const&)",
                "std::vector<…>::push_back(…)",
            ),
            (
                "<alloc::vec::Vec<T,A> as core::ops::drop::Drop>::drop",
                "<alloc::vec::Vec<…> as core::ops::drop::Drop>::drop",
            ),
            (
                "core::iter::<impl Trait<X> for Y>::next",
                "core::iter::<impl Trait<…> for Y>::next",
            ),
            (
                "(anonymous namespace)::f(int)",
                "(anonymous namespace)::f(…)",
            ),
            ("f()", "f()"),
            ("A<B>::operator()(C)", "A<…>::operator()(…)"),
            ("operator<<(std::ostream&, X<Y>)", "operator<<(…)"),
            ("App->run(a)", "App->run(…)"),
            ("f<(unclosed", "f<…"),
            (">>)", ">>)"),
            (
                "core::ops::FnOnce<fn(A) -> B>::call_once",
                "core::ops::FnOnce<…>::call_once",
            ),
            (
                "f(int)'2'(anonymous namespace)::g(int)'(below main)",
                "f(…)'2'(anonymous namespace)::g(…)'(below main)",
            ),
            ("operator<'f(int)", "operator<'f(…)"),
            (
                "a::X<b>::operator<=>(a::X<b> const&) const",
                "a::X<…>::operator<=>(…) const",
            ),
            ("a::X<b>::operator->() const", "a::X<…>::operator->() const"),
            ("a::X<b>::operator->*(int c::*)", "a::X<…>::operator->*(…)"),
            (
                "std::operator>>=<int>(B<int>&, int)",
                "std::operator>>=<…>(…)",
            ),
            (
                "std::operator< <int>(B<int>&, int)",
                "std::operator< <…>(…)",
            ),
            ("void (*a::get<int>(int))(char)", "void (*a::get<…>(…))(…)"),
            (
                "auto a::f<int>(int)::{lambda(int)#1}::operator()(int) const",
                "auto a::f<…>(…)::{lambda(…)#1}::operator()(…) const",
            ),
            ("a::g<(1<2), (b>c)>(int)", "a::g<…>(…)"),
            (
                "<for<'a> fn(&'a b::C) -> d::E<'a> as f::G<()>>::h",
                "<for<…> fn(…) -> d::E<…> as f::G<…>>::h",
            ),
        ] {
            assert_eq!(collapse(name), want, "{name}");
        }
    }

    #[test]
    fn the_middle_is_left_out_by_display_width() {
        assert_eq!(middle("abcdefghij", 10), "abcdefghij");
        assert_eq!(middle("abcdefghij", 6), "ab…hij");
        assert_eq!(
            width(&middle("日本語日本語日本語", 7)),
            7,
            "three characters of two columns, and one for what is left out"
        );
        assert_eq!(middle("abc", 0), "");
        assert_eq!(middle("abc", 1), "…");
    }

    #[test]
    fn names_lose_what_qualifies_them() {
        let name = "void std::__introsort_loop<A<B>, C>(A<B>, C)'2";
        assert_eq!(shorten(name, 46), name);
        assert_eq!(shorten(name, 38), "void std::__introsort_loop<…>(…)'2");
        assert_eq!(shorten(name, 30), "…::__introsort_loop<…>(…)'2");
        assert_eq!(shorten(name, 20), "__intro…loop<…>(…)'2");
        assert_eq!(shorten("<a::B<C> as d::E>::f", 14), "a::B<…>::f");
        assert_eq!(shorten("<a::B<C> as d::E>::f", 9), "…::f");
        assert_eq!(
            shorten("a::main::{lambda(int)#1}::operator()(int) const", 40),
            "main::{lambda(…)#1}::operator()(…) const"
        );
        assert_eq!(shorten("a::b::operator<(c::d)", 16), "…::operator<(…)");
        assert_eq!(shorten("a::operators::b::c", 16), "…::b::c");
        assert_eq!(
            shorten("a::b<c>::operator d::e() const", 28),
            "…::operator d::e() const"
        );
        let call_once = "<fn(alloc::string::String) -> core::option::Option<alloc::string::String> as \
                         core::ops::function::FnOnce<(alloc::string::String,)>>::call_once";
        assert_eq!(
            shorten(call_once, 80),
            "<fn(…) -> core::option::Option<…> as core::ops::function::FnOnce<…>>::call_once"
        );
        assert_eq!(
            shorten(call_once, 60),
            "<fn(…) -> core::option::Option<…>>::call_once"
        );
        assert_eq!(shorten(call_once, 40), "…::call_once");
        let reference = "<&mut a::bbbb::C as dddd::Eeee<dddd::Ffff>>::call";
        assert_eq!(shorten(reference, 21), "&mut a::bbbb::C::call");
        assert_eq!(
            shorten("<impl aaaa::Bbbb for cccc::Dddd>::eeee", 20),
            "…::eeee"
        );
        assert_eq!(shorten("/usr/lib/x.so", 8), "/u…/x.so");
        let parts = "a::".repeat(100_000);
        assert_eq!(
            shorten(&(parts + "b"), 9),
            "…::a::b",
            "with its many parts, it takes no time that shows"
        );
    }

    #[test]
    fn callers_go_before_the_function_does() {
        let name = "a::B<c>::push(c)'2'a::worker(int)'a::driver(int)'(below main)";
        let short = "a::B<…>::push(…)'2'a::worker(…)'a::driver(…)'(below main)";
        for (most, want) in [
            (61, name),
            (60, short),
            (width(short), short),
            (
                width(short) - 1,
                "a::B<…>::push(…)'2'a::worker(…)'a::driver(…)'…",
            ),
            (46, "a::B<…>::push(…)'2'a::worker(…)'a::driver(…)'…"),
            (45, "a::B<…>::push(…)'2'a::worker(…)'…"),
            (31, "a::B<…>::push(…)'2'…"),
            (20, "a::B<…>::push(…)'2'…"),
            (19, "…::push(…)'2'…"),
            (12, "push(…)'2'…"),
            (11, "push(…)'2'…"),
            (10, "pu…(…)'2'…"),
            (3, "…'…"),
            (1, "…"),
        ] {
            assert_eq!(shorten(name, most), want, "{most}");
        }
        assert_eq!(shorten("main'(below main)", 16), "main'…");
        assert_eq!(
            shorten("f'a::bbbb::driver(int)'main", 21),
            "f'…::driver(…)'main"
        );
        assert_eq!(shorten("<a::B<'c> as d::E>::f'a::g", 13), "a::B<…>::f'…");
        let callers = "'a::g".repeat(100_000);
        assert_eq!(
            shorten(&format!("f{callers}"), 9),
            "f'a::g'…",
            "with its many callers, it takes no time that shows"
        );
    }

    #[test]
    fn commands_can_be_typed_line_by_line() {
        let hint = "`cargo fetch --manifest-path $(rustc --print sysroot)/Cargo.toml`, after this";
        assert_eq!(
            command(hint, Some(36)),
            [
                "`cargo fetch --manifest-path \\",
                "$(rustc --print \\",
                "sysroot)/Cargo.toml`, after this"
            ]
        );
        assert_eq!(command(hint, None), [hint]);
    }

    #[test]
    fn paths_lose_folders() {
        assert_eq!(tail("/usr/lib/x/libc.so", 12), "…/x/libc.so");
        assert_eq!(tail("/usr/lib/x/libc.so", 3), "libc.so");
    }
}

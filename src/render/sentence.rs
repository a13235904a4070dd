//! Short names of the functions in one sentence: the last part of each name, and as much more as is
//! needed to distinguish them. A sentence names `C::run` in `B::run`, not `run` in `run`.
//!
//! The recursion level is always included, because `f'2` is another function than `f`, also in the
//! list. Functions of the same name in other files or objects have the same short name. Template
//! arguments are omitted unless two names differ only in them.

use crate::{
    analysis::{Label, difference::names::scan},
    profile::{callers::pieces, to_text},
    text::names::collapse,
};

/// The functions of a sentence.
pub(super) struct Sentence<'n>(Vec<NameParts<'n>>);

/// The parts of a name, and how much of it is shown.
struct NameParts<'n> {
    name: &'n [u8],
    /// The text before the arguments. `starts` has the positions where its parts begin.
    path: &'n [u8],
    starts: Vec<usize>,
    arguments: &'n [u8],
    level: &'n [u8],
    callers: &'n [u8],
    /// The number of parts to show, counted from the last.
    parts: usize,
    with: Detail,
}

/// What to show in addition to the parts and the level.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Detail {
    Nothing,
    Arguments,
    /// Everything else.
    Callers,
}

impl<'n> Sentence<'n> {
    /// Chooses the short names of these functions.
    pub(super) fn about(labels: impl IntoIterator<Item = Label<'n>>) -> Sentence<'n> {
        let mut all: Vec<NameParts<'n>> = labels
            .into_iter()
            .map(|label| NameParts::new(label.name.bytes()))
            .collect();
        let told = |one: &NameParts<'n>| {
            let others = all.iter().filter(|other| other.name != one.name);
            others.fold((1, Detail::Nothing), |(parts, with), other| {
                let needed = one.apart_from(other);
                (parts.max(needed.0), with.max(needed.1))
            })
        };
        let told: Vec<(usize, Detail)> = all.iter().map(told).collect();
        for (one, told) in all.iter_mut().zip(told) {
            (one.parts, one.with) = told;
        }
        Sentence(all)
    }

    /// The short name of one of them.
    pub(super) fn name_of(&self, label: &Label<'_>) -> String {
        let name = self.told(label);
        let short = collapse(&name);
        let others = self.0.iter().map(|one| to_text(one.told()));
        let mut others = others.filter(|other| *other != name);
        if others.any(|other| collapse(&other) == short) {
            name
        } else {
            short
        }
    }

    fn told(&self, label: &Label<'_>) -> String {
        let name = label.name.bytes();
        let told = self
            .0
            .iter()
            .find(|one| one.name == name)
            .map(NameParts::told);
        to_text(told.unwrap_or_else(|| NameParts::new(name).told()))
    }
}

impl<'n> NameParts<'n> {
    fn new(name: &'n [u8]) -> NameParts<'n> {
        let [function, level, callers] = pieces(name);
        let mut starts = vec![0];
        let end = scan(function, |start| starts.push(start));
        let (path, arguments) = function.split_at(end);
        NameParts {
            name,
            path,
            starts,
            arguments,
            level,
            callers,
            parts: 1,
            with: Detail::Nothing,
        }
    }

    /// How many parts, and what else, distinguish it from a function of another name. Both need the
    /// same.
    fn apart_from(&self, other: &NameParts<'_>) -> (usize, Detail) {
        if self.path != other.path {
            let same = self
                .parts()
                .zip(other.parts())
                .take_while(|(a, b)| a == b)
                .count();
            // One of the two may have no more parts: `run` and `A::run`.
            return ((same + 1).min(self.starts.len()), Detail::Nothing);
        }
        let with = match () {
            () if self.arguments != other.arguments => Detail::Arguments,
            () if self.level != other.level => Detail::Nothing,
            () => Detail::Callers,
        };
        (1, with)
    }

    /// The parts of its path, the last one first.
    fn parts(&self) -> impl Iterator<Item = &'n [u8]> {
        let ends = std::iter::once(self.path.len()).chain(self.starts.iter().rev().copied());
        ends.zip(self.starts.iter().rev())
            .map(|(end, &start)| &self.path[start..end])
    }

    fn told(&self) -> Vec<u8> {
        let start = self.starts[self.starts.len() - self.parts];
        let arguments = if self.with >= Detail::Arguments {
            self.arguments
        } else {
            b""
        };
        let callers = if self.with == Detail::Callers {
            self.callers
        } else {
            b""
        };
        [&self.path[start..], arguments, self.level, callers].concat()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(names: &[&'static str]) -> Vec<String> {
        let label = |name: &&'static str| Label {
            file: b"",
            name: name.as_bytes().into(),
            object: None,
            cycle: None,
        };
        let labels: Vec<Label<'static>> = names.iter().map(label).collect();
        let sentence = Sentence::about(labels.iter().copied());
        labels.iter().map(|label| sentence.told(label)).collect()
    }

    #[test]
    fn names_are_as_short_as_tells_them_apart() {
        let cases: [(&[&str], &[&str]); 13] = [
            (&["app::http::decode"], &["decode"]),
            (&["A::run(int)", "B::stop(int)"], &["run", "stop"]),
            (
                &["C::run(int)", "B::run(int)", "main"],
                &["C::run", "B::run", "main"],
            ),
            (
                &["x::a::C::run", "y::a::C::run", "z::b::C::run"],
                &["x::a::C::run", "y::a::C::run", "b::C::run"],
            ),
            (&["run", "A::run"], &["run", "A::run"]),
            // The same function twice counts once, and so do functions of one name in two files.
            (&["A::run", "A::run"], &["run", "run"]),
            (&["fib(int)'2", "fib(int)"], &["fib'2", "fib"]),
            (&["A::fib(int)'2", "B::fib(int)"], &["A::fib'2", "B::fib"]),
            (
                &["n::put(int)", "n::put(char)'2"],
                &["put(int)", "put(char)'2"],
            ),
            (
                &["n::put(int)", "n::put(char)", "m::put(int)"],
                &["n::put(int)", "n::put(char)", "m::put"],
            ),
            (
                &["f'main", "f'g'main", "g'main"],
                &["f'main", "f'g'main", "g"],
            ),
            (
                &[
                    "(anonymous namespace)::A::run(T&)",
                    "llvm::(anonymous namespace)::B::run(T&)",
                    "n::(anonymous namespace)::go()",
                ],
                &["A::run", "B::run", "go"],
            ),
            (
                &["<a::T as b::Show>::show", "<a::U as b::Show>::show"],
                &["<a::T as b::Show>::show", "<a::U as b::Show>::show"],
            ),
        ];
        for (names, want) in cases {
            assert_eq!(told(names), want);
        }
        assert_eq!(told(&["", "::", "(", "'2"]), ["", "::", "(", "'2"]);
    }
}

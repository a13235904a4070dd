//! Profiles with very many of one thing, for proportion.sh: what does a command do with ten times as many?
//!
//! `old` and `new` are two runs of one program for the comparison: the new one costs more here and there, and has other
//! names where the shape says so.

use super::{FUNCTIONS_PER_FILE, words};
use std::io::{self, Write};

/// What there are many of.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Shape {
    /// Functions with a few lines, and calls to two others each, in files of 24.
    Functions,
    /// The same under long names of templates.
    Templates,
    /// Functions that are one apart from the suffixes of clones, which are others in the new run.
    Clones,
    /// Functions without names, at other addresses in the new run.
    Addresses,
    /// Files of one name, a function in each; below another folder in the new run.
    Folders,
    /// Objects, a function in each; under another name in the new run.
    Objects,
    /// Functions that have another name in the new run.
    Renamed,
    /// Calls among two hundred functions; from their own lines, where there are more than pairs.
    Arcs,
    /// Callers of one function, each also its callee's caller.
    Callers,
    /// Lines of ten functions.
    Lines,
    /// Parts of one function.
    Parts,
    /// Events of two hundred functions.
    Events,
    /// Functions that call one another in a row.
    Chain,
    /// Functions that call one another in a circle, and the one seven further on.
    Cycle,
}

impl Shape {
    pub(crate) const ALL: [(&'static str, Shape); 14] = [
        ("functions", Shape::Functions),
        ("templates", Shape::Templates),
        ("clones", Shape::Clones),
        ("addresses", Shape::Addresses),
        ("folders", Shape::Folders),
        ("objects", Shape::Objects),
        ("renamed", Shape::Renamed),
        ("arcs", Shape::Arcs),
        ("callers", Shape::Callers),
        ("lines", Shape::Lines),
        ("parts", Shape::Parts),
        ("events", Shape::Events),
        ("chain", Shape::Chain),
        ("cycle", Shape::Cycle),
    ];

    pub(crate) fn named(name: &str) -> Option<Shape> {
        Shape::ALL
            .iter()
            .find(|(known, _)| *known == name)
            .map(|&(_, shape)| shape)
    }

    pub(crate) fn write(self, count: u64, run: &str, mut out: impl Write) -> io::Result<()> {
        let new = u64::from(run == "new");
        write!(
            out,
            "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npid: 1\ncmd:  ./shape\n"
        )?;
        match self {
            Shape::Parts => {
                for part in 1..=count {
                    write!(out, "part: {part}\n\npositions: line\nevents: Ir\n")?;
                    write!(
                        out,
                        "fl=(1) main.c\nfn=(1) main\n1 {}\ntotals: {0}\n\n",
                        part + new
                    )?;
                }
            }
            Shape::Events => {
                let row =
                    |function: u64| (0..count).map(move |event| 1 + event + function % 7 + new);
                let text = |counts: Vec<u64>| {
                    counts
                        .iter()
                        .map(u64::to_string)
                        .collect::<Vec<_>>()
                        .join(" ")
                };
                let names: Vec<String> = (0..count).map(|event| format!("E{event}")).collect();
                write!(
                    out,
                    "part: 1\n\npositions: line\nevents: {}\nfl=(1) main.c\n",
                    names.join(" ")
                )?;
                let mut totals = vec![0; count as usize];
                for function in 0..200 {
                    totals
                        .iter_mut()
                        .zip(row(function))
                        .for_each(|(total, own)| *total += own);
                    let counts = text(row(function).collect());
                    write!(out, "fn=f{function}\n{} {counts}\n", function + 1)?;
                    write!(out, "cfn=f{}\ncalls=1 1\n* {counts}\n", function + 1)?;
                }
                writeln!(out, "totals: {}", text(totals))?;
            }
            _ => {
                write!(out, "part: 1\n\npositions: line\nevents: Ir Dr\n")?;
                let (functions, lines) = match self {
                    Shape::Arcs => (200, 1),
                    Shape::Lines => (10, count / 10),
                    _ => (count, 3),
                };
                let mut totals = [0; 2];
                for function in 0..functions {
                    let own = self.function(function, functions, count, lines, new, &mut out)?;
                    totals
                        .iter_mut()
                        .zip(own)
                        .for_each(|(total, own)| *total += own);
                }
                writeln!(out, "totals: {} {}", totals[0], totals[1])?;
            }
        }
        out.flush()
    }

    /// Writes a function and gives its self cost.
    fn function(
        self,
        at: u64,
        all: u64,
        count: u64,
        lines: u64,
        new: u64,
        out: &mut impl Write,
    ) -> io::Result<[u64; 2]> {
        let (object, file, name) = self.names(at, new);
        let first = 10 * at + 1;
        // Every hundredth function got dearer.
        let cost = 1 + at % 97 + if at % 100 == 7 { 1000 * new } else { 0 };
        write!(out, "ob={object}\nfl={file}\nfn={name}\n")?;
        let mut own = [0; 2];
        for line in 0..lines {
            let counts = [cost, 1 + line % 5];
            writeln!(out, "{} {} {}", first + line, counts[0], counts[1])?;
            own.iter_mut()
                .zip(counts)
                .for_each(|(own, count)| *own += count);
        }
        // But in a circle and among few functions, calls go to functions further down.
        let mut call = |callee: u64, line: u64, cost: u64| {
            let (object, file, name) = self.names(callee, new);
            writeln!(
                out,
                "cob={object}\ncfi={file}\ncfn={name}\ncalls={} {line}\n{line} {cost} 1",
                1 + at % 5
            )
        };
        match self {
            Shape::Chain if at + 1 < all => call(at + 1, first, all - at),
            Shape::Cycle => [1, 7]
                .into_iter()
                .try_for_each(|step| call((at + step) % all, first, 10)),
            Shape::Callers if at > 0 => call(0, first, 10),
            Shape::Arcs => {
                let calls = count / all;
                (0..calls).try_for_each(|call_at| {
                    call((at + 1 + call_at) % all, first + call_at / all, 10)
                })
            }
            Shape::Lines | Shape::Chain | Shape::Callers => Ok(()),
            _ => [at + 1, 2 * at + 1, at * at]
                .into_iter()
                .filter(|&callee| at < callee && callee < all)
                .try_for_each(|callee| call(callee, first + 1, 10 + cost)),
        }?;
        Ok(own)
    }

    /// A function's object, file and name.
    fn names(self, at: u64, new: u64) -> (String, String, String) {
        let number = at as usize;
        let sides = if new == 0 {
            ["old", "isra", "home/me"]
        } else {
            ["new", "constprop", "build/agent/7"]
        };
        let file = match self {
            Shape::Folders => format!("/{}/{}/mod.rs", sides[2], words(number, "/")),
            _ => format!("src/{}.c", words(number / FUNCTIONS_PER_FILE, "/")),
        };
        let object = match self {
            Shape::Objects => format!("/usr/lib/lib{}.so.{}", words(number, "_"), sides[0]),
            _ => "/usr/bin/shape".to_owned(),
        };
        let name = match self {
            Shape::Templates => {
                let inner = words(number / 3, "::");
                format!(
                    "std::map<{inner}, std::vector<{inner}, std::allocator<{inner}> > >::{}(int)",
                    words(number, "_")
                )
            }
            Shape::Clones => format!("{}.{}.{at}", words(number % 3, "_"), sides[1]),
            Shape::Addresses => format!("0x{:016x}", 0x40_0000 + 16 * at + 8 * new),
            Shape::Renamed => format!("{}_{}", words(number, "_"), sides[0]),
            _ => words(number, "::"),
        };
        (object, file, name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_have_as_many_as_they_are_told() {
        let text = |kind: &str, count: u64, run: &str| {
            let mut profile = Vec::new();
            Shape::named(kind)
                .unwrap()
                .write(count, run, &mut profile)
                .unwrap();
            String::from_utf8(profile).unwrap()
        };
        for (kind, _) in Shape::ALL {
            assert_ne!(text(kind, 100, "old"), text(kind, 100, "new"), "{kind}");
        }
        let lines =
            |text: &str, key: &str| text.lines().filter(|line| line.starts_with(key)).count();
        for kind in [
            "functions",
            "templates",
            "clones",
            "addresses",
            "folders",
            "objects",
            "renamed",
            "chain",
            "cycle",
        ] {
            assert_eq!(lines(&text(kind, 300, "old"), "fn="), 300, "{kind}");
        }
        assert_eq!(lines(&text("arcs", 2000, "old"), "calls="), 2000);
        assert_eq!(lines(&text("chain", 300, "old"), "calls="), 299);
        assert_eq!(lines(&text("parts", 300, "old"), "part:"), 300);
        assert!(text("events", 30, "old").contains(" E29\n"));
    }
}

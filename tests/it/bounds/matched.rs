//! Which functions, files and namespaces of two runs are taken for the same.

use super::{Call, read, written};
use crate::common::Stage;
use cgannotate::analysis::difference::names::normalised;
use cgannotate::analysis::difference::{Matching, Rules};
use cgannotate::profile::Profile;

/// The names of the functions of the new run that an old function became.
fn became(old: &str, new: &str, name: &str) -> Vec<String> {
    let (old, new) = (read(old), read(new));
    let matching = Matching::new(&old, &new, &Rules::default());
    let text = |profile: &Profile, id| {
        String::from_utf8_lossy(profile.name(profile.function(id).name)).into_owned()
    };
    let id = old
        .function_ids()
        .find(|&id| text(&old, id) == name)
        .unwrap_or_else(|| panic!("no {name}"));
    let pair = matching.old.pair_of_original(id);
    let same = new
        .function_ids()
        .filter(|&other| pair.is_some() && matching.new.pair_of_original(other) == pair);
    same.map(|id| text(&new, id)).collect()
}

/// Whether `main` calls `old` in one run and `new` in the next, and they are one function. With
/// their costs, and what else each calls.
fn is_renamed(old: (&str, u64, &[Call<'_>]), new: (&str, u64, &[Call<'_>])) -> bool {
    let run = |(name, cost, calls): (&str, u64, &[Call<'_>])| {
        let of_main: &[Call<'_>] = &[
            (name, 1, cost),
            ("a", 1, 1),
            ("b", 1, 1),
            ("c", 1, 1),
            ("d", 1, 1),
        ];
        let leaf = |name| (name, 1, &[][..]);
        written(&[
            ("main", 10, of_main),
            (name, cost, calls),
            leaf("a"),
            leaf("b"),
            leaf("c"),
            leaf("d"),
        ])
    };
    became(&run(old), &run(new), old.0) == [new.0]
}

/// Names of some length that differ in their first bytes.
fn names(length: usize, differ: usize) -> [String; 2] {
    ["p", "q"].map(|other| other.repeat(differ) + &"n".repeat(length - differ))
}

/// Likeness is counted in thousandths: 400 of each kind, and 2100 of all three.
#[test]
fn renamed_functions_are_alike_enough() {
    let [f, g] = &names(10, 3);
    let more: &[Call<'_>] = &[("a", 1, 1)];
    // Names 700, callers and callees 500.
    assert!(is_renamed((f, 900, more), (g, 1000, &[])));
    assert!(!is_renamed((f, 899, more), (g, 1000, &[])));
    // Costs alone.
    assert!(is_renamed((f, 400, &[]), (g, 1000, &[])));
    assert!(!is_renamed((f, 399, &[]), (g, 1000, &[])));
    // Names alone: 183 bytes of which 109, or 110, differ are 405, or 399, thousandths.
    for (differ, is_one) in [(109, true), (110, false)] {
        let [f, g] = &names(183, differ);
        assert_eq!(is_renamed((f, 1000, &[]), (g, 1000, &[])), is_one);
    }
    let [f, g] = &names(5, 3);
    assert!(is_renamed((f, 1000, &[]), (g, 1000, &[])), "400");
    // Callers and callees alone: two of five, and one of three.
    let [f, g] = &names(10, 1);
    assert!(is_renamed(
        (
            f,
            1000,
            &[("a", 1, 1), ("b", 1, 1), ("c", 1, 1), ("d", 1, 1)]
        ),
        (g, 1000, &[("a", 1, 1)])
    ));
    assert!(!is_renamed(
        (f, 1000, &[("a", 1, 1), ("b", 1, 1)]),
        (g, 1000, &[])
    ));
}

/// The second best is 200 thousandths behind.
#[test]
fn the_best_match_leads_by_a_margin() {
    let run = |functions: &[(&str, u64)]| {
        let calls: Vec<Call<'_>> = functions
            .iter()
            .map(|&(name, cost)| (name, 1, cost))
            .collect();
        let mut all = vec![("main", 10, &calls[..])];
        all.extend(functions.iter().map(|&(name, cost)| (name, cost, &[][..])));
        written(&all)
    };
    for (rival, is_sure) in [(800, true), (801, false)] {
        let new = run(&[("nnnnnnnnnq", 1000), ("nnnnnnnnnr", rival)]);
        let found = became(&run(&[("nnnnnnnnnp", 1000)]), &new, "nnnnnnnnnp");
        assert_eq!(
            found.first().map(|name| &name[..]),
            is_sure.then_some("nnnnnnnnnq"),
            "{rival}"
        );
    }
}

/// Names are compared by their first 200 bytes: of these one differs, which is 995 thousandths.
#[test]
fn long_names_are_compared_by_their_beginnings() {
    let [f, g] = ["p", "q"].map(|end| "n".repeat(199) + &end.repeat(300));
    assert!(is_renamed((&f, 605, &[("a", 1, 1)]), (&g, 1000, &[])));
    assert!(!is_renamed((&f, 604, &[("a", 1, 1)]), (&g, 1000, &[])));
}

/// The dearest 300 of each run are looked at.
#[test]
fn cheap_functions_are_not_looked_for_under_other_names() {
    for (dearer, is_found) in [(299, true), (300, false)] {
        // Nothing calls the others, and they call nothing.
        let others: Vec<String> = (0..dearer).map(|at| format!("{at}")).collect();
        let mut old: Vec<_> = others.iter().map(|name| (&**name, 5000, &[][..])).collect();
        let [calls_old, calls_new] = [[("nnnnp", 1, 100)], [("nnnnq", 1, 100)]];
        old.extend([("main", 10_000, &calls_old[..]), ("nnnnp", 100, &[][..])]);
        let new = [("main", 10_000, &calls_new[..]), ("nnnnq", 100, &[][..])];
        assert_eq!(
            became(&written(&old), &written(&new), "nnnnp") == ["nnnnq"],
            is_found,
            "{dearer}"
        );
    }
}

/// What was found helps to find what it calls, in three rounds.
#[test]
fn renames_are_followed_for_three_calls() {
    let run = |end: &str| {
        let names = [
            "main".to_owned(),
            format!("aaaaaaaaa{end}"),
            format!("bbbbbbbbb{end}"),
            format!("ccccccccc{end}"),
        ];
        let names = [&names[..], &[format!("ddddddddd{end}")]].concat();
        let calls: Vec<[Call<'_>; 1]> = names[1..]
            .iter()
            .zip([500, 200, 80, 30])
            .map(|(name, c)| [(&**name, 1, c)])
            .collect();
        let costs = [10, 300, 120, 50, 30];
        let of = |at: usize| calls.get(at).map_or(&[][..], |calls| &calls[..]);
        let all: Vec<_> = names
            .iter()
            .enumerate()
            .map(|(at, name)| (&**name, costs[at], of(at)))
            .collect();
        written(&all)
    };
    let (old, new) = (run("1"), run("2"));
    let found = ["aaaaaaaaa1", "bbbbbbbbb1", "ccccccccc1", "ddddddddd1"]
        .map(|name| became(&old, &new, name).len());
    assert_eq!(found, [1, 1, 1, 0]);
}

/// Closures that swapped places: the order counts 500, and costs that are not the very same four
/// fifths.
#[test]
fn siblings_that_swapped_are_told_by_costs_that_differ_enough() {
    let run = |costs: [u64; 2]| {
        let names = ["app::run::{closure#0}", "app::run::{closure#1}"];
        let calls: Vec<Call<'_>> = names
            .iter()
            .zip(costs)
            .map(|(&name, cost)| (name, 1, cost))
            .collect();
        written(&[
            ("main", 10, &calls),
            (names[0], costs[0], &[]),
            (names[1], costs[1], &[]),
        ])
    };
    for (less, partner) in [
        (813, "app::run::{closure#1}"),
        (814, "app::run::{closure#0}"),
    ] {
        let found = became(
            &run([1000, less]),
            &run([less, 1000]),
            "app::run::{closure#0}",
        );
        assert_eq!(found, [partner], "{less}");
    }
}

/// As many calls as before count 250: with costs that speak for the other by 50, the margin of 200
/// is left.
#[test]
fn a_sibling_that_is_called_as_often_is_the_likelier_one() {
    let name = |at: usize| format!("app::run::{{closure#{at}}}");
    let run = |functions: &[(String, u64, u64)]| {
        let calls: Vec<Call<'_>> = functions
            .iter()
            .map(|(name, cost, calls)| (&**name, *calls, *cost))
            .collect();
        let mut all = vec![("main", 10, &calls[..])];
        all.extend(
            functions
                .iter()
                .map(|(name, cost, _)| (&**name, *cost, &[][..])),
        );
        written(&all)
    };
    let old = run(&[(name(0), 1000, 1)]);
    for (cost, found) in [(869, 1), (868, 2)] {
        let new = run(&[(name(0), cost, 1), (name(1), 900, 2)]);
        // Where it stays in doubt, they are added up.
        assert_eq!(became(&old, &new, &name(0)).len(), found, "{cost}");
    }
}

/// A hash that stays is worth more than costs, callers and order.
#[test]
fn a_hash_that_stays_tells_siblings_apart() {
    let run = |functions: &[(&str, u64)]| {
        let names: Vec<String> = functions
            .iter()
            .map(|f| format!("app::run::h{}", f.0))
            .collect();
        let calls: Vec<Call<'_>> = names
            .iter()
            .zip(functions)
            .map(|(name, f)| (&**name, 1, f.1))
            .collect();
        let mut all = vec![("main", 10, &calls[..])];
        all.extend(
            names
                .iter()
                .zip(functions)
                .map(|(name, f)| (&**name, f.1, &[][..])),
        );
        written(&all)
    };
    let old = run(&[("0123456789abcdef", 1000), ("1123456789abcdef", 10)]);
    let new = run(&[("0123456789abcdef", 10), ("2123456789abcdef", 1000)]);
    assert_eq!(
        became(&old, &new, "app::run::h0123456789abcdef"),
        ["app::run::h0123456789abcdef"]
    );
}

/// Names of more than 4096 bytes are added up and not told apart.
#[test]
fn very_long_siblings_are_added_up() {
    let run = |length: usize, first: usize| {
        let name =
            |at: usize| "n".repeat(length - "::{closure}".len()) + &format!("::{{closure#{at}}}");
        let [a, b] = [first, first + 1].map(name);
        (
            written(&[
                ("main", 10, &[(&a, 1, 1000), (&b, 1, 10)]),
                (&a, 1000, &[]),
                (&b, 10, &[]),
            ]),
            a,
        )
    };
    for (length, found) in [(4096, 1), (4097, 2)] {
        let ((old, name), (new, _)) = (run(length, 0), run(length, 5));
        assert_eq!(became(&old, &new, &name).len(), found, "{length}");
    }
}

/// The new file of a function that is in one file in each run, by the path of the old one.
fn moved(olds: &[String], news: &[String], at: usize) -> Option<String> {
    let run = |paths: &[String]| {
        let mut text = String::from("events: Ir\n");
        for path in paths {
            text += &format!("fl={path}\nfn=f\n1 1\n");
        }
        read(&text)
    };
    let (old, new) = (run(olds), run(news));
    let matching = Matching::new(&old, &new, &Rules::default());
    let file = |profile: &Profile, id| {
        String::from_utf8_lossy(profile.name(profile.function(id).file)).into_owned()
    };
    let id = old
        .function_ids()
        .find(|&id| file(&old, id) == olds[at])
        .unwrap();
    let pair = matching.old.pair_of_original(id)?;
    let found = new
        .function_ids()
        .find(|&id| matching.new.pair_of_original(id) == Some(pair));
    found.map(|id| file(&new, id))
}

fn strings(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Each folder that two paths have in common is a vote for their being one: one file with three
/// outweighs two with one.
#[test]
fn files_move_with_the_folders_that_they_share() {
    let olds = strings(&["/one/src/deep/f.c", "/one/src/deep/g.c"]);
    let news = ["/two/src/deep/f.c", "/n/f.c", "/n/g.c"];
    assert_eq!(moved(&olds, &strings(&news), 0).as_deref(), Some(news[0]));
    // Two folders are outweighed by three files.
    let olds = strings(&["/one/deep/f.c", "/one/deep/g.c", "/one/deep/h.c"]);
    let news = ["/two/deep/f.c", "/n/f.c", "/n/g.c", "/n/h.c"];
    assert_eq!(moved(&olds, &strings(&news), 0).as_deref(), Some(news[1]));
}

/// Of many files of one name all pairs are looked at as long as these are at most 16 a file; then
/// those whose ends are most alike, 16 steps apart at most.
#[test]
fn many_files_of_one_name_are_matched_by_their_ends() {
    // Pairs in folders of their own, and others between and behind the two that moved.
    let found = |pairs: usize, between: usize| {
        let folder = |at: usize| format!("{at}{}", if at < between { 'b' } else { 'x' });
        let side = |root: &str, moved: &str| -> Vec<String> {
            let mut all: Vec<String> = (0..pairs)
                .map(|at| format!("/{root}/{}/mod.rs", folder(at)))
                .collect();
            all.extend([
                format!("/{root}er/{moved}/mod.rs"),
                format!("/{root}/{root}.c"),
            ]);
            all
        };
        let (old, new) = (side("one", "a"), side("two", "c"));
        moved(&old, &new, pairs) == Some(new[pairs].clone())
    };
    assert!(found(31, 31));
    assert!(!found(32, 32));
    assert!(found(40, 7), "fifteen steps");
    assert!(!found(40, 8), "seventeen steps");
}

/// A name that is in more than 32 objects of a run does not tell them apart.
#[test]
fn names_in_many_objects_tell_nothing() {
    for (objects, is_found) in [(32, true), (33, false)] {
        let run = |names: &mut dyn Iterator<Item = String>| {
            let text: String = names
                .map(|name| format!("ob=/lib/{name}\nfl=a.c\nfn=f\n1 1\n"))
                .collect();
            read(&format!("events: Ir\n{text}"))
        };
        let old = run(&mut (0..objects).map(|at| format!("old{at}")));
        let new = run(&mut ["new".to_owned()].into_iter());
        let matching = Matching::new(&old, &new, &Rules::default());
        assert_eq!(
            matching
                .pairs
                .iter()
                .any(|pair| pair.old.is_some() && pair.new.is_some()),
            is_found,
            "{objects}"
        );
    }
}

/// An object was renamed if half of the functions of the smaller one are in both; what all programs
/// have does not count.
#[test]
fn half_of_the_functions_tell_a_renamed_object() {
    let stage = Stage::empty();
    let write = |object: &str, names: &[&str]| {
        let functions = names.iter().map(|name| format!("fn={name}\n1 1\n"));
        let functions = functions.collect::<String>();
        let text = format!("events: Ir\nob=/lib/{object}\nfl=a.c\n{functions}");
        stage.write(object, text);
    };
    let is_one = |old: &[&str], new: &[&str]| {
        write("old", old);
        write("new", new);
        let text = stage.report(&["diff", "--by=object", "old", "new"]);
        !text.contains("(gone)")
    };
    assert!(is_one(&["f", "g"], &["f", "h"]));
    assert!(!is_one(&["f", "g", "g2"], &["f", "h", "h2"]));
    assert!(is_one(&["f", "g"], &["f", "h", "h2"]));
    assert!(!is_one(&["main", "g"], &["main", "h"]));
}

/// Two functions of a namespace that cost about the same make it a renamed one, in eight levels.
#[test]
fn two_functions_show_that_a_namespace_was_renamed() {
    let run = |space: &str, count: usize| {
        let names: Vec<String> = (0..count).map(|at| format!("{space}::f{at}")).collect();
        written(
            &names
                .iter()
                .map(|name| (&**name, 100, &[][..]))
                .collect::<Vec<_>>(),
        )
    };
    let is_found = |old: &str, new: &str, count| {
        !became(&run(old, count), &run(new, count), &format!("{old}::f0")).is_empty()
    };
    assert!(is_found("apple", "pear", 2));
    assert!(!is_found("apple", "pear", 1));
    let outer = |levels: usize| "n::".repeat(levels - 1);
    assert!(is_found(&(outer(8) + "apple"), &(outer(8) + "pear"), 2));
    assert!(!is_found(&(outer(9) + "apple"), &(outer(9) + "pear"), 2));
}

/// Type arguments are looked into sixteen levels deep.
#[test]
fn types_in_types_are_looked_into() {
    for (levels, is_found) in [(16, true), (17, false)] {
        let types = "T<".repeat(levels - 1) + "u8" + &">".repeat(levels - 1);
        let run = |name: &str| written(&[(name, 100, &[]), ("r::other", 5, &[])]);
        let found = became(
            &run("r::apply"),
            &run(&format!("r::apply::<{types}>")),
            "r::apply",
        );
        assert_eq!(!found.is_empty(), is_found, "{levels}");
    }
}

/// A demangled Rust name has 32 times the letters of the mangled one at most.
#[test]
fn demangled_names_are_32_times_as_long() {
    // A function `f` with an argument that is a tuple of tuples: each refers back to the one
    // before, and is twice as long.
    let mangled = |doubled: usize| {
        let mut name = String::from("_RINvC1a1f");
        let mut at = name.len() - 2;
        name += "ThhE";
        for _ in 0..doubled {
            let back = base62(at);
            at = name.len() - 2;
            name += &format!("TB{back}B{back}E");
        }
        name + "E"
    };
    let is_demangled = |name: &str| normalised(name.as_bytes()) != name.as_bytes();
    let lengths = (0..9).map(|doubled| (mangled(doubled), is_demangled(&mangled(doubled))));
    let (names, known): (Vec<String>, Vec<bool>) = lengths.unzip();
    assert_eq!(
        known,
        [true, true, true, true, true, true, true, false, false],
        "{names:?}"
    );
}

/// A place in a mangled name, as a reference back has it.
fn base62(at: usize) -> String {
    const DIGITS: &[u8; 62] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    match at {
        0 => "_".to_owned(),
        at if at <= 62 => format!("{}_", DIGITS[at - 1] as char),
        at => format!(
            "{}{}_",
            DIGITS[(at - 1) / 62] as char,
            DIGITS[(at - 1) % 62] as char
        ),
    }
}

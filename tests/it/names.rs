//! Any name survives: what one of our writers writes, our readers read as it was, with its costs.

use crate::common::fixture;
use crate::common::{Stage, counts};
use cgannotate::input::{self, Options};
use std::collections::BTreeMap;

/// Function, file and object, as bytes.
type Key = [Vec<u8>; 3];

/// Names that look like something else in one of the formats.
const ODD: [&[u8]; 43] = [
    b"#",
    b"#priv",
    b"# cgannotate baseline 1",
    b"",
    b" ",
    b"a ",
    b"\ta\t",
    b"a\tb",
    b"\r",
    b"a\r",
    b"a\rb",
    b"a\x0c",
    b"\x0b",
    b"(3)",
    b"(3) x",
    b"(3)x",
    b"(0003)'2",
    b"(1)'2'(9)",
    b"(99999999999999999999)'(1)",
    b"(x)",
    b"'2",
    b"''2",
    b"f '2",
    b"f'2'g",
    b"fn=x",
    b"fn=(1)",
    b"calls=1 1",
    b"totals: 3",
    b"command: x",
    b"functions: 3",
    b"1 1",
    b"+1",
    b"???",
    b"\\x23",
    b"\\",
    b"\\n",
    b"\0",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"a::function::of::a::name::that::is::as::long::as::many(int)'2'another::of::a::name::that::is::as::long::as::many'#'(3) x'main",
    b"yet::another::of::a::name::that::is::as::long'a::function::of::a::name::that::is::as::long::as::many(int)'2'another::of::a::name::that::is::as::long::as::many'#'(3) x'main",
    b"one::with::a::long::name::that::is::no::callers'one::more::that::ends::with::a::quote'",
    "é\u{2028}\u{85}".as_bytes(),
];

/// Numbers that look like any others and are the same every time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % n
    }

    /// One odd name, or several behind one another.
    fn name(&mut self) -> Vec<u8> {
        let pieces = [1, 1, 1, 2, 3][self.below(5)];
        (0..pieces)
            .flat_map(|_| ODD[self.below(ODD.len())])
            .copied()
            .collect()
    }
}

/// A name as profiles have it: white space around it is not part of it, and what is not known is
/// `???`, or no object.
fn known(name: &[u8], unknown: &[u8]) -> Vec<u8> {
    let name = name.trim_ascii();
    if name.is_empty() {
        unknown.to_vec()
    } else {
        name.to_vec()
    }
}

/// A baseline in which every byte of a name is escaped.
fn baseline(functions: &[Key]) -> String {
    let mut text = format!(
        "# cgannotate baseline 1\nevents: Ir\ntotals: 0\nfunctions: {}\n",
        functions.len()
    );
    for (cost, names) in (1..).zip(functions) {
        for name in names {
            name.iter()
                .for_each(|byte| text += &format!("\\x{byte:02x}"));
            text.push('\t');
        }
        text += &format!("1\t{cost}\t{cost}\n");
    }
    text
}

/// The functions of a file with their self costs.
fn functions(stage: &Stage, file: &str) -> BTreeMap<Key, i64> {
    let path = stage.dir.join(file).to_str().unwrap().to_owned();
    let profile = input::read(&[path], &Options::all()).unwrap();
    assert!(
        profile.warnings.is_empty(),
        "{file}: {:?}",
        profile.warnings.kept()
    );
    let all = profile.function_ids().map(|id| {
        let f = profile.function(id);
        (
            [f.name, f.file, f.object].map(|name| profile.name(name).to_vec()),
            counts(profile.self_counts(id))[0],
        )
    });
    all.collect()
}

#[test]
fn any_name_survives_every_format() {
    let stage = Stage::empty();
    let mut chance = Chance(11);
    let mut names_seen = 0;
    for round in 0..12 {
        let mut want: BTreeMap<Key, i64> = BTreeMap::new();
        let mut written = Vec::new();
        for at in 0..60 {
            let names = match ODD.get(at).filter(|_| round == 0) {
                Some(odd) => [odd.to_vec(), odd.to_vec(), odd.to_vec()],
                None => [(); 3].map(|()| chance.name()),
            };
            let key = [
                known(&names[0], b"???"),
                known(&names[1], b"???"),
                known(&names[2], b""),
            ];
            want.entry(key).or_insert_with(|| {
                written.push(names);
                written.len() as i64
            });
        }
        names_seen += want.len();
        stage.write("b", baseline(&written));
        assert_eq!(functions(&stage, "b"), want);
        stage.report(&["merge", "b", "-o", "m"]);
        assert_eq!(functions(&stage, "m"), want, "merged");
        stage.report(&["merge", "m", "-o", "again"]);
        assert!(
            std::fs::read(stage.dir.join("m")).unwrap()
                == std::fs::read(stage.dir.join("again")).unwrap()
        );
        stage.report(&["check", "m", "--save-baseline", "saved"]);
        assert_eq!(functions(&stage, "saved"), want, "as a baseline");
        stage.report(&["convert", "--to=callgrind", "saved", "-o", "c"]);
        assert_eq!(functions(&stage, "c"), want, "a baseline as a profile");

        // webgrind knows no objects.
        let mut without_objects: BTreeMap<Key, i64> = BTreeMap::new();
        for ([name, file, _], cost) in &want {
            *without_objects
                .entry([name.clone(), file.clone(), Vec::new()])
                .or_default() += cost;
        }
        stage.report(&["convert", "--to=webgrind", "m", "-o", "w"]);
        assert_eq!(functions(&stage, "w"), without_objects, "webgrind's");
        stage.report(&["convert", "--to=callgrind", "w", "-o", "back"]);
        assert_eq!(
            functions(&stage, "back"),
            without_objects,
            "back from webgrind's"
        );
    }
    assert!(names_seen > 500, "{names_seen}");
}

/// The callees of a profile are named in other lines than its functions.
#[test]
fn callees_have_the_names_of_their_functions() {
    let stage = Stage::empty();
    let functions = ODD.map(known_function);
    // Ids and names of the input are apart: no id is in a name.
    let mut text = b"creator: cgannotate-test\nevents: Ir\n".to_vec();
    for (at, name) in functions.iter().enumerate() {
        let named =
            |key: &str, name: &[u8]| [format!("{key}=({at}) ").as_bytes(), name, b"\n"].concat();
        text.extend([named("fl", name), named("fn", name), b"1 1\n".to_vec()].concat());
        text.extend([named("cfn", name), b"calls=1 0\n2 5\n".to_vec()].concat());
    }
    stage.write("p", text);
    let arcs = |file: &str| -> Vec<(Vec<u8>, Vec<u8>)> {
        let path = stage.dir.join(file).to_str().unwrap().to_owned();
        let profile = input::read(&[path], &Options::all()).unwrap();
        let name = |id| profile.name(profile.function(id).name).to_vec();
        let mut arcs: Vec<_> = profile
            .arcs
            .iter()
            .map(|arc| (name(arc.caller), name(arc.callee)))
            .collect();
        arcs.sort();
        arcs
    };
    let mut want: Vec<_> = functions
        .iter()
        .map(|name| (name.clone(), name.clone()))
        .collect();
    want.sort();
    want.dedup();
    assert_eq!(arcs("p"), want);
    stage.report(&["merge", "p", "-o", "m"]);
    assert_eq!(arcs("m"), want);
}

fn known_function(name: &[u8]) -> Vec<u8> {
    known(name, b"???")
}

/// As found: the line of `#priv` was taken for a comment.
#[test]
fn a_function_can_begin_with_a_hash() {
    let stage = Stage::empty();
    let file = fixture("regressions/hashname.out");
    stage.report(&[
        "check",
        &file,
        "--save-baseline",
        "base",
        "--limit",
        "total.Ir<=9T",
    ]);
    stage.report(&[
        "check",
        &file,
        "--baseline",
        "base",
        "--limit",
        "self.Ir(/./)<=+0",
    ]);
    let text = std::fs::read_to_string(stage.dir.join("base")).unwrap();
    assert!(
        text.contains("\nfunctions: 2\n") && text.contains("\n\\x23priv\ta.js\t\t0\t10\t10\n"),
        "{text}"
    );
}

#[test]
fn a_command_can_have_tabs() {
    let stage = Stage::empty();
    stage.write(
        "p",
        "version: 1\ncmd: a\tb: c\nevents: Ir\nfl=f\nfn=g\n1 10\n",
    );
    stage.report(&[
        "check",
        "p",
        "--save-baseline",
        "base",
        "--limit",
        "total.Ir<=9T",
    ]);
    let path = stage.dir.join("base").to_str().unwrap().to_owned();
    let profile = input::read(&[path], &Options::all()).unwrap();
    assert_eq!(
        (&profile.parts[0].command[..], profile.functions.len()),
        (&b"a\tb: c"[..], 1)
    );
}

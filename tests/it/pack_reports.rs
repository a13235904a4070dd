//! Whatever is asked of a pack has the answer that its profile has, where the sources and programs
//! of it are, and where not.

use crate::answers::columns;
use crate::common::amount::{is_long, some};
use crate::common::{Stage, assert_same, profiles};
use regex::Regex;
use std::fs;
use std::path::Path;

/// What is asked, a line each: `P` is the profile or the pack, `O` the profile, `F` the name of its
/// first function.
const QUESTIONS: &str = "
P
--auto=yes --threshold=100 P
--auto=yes --tree=both --inclusive=yes P
--inlined --auto=yes --threshold=100 P
--own P
--own --auto=yes P
--own --inlined P
--own --inlined --auto=yes --threshold=100 P
--own=packages P
--by=object P
--by=file --own P
--by=class P
--by=line P
--by=line --inlined P
--by=instr P
--by=instr --threshold=100 P
--zoom=F P
--zoom=F --asm P
--zoom=F --asm --inlined P
--zoom=F --own --inlined P
--compat --auto=yes P
--format=json P
--format=json --own --inlined P
--format=json --inlined --by=instr P
--format=csv --inlined P
--format=csv --own --inlined P
--format=markdown P
--format=html P
--format=html --own --inlined P
--split=part P
--split=input --format=json P
diff P P
diff O P
diff --inlined O P
diff --own --inlined O P
diff --own --inlined --format=json O P
diff --format=html O P
check --limit=total.Ir<=1 P
check --limit=total.Ir<=99G P
check --baseline=O P
check --baseline=O --own P
trend O P
trend O P O P O P
merge P
convert --to=folded P
convert --to=folded --inlined P
convert --to=folded --own --inlined P
convert --to=speedscope --inlined P
convert --to=pprof P
convert --to=pprof --inlined P
convert --to=dot --own P
convert --to=callgrind P
convert --to=webgrind P
";

/// Packs a profile that lies in a folder called as the pack, and compares the answers of both to
/// the questions that are wanted. `gone` goes away between, but only after questions about the
/// profile itself.
pub fn same_answers(
    stage: &Stage,
    profile: &str,
    more: &[&str],
    wanted: impl Fn(usize) -> bool,
    gone: &[&str],
) {
    let old = stage.dir.join("old.out");
    fs::copy(stage.dir.join(profile), &old).unwrap();
    fs::create_dir_all(stage.dir.join("x.cgpack")).unwrap();
    fs::create_dir_all(stage.dir.join("elsewhere")).unwrap();
    let inside = format!("x.cgpack/{profile}");
    fs::rename(stage.dir.join(profile), stage.dir.join(&inside)).unwrap();
    let packed = stage.run(&[&["pack", &inside, "-o", "elsewhere/x.cgpack"], more].concat());
    let plain = stage.run(&["--format=json", &inside]);
    assert_eq!(
        packed.status.code(),
        plain.status.code(),
        "{profile}: {}",
        String::from_utf8_lossy(&packed.stderr)
    );
    if !stage.dir.join("elsewhere/x.cgpack").exists() {
        return;
    }
    let first = serde_json::from_slice::<serde_json::Value>(&plain.stdout).ok();
    let first = first
        .and_then(|report| Some(report["functions"][0]["name"].as_str()?.to_owned()))
        .unwrap_or_default();
    let answer = |question: &str, folder: &Path, called: &str| {
        let words = question.split(' ').map(|word| match word {
            "P" => called.to_owned(),
            "O" => old.to_str().unwrap().to_owned(),
            "--zoom=F" => format!("--zoom={first}"),
            "--baseline=O" => format!("--baseline={}", old.display()),
            _ => word.to_owned(),
        });
        let words: Vec<String> = words.collect();
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let out = stage.command(&words).current_dir(folder).output().unwrap();
        let text = |bytes: &[u8]| {
            String::from_utf8_lossy(bytes)
                .replace(&inside, "P")
                .replace("x.cgpack", "P")
                .replace(profile, "P")
        };
        let status = out.status.code().expect("no signal ends it");
        assert_ne!(
            status,
            101,
            "{question}: {}",
            String::from_utf8_lossy(&out.stderr)
        );
        let mut report = text(&out.stdout);
        if question.contains("=html --own") {
            // A page says where inlined functions are known from: here from the pack, there from
            // the binary.
            let source = Regex::new("inlined code: [^\"]*").unwrap();
            let page = columns(&String::from_utf8_lossy(&out.stdout));
            report = source.replace_all(&page, "").into_owned();
        }
        (status, report, text(&out.stderr))
    };
    let questions = QUESTIONS
        .trim()
        .lines()
        .enumerate()
        .filter(|(at, _)| wanted(*at))
        .map(|(_, question)| question);
    let questions: Vec<&str> = questions.collect();
    let of_profile: Vec<_> = questions
        .iter()
        .map(|question| answer(question, &stage.dir, &inside))
        .collect();
    let needs_profile = |question: &&str| question.contains(" O ") || question.contains("=O ");
    let (mut both, alone): (Vec<_>, Vec<_>) = questions
        .iter()
        .zip(&of_profile)
        .partition(|(question, _)| needs_profile(question));
    let count = both.len();
    both.extend(alone);
    for (at, (question, (status, report, messages))) in both.into_iter().enumerate() {
        for path in gone.iter().filter(|_| at == count) {
            fs::remove_file(stage.dir.join(path)).unwrap();
        }
        let (of_pack, same, said) = answer(question, &stage.dir.join("elsewhere"), "x.cgpack");
        assert_same(&format!("{profile}: {question}"), report, &same);
        assert_same(
            &format!("{profile}: {question}: standard error"),
            messages,
            &said,
        );
        assert_eq!(*status, of_pack, "{profile}: {question}");
    }
}

/// Every second question in a long run, by two threads. A short one asks a part of the fixtures
/// every fourth question, and the next one others.
#[test]
fn a_pack_answers_as_its_profile_does() {
    let names = some(profiles());
    // Of half the questions in a long run, since all take as long as all other tests together.
    let each = if is_long() { 2 } else { 12 };
    let half = |first: usize| {
        for (at, name) in names.iter().enumerate().skip(first).step_by(2) {
            let (folder, file) = name.split_once('/').unwrap();
            let wanted = |question: usize| question % each == at % each;
            same_answers(&Stage::of(folder), file, &["--threshold=100"], wanted, &[]);
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(|| half(0));
        half(1);
    });
}

//! Against the `callgrind_annotate` that is installed, where there is one: what no golden can hold,
//! such as the names of this folder, and whether the goldens are still what it prints.

use crate::common::amount::{some, ways};
use crate::common::needed::{Required, found, starts};
use crate::common::{Golden, Stage, assert_same, canonical, has_parts, one_warning, profiles};

const REFERENCE: &str = "callgrind_annotate";

/// Whether it is installed; says so where it is not, and fails where it must be.
pub(super) fn is_installed() -> bool {
    // Its own exit status tells nothing: `--version` fails.
    let missing =
        format!("{REFERENCE} is not installed (Debian: valgrind), so nothing was compared with it");
    found(
        starts(REFERENCE, &["--version"]),
        Required::Reference,
        &missing,
    )
}

/// What the original prints, and whether it succeeded.
pub(super) fn reference(stage: &Stage, args: &[&str]) -> (String, bool) {
    let mut command = stage.any(REFERENCE, args);
    let out = command.env("PERL_HASH_SEED", "0").output().unwrap();
    (String::from_utf8(out.stdout).unwrap(), out.status.success())
}

/// Options that the goldens have on few profiles only.
const MATRIX: &[&[&str]] = &[
    &["--threshold=99.95", "--show-percs=no", "--context=3"],
    &[
        "--tree=both",
        "--threshold=100",
        "--show-percs=no",
        "--auto=no",
    ],
    &[
        "--tree=caller",
        "--sort=Ir:50",
        "--context=0",
        "--include=src",
    ],
    &[
        "--inclusive=yes",
        "--tree=calling",
        "--threshold=90",
        "--auto=no",
    ],
    &["--inclusive=yes", "--threshold=100", "--context=1000"],
];

/// Every profile of one part, with the names of its sources made absolute: the original takes the
/// current folder off callers only, and `--compat` does as it does.
#[test]
fn compat_prints_what_the_installed_original_prints() {
    if !is_installed() {
        return;
    }
    for (at, profile) in some(profiles())
        .iter()
        .filter(|profile| !has_parts(profile))
        .enumerate()
    {
        let (fixture, file) = profile.split_once('/').unwrap();
        let stage = Stage::of(fixture);
        stage.absolute(file);
        for options in ways(at, MATRIX) {
            let args: Vec<&str> = options.iter().copied().chain([file]).collect();
            let what = format!("{profile} {}", options.join(" "));
            let (want, succeeds) = reference(&stage, &args);
            let mut ours = vec!["--compat"];
            ours.extend(&args);
            let got = stage.run(&ours);
            assert_eq!(got.status.success(), succeeds, "{what}");
            let got = String::from_utf8(got.stdout).unwrap();
            assert_same(
                &what,
                &canonical(&one_warning(&want)),
                &canonical(&one_warning(&got)),
            );
        }
    }
}

/// `fixtures/record-goldens.sh` would record the same today: checked on one golden of every
/// profile.
#[test]
fn the_goldens_are_what_the_installed_original_prints() {
    if !is_installed() {
        return;
    }
    let mut goldens = Golden::all();
    goldens.dedup_by_key(|golden| golden.profile());
    for golden in some(goldens) {
        let (text, succeeds) = reference(&Stage::of(&golden.fixture), &golden.args(&[]));
        assert!(succeeds, "{}", golden.path);
        assert_same(
            &golden.path,
            &canonical(&golden.text()),
            &canonical(&one_warning(&text)),
        );
    }
}

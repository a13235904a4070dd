//! Addresses, calls and jumps as they are read.

use crate::common::{Stage, fixture};
use cgannotate::input::{self, Options};
use cgannotate::profile::{Collect, Counts, FunctionId, Profile};

fn options() -> Options {
    Options {
        collect: Collect {
            code: true,
            ..Collect::ALL
        },
        ..Options::all()
    }
}

fn read(text: &str) -> Profile {
    input::read_from("out", text.as_bytes(), &options()).unwrap()
}

/// The first count of a row.
fn first(cost: Counts<'_>) -> i64 {
    cost.recorded().next().flatten().unwrap_or(0)
}

fn name(profile: &Profile, id: FunctionId) -> String {
    String::from_utf8_lossy(profile.name(profile.function(id).name)).into_owned()
}

/// `function address line cost` of every instruction.
fn instructions(profile: &Profile) -> Vec<String> {
    let code = profile.code.as_ref().unwrap();
    let one = |(i, cost): (&cgannotate::profile::code::Instruction, Counts<'_>)| {
        format!(
            "{} {:#x} {} {cost:?}",
            name(profile, i.function),
            i.address,
            i.line
        )
    };
    code.instructions().map(one).collect()
}

#[test]
fn nothing_is_kept_of_instructions_that_nobody_asked_for() {
    let file = fixture("instr/phases.instr-jumps.out");
    assert!(
        input::read(&[&file], &Options::all())
            .unwrap()
            .code
            .is_none()
    );
    let plain = fixture("shapes/shapes.plain.out");
    assert!(
        input::read(&[&plain], &options()).unwrap().code.is_none(),
        "there are none"
    );
}

#[test]
fn instructions_add_up_to_their_functions() {
    for file in [
        "instr/phases.instr-jumps.out",
        "instr/inventory.instr-jumps.out",
        "instr/matrix.all.out",
        "toggle/phases.toggle.instr.out",
        "shapes/shapes.instr-jumps.out",
        "shapes/shapes.instronly.out",
    ] {
        let profile = input::read(&[fixture(file)], &options()).unwrap();
        let without = input::read(&[fixture(file)], &Options::all()).unwrap();
        assert_eq!(
            profile.lines, without.lines,
            "{file}: the rest is as without"
        );
        let code = profile.code.as_ref().unwrap();
        let mut sums = vec![0i64; profile.functions.len()];
        code.instructions()
            .for_each(|(i, cost)| sums[i.function.index()] += first(cost));
        let (mut calls, mut arcs) = (0, 0);
        for id in profile.function_ids() {
            assert_eq!(sums[id.index()], first(profile.self_counts(id)), "{file}");
            calls += code.calls_of(id).map(|(_, count, _)| count).sum::<u64>();
            arcs += profile.arcs_of(id).iter().map(|arc| arc.count).sum::<u64>();
        }
        assert_eq!(calls, arcs, "{file}");
        assert_eq!(
            code.jumps().len() > 0,
            file.contains("instr-jumps") || file.contains("toggle"),
            "{file}"
        );
        // With `--toggle-collect`, Callgrind counts jumps also while it collects no costs.
        for (jump, times) in code.jumps().filter(|_| file.starts_with("shapes")) {
            assert!(
                !jump.conditional || times.taken <= times.executed,
                "{file}: {jump:?} {times:?}"
            );
        }
    }
}

const SMALL: &str = "\
creator: callgrind-3.19.0
positions: instr line
events: Ir

ob=(1) /bin/x
fl=(1) x.c
fn=(1) main
0x1000 3 1
+4 * 1
jcnd=3/10 +8 +2
+4 *
+4 +1 5
cfn=(2) f
calls=2 0x2000 10
* * 40
+4 * 2
jump=7 -12 -1
* *

fn=(2)
0x2000 10 20
* 11 20
jfi=(2) y.h
jfn=(3) g
jump=1 0x3000 77
* 11
";

#[test]
fn addresses_follow_the_writers_rule() {
    let profile = read(SMALL);
    let want = [
        "main 0x1000 3 [1]",
        "main 0x1004 3 [1]",
        "main 0x1008 4 [5]",
        "main 0x100c 4 [2]",
        "f 0x2000 10 [20]",
        "f 0x2000 11 [20]",
    ];
    assert_eq!(instructions(&profile), want);
    let code = profile.code.as_ref().unwrap();
    let calls: Vec<_> = code
        .calls()
        .map(|(call, count, cost)| {
            (
                name(&profile, call.callee),
                call.address,
                call.target,
                call.target_line,
                count,
                first(cost),
            )
        })
        .collect();
    assert_eq!(calls, [("f".to_owned(), 0x1008, Some(0x2000), 10, 2, 40)]);
    let jumps: Vec<_> = code
        .jumps()
        .map(|(j, t)| {
            (
                j.from,
                j.to,
                j.line,
                j.to_line,
                j.conditional,
                t.taken,
                t.executed,
                j.to_name.map(|n| profile.name(n)),
            )
        })
        .collect();
    assert_eq!(
        jumps,
        [
            (0x1008, 0x100c, 3, 5, true, 3, 10, None),
            (0x100c, 0x1000, 4, 3, false, 7, 0, None),
            (0x2000, 0x3000, 11, 77, false, 1, 0, Some(&b"g"[..])),
        ]
    );
}

/// By the specification, every line of costs, calls and jumps moves the base; and a jump's counts
/// may have blanks between.
#[test]
fn other_writers_move_the_base_with_every_line() {
    let text = SMALL
        .replace("creator: callgrind-3.19.0\n", "")
        .replace("jcnd=3/10 ", "jcnd=10 3 ");
    let profile = read(&text);
    let code = profile.code.as_ref().unwrap();
    let jumps: Vec<_> = code
        .jumps()
        .map(|(j, t)| (j.from, j.to, t.taken, t.executed))
        .collect();
    assert_eq!(jumps[0], (0x1008, 0x100c, 3, 10));
    assert_eq!(
        instructions(&profile)[2..4],
        ["main 0x100c 4 [5]", "main 0x1010 4 [2]"]
    );
}

/// Two readings of one program are one with twice the counts, whatever ids the names have in each.
#[test]
fn sums_of_inputs_are_sums_of_instructions() {
    let stage = Stage::empty();
    let other = SMALL
        .replace("(1) x.c", "(9) x.c")
        .replace("fl=(1)", "fl=(9)");
    stage.write("a", SMALL).write(
        "b",
        other.replace("fn=(1) main", "fn=(5) first\n0x10 1 1\nfn=(1) main"),
    );
    let profile = input::read(&[stage.dir.join("a"), stage.dir.join("b")], &options()).unwrap();
    let have = instructions(&profile);
    assert!(have.contains(&"main 0x1008 4 [10]".to_owned()), "{have:?}");
    let code = profile.code.as_ref().unwrap();
    assert_eq!(
        code.jumps()
            .map(|(j, t)| (j.from, t.taken))
            .collect::<Vec<_>>(),
        [(0x1008, 6), (0x100c, 14), (0x2000, 2)]
    );
    assert_eq!(
        code.calls()
            .map(|(_, count, cost)| (count, first(cost)))
            .collect::<Vec<_>>(),
        [(4, 80)]
    );
}

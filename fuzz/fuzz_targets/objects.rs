//! A binary in, and what its symbols, its debug information and its instructions say out: nothing may panic, hang or eat
//! memory, whatever the bytes.
#![no_main]

use cgannotate::input::{self, Options};
use cgannotate::object::{Extent, Where, disassemble, find_inlined};
use cgannotate::profile::{Collect, Profile};
use libfuzzer_sys::fuzz_target;
use std::path::PathBuf;
use std::sync::LazyLock;

/// Where the binary lies.
static FILE: LazyLock<PathBuf> = LazyLock::new(|| {
    let shared = PathBuf::from("/dev/shm");
    let folder = if shared.is_dir() {
        shared
    } else {
        std::env::temp_dir()
    };
    folder.join(format!("cgannotate-fuzz.{}.elf", std::process::id()))
});

/// A profile of it, with costs at the addresses that linkers give to code.
static PROFILE: LazyLock<Profile> = LazyLock::new(|| {
    let mut text = format!(
        "positions: instr line\nevents: Ir\nob={}\nfl=a.c\nfn=f\n",
        FILE.display()
    );
    for base in [0x1000u64, 0x40_1000, 0x1_0000] {
        (0..2000).for_each(|n| text += &format!("{:#x} {} 1\n", base + 3 * n, n % 50));
    }
    let options = Options {
        collect: Collect {
            code: true,
            ..Collect::ALL
        },
        ..Options::all()
    };
    input::read_from("fuzz", text.as_bytes(), &options).expect("a profile")
});

fuzz_target!(|bytes: &[u8]| {
    std::fs::write(&*FILE, bytes).expect("space for the input");
    let mut profile = PROFILE.clone();
    let place = Where {
        force: true,
        objdump: Some(PathBuf::from("/nonexistent")),
        ..Where::default()
    };
    find_inlined(&mut profile, &place);
    let Some(id) = profile.function_ids().next() else {
        return;
    };
    let object = profile.function(id).object;
    // Our own disassembler, not one that is installed.
    let place = Where {
        objdump: None,
        ..place
    };
    if profile
        .inlined
        .as_ref()
        .is_some_and(|inlined| inlined.debug.iter().any(|debug| debug.found.is_some()))
    {
        let is_x86 = bytes
            .get(18)
            .is_some_and(|&machine| matches!(machine, 3 | 62));
        if is_x86 {
            let _ = disassemble(
                &profile,
                profile.inlined.as_deref(),
                object,
                (&[0x1000, 0x1003, 0x40_1000], Extent::Functions),
                &place,
            );
        }
    }
});

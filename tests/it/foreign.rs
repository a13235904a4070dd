//! Files of other programs: a message says what they are, and a hint names the next command.

use crate::common::{Stage, gzip};

/// A profile for the archives and encodings.
const SMALL: &str = "version: 1\nevents: Ir\nfl=a.c\nfn=main\n1 20\n2 30\n";

fn wide(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(bytes).collect()
}

#[test]
fn a_file_of_another_program_is_named_with_the_next_command() {
    let mut tar = vec![0; 1024];
    tar[..5].copy_from_slice(b"a.out");
    tar[257..262].copy_from_slice(b"ustar");
    let marked = |text: Vec<u8>, mark: [u8; 2]| [mark.to_vec(), text].concat();
    let le = wide(SMALL, u16::to_le_bytes);
    let be = wide(SMALL, u16::to_be_bytes);
    // The first bytes of real files: of Python 3.11 and 3.7, of Go's and this program's
    // profile.proto.
    let pprof = b"\x0a\x04\x08\x01\x10\x02\x0a\x04\x08\x03\x10\x04\x12\x06";
    let dhat = "{\"dhatFileVersion\":2\n,\"mode\":\"heap\",\"verb\":\"Allocated\"\n";
    let v8 = "{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\"}}],\"startTime\":1}";
    let massif =
        "desc: --massif-out-file=x\ncmd: ./slow 10 10\ntime_unit: i\n#-----------\nsnapshot=0\n";
    for (name, bytes, what) in [
        (
            "a.zip",
            b"PK\x03\x04\x14\0\0\0".to_vec(),
            "a zip archive\nhint: `unzip a.zip` unpacks it",
        ),
        (
            "empty.zip",
            b"PK\x05\x06\0\0\0\0".to_vec(),
            "a zip archive\nhint: `unzip empty.zip` unpacks it",
        ),
        (
            "a.bz2",
            b"BZh91AY&SY".to_vec(),
            "bzip2 data\nhint: `bzip2 -dc a.bz2 | cgannotate -` reads it",
        ),
        (
            "a.tar",
            tar.clone(),
            "a tar archive\nhint: `tar xf a.tar` unpacks it",
        ),
        (
            "a.tar.gz",
            gzip(&tar),
            "a tar archive\nhint: `tar xf a.tar.gz` unpacks it",
        ),
        (
            "le",
            marked(le, [0xff, 0xfe]),
            "UTF-16 text, as PowerShell's `>` writes\nhint: `iconv -f UTF-16 -t UTF-8 le |",
        ),
        (
            "be",
            marked(be, [0xfe, 0xff]),
            "UTF-16 text, as PowerShell's `>` writes\nhint: `iconv -f UTF-16 -t UTF-8 be |",
        ),
        (
            "a.pb",
            pprof.to_vec(),
            "a pprof profile\nhint: `go tool pprof -callgrind a.pb` converts it",
        ),
        (
            "a.pb.gz",
            gzip(pprof),
            "a pprof profile\nhint: `go tool pprof -callgrind a.pb.gz` converts it",
        ),
        (
            "pstats",
            b"\xfb)\x03\xfa\x01~\xe9\0\0\0\0".to_vec(),
            "a Python profile (pstats)\nhint: `pyprof2calltree -i pstats` ",
        ),
        (
            "old",
            b"{\xa9\x03\xfa\x01~\xe9\0\0\0\0".to_vec(),
            "a Python profile (pstats)\nhint: `pyprof2calltree -i old` ",
        ),
        (
            "a.cpuprofile",
            v8.into(),
            "a V8 profile (cpuprofile)\nhint: Chrome's DevTools and `npx speedscope a.cpuprofile` ",
        ),
        (
            "perf.data",
            b"PERFILE2h\0\0\0".to_vec(),
            "a recording of perf\nhint: `perf report -i perf.data` shows it",
        ),
        (
            "massif.out.7",
            massif.into(),
            "a Massif profile\nhint: `ms_print massif.out.7` shows it",
        ),
        (
            "dhat.out.7",
            dhat.into(),
            "a DHAT profile\nhint: Valgrind's dh_view.html shows it",
        ),
    ] {
        let stage = Stage::empty();
        stage.write(name, bytes);
        let out = stage.run(&[name]);
        let line = String::from_utf8(out.stderr).unwrap();
        assert!(
            line.starts_with(&format!("cgannotate: {name}: this is {what}"))
                && line.matches('\n').count() == 2,
            "{line}"
        );
        assert_eq!(
            (out.status.code(), out.stdout.len()),
            (Some(1), 0),
            "{name}"
        );
    }
}

/// What cannot be any of them is called no profile, as ever; and a description may have any words.
#[test]
fn a_file_that_is_only_like_one_is_not_named() {
    let stage = Stage::empty();
    stage
        .write("zeros", [0; 64])
        .write("json", "{\"a\": 1}")
        .write("letter", "B");
    for name in ["zeros", "json", "letter"] {
        let line = String::from_utf8(stage.run(&[name]).stderr).unwrap();
        assert_eq!(line, format!("cgannotate: {name}: this is not a profile\n"));
    }
    stage.write("p", format!("desc: time_unit: i\n{SMALL}"));
    assert!(stage.report(&["--format=csv", "p"]).contains("main"));
}

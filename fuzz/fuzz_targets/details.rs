//! Details of a recording whose hashes and compression agree with it, so that the engine reaches what is read after they
//! were checked. An input is the lines of a profile, a zero byte, and what the details say of its object.
#![no_main]

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use cgannotate::input::{self, Options};
use cgannotate::object::{Where, find_inlined};
use cgannotate::profile::Collect;
use libfuzzer_sys::fuzz_target;
use lzma_rust2::{XzOptions, XzWriter};
use sha2::{Digest, Sha256};
use std::io::Write;

const HEAD: &[u8] = b"version: 1\ndesc: Details: at the end of the file\npositions: instr line\nevents: Ir\nob=/bin/a\n";

fn hash(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A file of a tar archive: a header, which ends with its size and a sum of its bytes, and the contents.
fn entry(name: &str, bytes: &[u8]) -> Vec<u8> {
    let mut header = [0; 512];
    let mut put = |at: usize, text: &str| header[at..at + text.len()].copy_from_slice(text.as_bytes());
    put(0, name);
    put(100, "0000644");
    put(108, "0000000");
    put(116, "0000000");
    put(124, &format!("{:011o}", bytes.len()));
    put(136, "00000000000");
    put(148, "        0");
    put(257, "ustar\x0000");
    let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
    header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
    let padding = vec![0; bytes.len().next_multiple_of(512) - bytes.len()];
    [&header, bytes, &padding].concat()
}

fn pack(object: &[u8]) -> Vec<u8> {
    let (size, sha256) = (object.len(), hash(object));
    let file = format!(r#"{{"entry":"objects/1/a.json","size":{size},"sha256":"{sha256}"}}"#);
    let object_entry = format!(r#"{{"name":"/bin/a","state":"used","build_id":"7","inlined":{file}}}"#);
    let manifest = format!(
        r#"{{"cgpack":2,"creator":"c","folder":"","profiles":[],"objects":[{object_entry}],"sources":[],"missing":[]}}"#
    );
    let tar = [entry("manifest.json", manifest.as_bytes()), entry("objects/1/a.json", object), vec![0; 1024]].concat();
    let mut out = XzWriter::new(Vec::new(), XzOptions::with_preset(0)).expect("memory");
    out.write_all(&tar).expect("memory");
    out.finish().expect("memory")
}

fuzz_target!(|data: &[u8]| {
    let at = data.iter().position(|&byte| byte == 0).unwrap_or(data.len());
    let (lines, object) = (&data[..at], data.get(at + 1..).unwrap_or_default());
    let mut profile = [HEAD, lines, b"\n"].concat();
    let pack = BASE64_STANDARD.encode(pack(object));
    profile.extend(format!("#cgannotate-1 {}\n#cgannotate-1 {pack}\n", hash(&profile)).into_bytes());
    let options = Options {
        collect: Collect {
            code: true,
            ..Collect::ALL
        },
        ..Options::all()
    };
    if let Ok(mut profile) = input::read_from("fuzz", &profile[..], &options) {
        find_inlined(&mut profile, &Where::default());
    }
});

//! Names that are never yours: system libraries, toolchains, fetched packages, and what starts a
//! program before its own code runs.

/// The folders of system libraries.
const OBJECT_FOLDERS: [&[u8]; 10] = [
    b"/lib/",
    b"/lib32/",
    b"/lib64/",
    b"/libx32/",
    b"/usr/lib",
    b"/usr/local/lib",
    b"/nix/store/",
    b"/gnu/store/",
    b"/System/",
    b"/Library/",
];

/// Libraries that belong to a toolchain, wherever they are.
const OBJECTS: [&[u8]; 12] = [
    b"ld-linux",
    b"ld-musl",
    b"ld-2.",
    b"libc.so",
    b"libc-2.",
    b"libm.so",
    b"libpthread",
    b"libgcc_s",
    b"libstdc++",
    b"libc++",
    b"libstd-",
    b"vgpreload_",
];

/// The folders of sources of toolchains and packages.
const FILE_FOLDERS: [&[u8]; 16] = [
    b"/usr/include/",
    b"/usr/lib",
    b"/usr/local/include/",
    b"/usr/local/lib",
    b"/usr/local/go/",
    b"/usr/share/",
    b"/usr/src/",
    b"/rustc/",
    b"/rust/deps/",
    b"/nix/store/",
    b"/gnu/store/",
    b"/build/reproducible-path/",
    b"/System/",
    b"/Library/",
    b"library/core/src/",
    b"library/alloc/src/",
];

/// The same, in the middle of a path.
const FILE_PARTS: [&[u8]; 25] = [
    b"/.cargo/registry/",
    b"/.cargo/git/",
    b"/cargo/registry/",
    b"/cargo/git/",
    b"/.rustup/",
    b"/rustup/toolchains/",
    b"/lib/rustlib/",
    b"/node_modules/",
    b"/site-packages/",
    b"/dist-packages/",
    b"/vendor/",
    b"/pkg/mod/",
    b"/.m2/",
    b"/gems/",
    b"/.nuget/",
    b"/include/c++/",
    b"/c++/v1/",
    b"/lib/gcc/",
    b"/libstdc++-v3/",
    b"/libgcc/",
    b"/lib/python3",
    b"/lib/perl5/",
    b"/lib/ruby/",
    b"/library/std/src/",
    b"/.conan",
];

/// The names of toolchain folders, or how they end: a compiler with its headers and libraries,
/// wherever it was unpacked.
const TOOLCHAINS: [&[u8]; 7] = [
    b"toolchain",
    b"toolchains",
    b"-toolchain",
    b".xctoolchain",
    b".sdk",
    b"sysroot",
    b"sysroots",
];

/// The folders of headers in them.
const HEADERS: [&[u8]; 2] = [b"include", b"usr"];

/// The folders of libraries and programs in them.
const LIBRARIES: [&[u8]; 5] = [b"lib", b"lib32", b"lib64", b"libexec", b"usr"];

/// File names that are not files.
const NO_FILES: [&[u8]; 5] = [
    b"php:internal",
    b"<built-in>",
    b"<frozen ",
    b"~",
    b"{internal",
];

/// How the system's C library names its own sources, which looks like relative paths.
const LIBC: [&[u8]; 4] = [b"../sysdeps/", b"../csu/", b"../nptl/", b"../elf/"];

/// The functions that run before and after `main`, whatever object they are linked into.
const START_UP: [&[u8]; 13] = [
    b"(below main)",
    b"_start",
    b"__libc_start_main",
    b"__libc_start_call_main",
    b"__libc_csu_init",
    b"_init",
    b"_fini",
    b"frame_dummy",
    b"register_tm_clones",
    b"deregister_tm_clones",
    b"__do_global_dtors_aux",
    b"_dl_relocate_static_pie",
    b"call_init",
];

/// Whether an object is a library of the system or of a toolchain.
pub(super) fn is_foreign_object(object: &[u8]) -> bool {
    let base = super::base(object);
    OBJECT_FOLDERS
        .iter()
        .any(|folder| object.starts_with(folder))
        || OBJECTS.iter().any(|name| base.starts_with(name))
        || base.windows(4).any(|part| part == b"vdso")
        || is_of_toolchain(object)
        || starts_like(object, b"c:\\windows\\")
}

/// Whether a file belongs to the system, a toolchain or a package.
pub(super) fn is_foreign_file(file: &[u8]) -> bool {
    FILE_FOLDERS.iter().any(|folder| file.starts_with(folder))
        || has_foreign_part(file)
        || NO_FILES.iter().any(|name| file.starts_with(name))
        || LIBC.iter().any(|start| file.starts_with(start))
        || is_in_toolchain(file, &HEADERS)
        || is_distributed(file)
}

fn has_foreign_part(file: &[u8]) -> bool {
    let is_at = |path: &[u8], skipped| {
        FILE_PARTS
            .iter()
            .any(|part| path.starts_with(&part[skipped..]))
    };
    // At the start of a relative path, there is no slash.
    is_at(file, 1) || memchr::memchr_iter(b'/', file).any(|at| is_at(&file[at..], 0))
}

/// Whether an executable or a library is part of a toolchain, wherever that was unpacked.
pub(in crate::analysis) fn is_of_toolchain(object: &[u8]) -> bool {
    is_in_toolchain(object, &LIBRARIES)
}

/// Whether a path leads through a toolchain's folder to one of the folders `inside`. A path through
/// any other folder belongs to a program with such a name: `toolchain/src/main.c`,
/// `my-toolchain/lib/parse.c`.
fn is_in_toolchain(path: &[u8], inside: &[&[u8]]) -> bool {
    let mut folders = path.split(|b| matches!(b, b'/' | b'\\'));
    folders.next_back();
    let is_one = |name: &[u8]| {
        TOOLCHAINS.iter().any(|end| {
            name == *end || matches!(end.first(), Some(b'-' | b'.')) && name.ends_with(end)
        })
    };
    folders.any(is_one) && folders.any(|name| inside.contains(&name))
}

/// Whether a path comes from a Debian build: `./stdlib/./stdlib/msort.c`,
/// `./string/../sysdeps/x86_64/memcpy.S`, `/build/glibc-6V9RKT/glibc-2.31/…`.
fn is_distributed(file: &[u8]) -> bool {
    if let Some(rest) = file.strip_prefix(b"./") {
        let behind = rest
            .iter()
            .position(|&b| b == b'/')
            .map_or(&b""[..], |at| &rest[at..]);
        return behind.starts_with(b"/./") || behind.starts_with(b"/../");
    }
    let Some(rest) = file.strip_prefix(b"/build/") else {
        return false;
    };
    let folder = rest.split(|&b| b == b'/').next().unwrap_or_default();
    let Some(at) = folder.iter().rposition(|&b| b == b'-') else {
        return false;
    };
    let random = &folder[at + 1..];
    random.len() == 6 && random.iter().all(u8::is_ascii_alphanumeric)
}

/// The beginnings of the names of functions that the compiler adds to a Rust program, mostly for
/// its allocator. They have no file.
const RUST: [&[u8]; 4] = [b"__rustc::", b"__rust_", b"__rdl_", b"__rg_"];

/// Whether a function belongs to the language's runtime, whatever object it is in. It starts or
/// ends a program, or the compiler adds it.
pub(super) fn is_runtime(name: &[u8]) -> bool {
    START_UP.contains(&name) || RUST.iter().any(|start| name.starts_with(start))
}

/// Whether a path is relative. An unknown file is not.
pub(super) fn is_relative(file: &[u8]) -> bool {
    let drive = file.get(1) == Some(&b':') && file[0].is_ascii_alphabetic();
    !(file.is_empty() || file == b"???" || matches!(file[0], b'/' | b'\\' | b'<' | b'[') || drive)
}

fn starts_like(name: &[u8], start: &[u8]) -> bool {
    name.get(..start.len())
        .is_some_and(|begin| begin.eq_ignore_ascii_case(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_systems_and_packages_are_foreign() {
        for file in [
            "/usr/include/c++/10/bits/stl_vector.h",
            "./stdlib/./stdlib/msort.c",
            "./string/../sysdeps/x86_64/multiarch/memmove.S",
            "../sysdeps/x86_64/strlen.S",
            "/build/glibc-6V9RKT/glibc-2.31/malloc/malloc.c",
            "/rustc/59807616e1fa/library/core/src/ops/function.rs",
            "/rust/deps/hashbrown-0.16.1/src/raw/mod.rs",
            "library/std/src/rt.rs",
            "/home/me/.cargo/registry/src/index.crates.io-1949cf8c6b5b557f/serde-1.0.0/src/lib.rs",
            "vendor/autoload.php",
            "php:internal",
            "/opt/toolchain/include/boost/any.hpp",
            "/opt/arm-toolchain/x86_64/sysroot/usr/include/stdio.h",
            "/Applications/Xcode.app/Contents/Developer/Platforms/MacOSX.platform/Developer/SDKs/MacOSX.sdk/usr/include/c.h",
            "/opt/poky/4.0/sysroots/cortexa57/usr/include/string.h",
        ] {
            assert!(is_foreign_file(file.as_bytes()), "{file}");
        }
        for file in [
            "src/main.rs",
            "./src/main.c",
            "../lib/x.c",
            "/home/me/app/a.c",
            "/build/app/src/main.c",
            "/me/toolchain/src/main.c",
            "/me/my-toolchain/lib/parse.c",
            "/opt/toolchain/a.h",
            "???",
            "",
        ] {
            assert!(!is_foreign_file(file.as_bytes()), "{file}");
        }
    }

    #[test]
    fn libraries_of_systems_are_foreign() {
        for object in [
            "/usr/lib/x86_64-linux-gnu/libz.so.1",
            "/lib64/ld-linux-x86-64.so.2",
            "/opt/gcc/libstdc++.so.6",
            "/opt/toolchain/lib/libz.so",
        ] {
            assert!(is_foreign_object(object.as_bytes()), "{object}");
        }
        for object in [
            "/home/me/a.out",
            "/usr/bin/git",
            "/srv/app/libshapes.so",
            "",
        ] {
            assert!(!is_foreign_object(object.as_bytes()), "{object}");
        }
    }

    #[test]
    fn paths_are_relative_unless_they_begin_at_a_root() {
        for (path, relative) in [
            ("a.c", true),
            ("../a.c", true),
            ("/a.c", false),
            ("C:\\a.c", false),
            ("???", false),
            ("", false),
        ] {
            assert_eq!(is_relative(path.as_bytes()), relative, "{path}");
        }
    }
}

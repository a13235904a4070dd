use super::{super::LARGEST as LARGEST_SOURCE, *};
use crate::fs::FileError;
use std::fs;

/// A folder for each test, removed with it.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str, files: &[&str]) -> Folder {
        let path = std::env::temp_dir().join(format!("cgannotate-{}-{test}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        let folder = Folder(path);
        files.iter().for_each(|file| folder.write(file, file));
        folder
    }

    fn write(&self, file: &str, content: &str) {
        let path = self.0.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn path(&self, below: &str) -> String {
        self.0.join(below).to_str().unwrap().to_owned()
    }

    fn finder(&self, place: SearchPaths) -> Finder {
        let roots = Roots {
            cargo: Some(self.0.join("cargo")),
            rustup: Some(self.0.join("rustup")),
            current: self.0.join("current"),
            system: self.0.join("system"),
        };
        Finder::with_roots(place, roots)
    }

    /// The file that is found for a name. The content of each file is its own name below the
    /// folder.
    fn found(&self, place: SearchPaths, name: &str) -> Result<String, SourceError> {
        let finder = self.finder(place);
        let source = finder.open(name.as_bytes())?;
        let again = finder.open(name.as_bytes())?;
        assert_eq!((&source.title, &source.bytes), (&again.title, &again.bytes));
        let content = String::from_utf8(source.bytes).unwrap();
        let title = String::from_utf8(source.title).unwrap();
        assert_eq!(title, format!("{name} (found as {})", self.path(&content)));
        Ok(content)
    }

    fn include(&self, folders: &[&str]) -> SearchPaths {
        SearchPaths {
            include: folders
                .iter()
                .map(|folder| self.path(folder).into())
                .collect(),
            ..SearchPaths::default()
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn where_the_original_looks_the_title_is_the_originals() {
    let folder = Folder::new("listed", &["inc/src/a.c"]);
    for search in [Search::Listed, Search::Everywhere] {
        let finder = folder.finder(SearchPaths {
            search,
            ..folder.include(&["nothing", "inc"])
        });
        let title =
            |name: &str| String::from_utf8(finder.open(name.as_bytes()).unwrap().title).unwrap();
        assert_eq!(
            title("src/a.c"),
            format!("{}/ + src/a.c", folder.path("inc"))
        );
        let full = folder.path("inc/src/a.c");
        assert_eq!(title(&full), full);
    }
}

#[test]
fn listed_looks_nowhere_else() {
    let folder = Folder::new("nowhere-else", &["inc/a.c", "p/a.c", "mapped/a.c"]);
    let place = SearchPaths {
        search: Search::Listed,
        maps: vec![Map::new(b"/x", folder.path("mapped").as_bytes())],
        profiles: vec![folder.path("p/callgrind.out.1").into()],
        ..folder.include(&["inc"])
    };
    let finder = folder.finder(place);
    assert_eq!(finder.open(b"/x/a.c").err(), Some(SourceError::Absent));
    assert_eq!(finder.open(b"/x/a.c").err(), Some(SourceError::Absent));
}

#[test]
fn the_longest_common_tail_wins() {
    let folder = Folder::new(
        "tail",
        &[
            "one/x.c",
            "one/c/x.c",
            "one/deep/b/c/x.c",
            "two/a/b/c/x.c",
            "one/u/y.c",
        ],
    );
    assert_eq!(
        folder.found(folder.include(&["one"]), "/q/c/x.c").unwrap(),
        "one/c/x.c"
    );
    assert_eq!(
        folder.found(folder.include(&["one"]), "/q/d/x.c").unwrap(),
        "one/x.c"
    );
    assert_eq!(
        folder
            .found(folder.include(&["one"]), "/a/b/c/x.c")
            .unwrap(),
        "one/deep/b/c/x.c"
    );
    assert_eq!(
        folder
            .found(folder.include(&["one", "two"]), "/q/a/b/c/x.c")
            .unwrap(),
        "two/a/b/c/x.c"
    );
    assert_eq!(
        folder
            .found(folder.include(&["two", "one"]), "/q/q/b/c/x.c")
            .unwrap(),
        "two/a/b/c/x.c"
    );
    assert_eq!(
        folder
            .found(folder.include(&["one", "two"]), "/z/./c/q/../x.c")
            .unwrap(),
        "one/c/x.c"
    );
    assert_eq!(
        folder
            .found(folder.include(&["one"]), "/elsewhere/y.c")
            .unwrap(),
        "one/u/y.c"
    );
}

#[test]
fn files_that_match_equally_are_named_and_not_guessed() {
    let folder = Folder::new("equal", &["i/m/c/x.c", "i/n/c/x.c", "i/x.c"]);
    let error = folder
        .found(folder.include(&["i"]), "/a/c/x.c")
        .unwrap_err();
    let (m, n) = (folder.path("i/m/c/x.c"), folder.path("i/n/c/x.c"));
    assert_eq!(
        error,
        SourceError::Ambiguous(vec![m.clone().into(), n.clone().into()])
    );
    assert_eq!(
        error.to_string(),
        format!("2 files match equally: {m}, {n}")
    );
}

#[test]
fn a_file_of_a_package_is_not_any_file_of_that_name() {
    let folder = Folder::new("package", &["i/mod.rs", "i/src/lib.rs", "i/lib.rs"]);
    for name in [
        "/rustc/59/library/core/src/mod.rs",
        "/h/.cargo/registry/src/i/a-1.0.0/src/lib.rs",
        "/usr/include/lib.rs",
    ] {
        assert_eq!(
            folder.found(folder.include(&["i"]), name),
            Err(SourceError::Absent),
            "{name}"
        );
    }
}

#[test]
fn maps_come_first() {
    let folder = Folder::new("maps", &["here/src/a.c", "there/a.c"]);
    let map = |new: &str| Map::new(b"/build/x", folder.path(new).as_bytes());
    let place = SearchPaths {
        maps: vec![map("here")],
        ..SearchPaths::default()
    };
    assert_eq!(
        folder
            .found(place.clone(), "/build/x/lib/../src/a.c")
            .unwrap(),
        "here/src/a.c"
    );
    assert_eq!(
        folder.found(place, "/build/x/b.c"),
        Err(SourceError::Absent)
    );
    let real = folder.path("there");
    let over = Map::new(real.as_bytes(), folder.path("here/src").as_bytes());
    let place = SearchPaths {
        maps: vec![over],
        ..SearchPaths::default()
    };
    assert_eq!(
        folder.found(place, &format!("{real}/a.c")).unwrap(),
        "here/src/a.c"
    );
}

const COMMIT: &str = "59807616e1fa2540724bfbac14d7976d7e4a3860";

fn manifest(commit: &str) -> String {
    format!("[pkg.rustc]\nversion = \"1.95.0 ({commit} 2026-04-14)\"\n")
}

#[test]
fn rusts_library_is_that_of_the_same_commit() {
    let folder = Folder::new("rust", &[]);
    let source = |toolchain: &str| {
        format!("rustup/toolchains/{toolchain}/lib/rustlib/src/rust/library/core/src/a.rs")
    };
    for (toolchain, commit) in [("a-new", "e50aa6fba"), ("stable", "59807616e")] {
        folder.write(&source(toolchain), &source(toolchain));
        let file =
            format!("rustup/toolchains/{toolchain}/lib/rustlib/multirust-channel-manifest.toml");
        folder.write(&file, &manifest(commit));
    }
    let found = |name: &str| folder.found(SearchPaths::default(), name);
    assert_eq!(
        found(&format!("/rustc/{COMMIT}/library/core/src/a.rs")),
        Ok(source("stable"))
    );
    assert_eq!(
        found(&format!(
            "/rustc/{COMMIT}/library/std/src/../../core/src/a.rs"
        )),
        Ok(source("stable"))
    );
    assert_eq!(
        found("/rustc/0000/library/core/src/a.rs"),
        Err(SourceError::Absent)
    );
    assert_eq!(
        found(&format!("/rustc/{COMMIT}/../../../../../../../../cargo")),
        Err(SourceError::Absent)
    );
    let other_home = "/home/x/.rustup/toolchains/a-new/lib/rustlib/src/rust/library/core/src/a.rs";
    assert_eq!(found(other_home), Ok(source("a-new")));
    // A toolchain without a known commit is better than none.
    let linked = source("linked");
    folder.write(&linked, &linked);
    assert_eq!(found("/rustc/0000/library/core/src/a.rs"), Ok(linked));
    assert_eq!(
        found(&format!("/rustc/{COMMIT}/library/core/src/a.rs")),
        Ok(source("stable"))
    );
}

#[test]
fn crates_are_found_in_this_users_cargo() {
    let crate_file = "cargo/registry/src/index.crates.io-aaaa/hash-0.16.1/src/map.rs";
    let checkout = "cargo/git/checkouts/tool-bbbb/abc1234/src/lib.rs";
    let folder = Folder::new("cargo", &[crate_file, checkout]);
    let found = |name: &str| folder.found(SearchPaths::default(), name);
    assert_eq!(
        found("/home/x/.cargo/registry/src/github.com-1ecc/hash-0.16.1/src/map.rs").unwrap(),
        crate_file
    );
    assert_eq!(
        found("/cargo/registry/src/index.crates.io-6f17/hash-0.16.1/src/raw/../map.rs").unwrap(),
        crate_file
    );
    assert_eq!(
        found("/rust/deps/hash-0.16.1/src/map.rs").unwrap(),
        crate_file
    );
    assert_eq!(
        found("/home/x/.cargo/registry/src/i/hash-0.15.0/src/map.rs"),
        Err(SourceError::Absent)
    );
    assert_eq!(
        found("/home/x/.cargo/git/checkouts/tool-cccc/abc1234/src/lib.rs").unwrap(),
        checkout
    );
    assert_eq!(
        found("/home/x/.cargo/git/checkouts/tools-cccc/abc1234/src/lib.rs"),
        Err(SourceError::Absent)
    );
}

/// If several registries have a crate, the first by name is taken, in whatever order the file
/// system lists them.
#[test]
fn the_first_of_several_folders_is_the_first_by_name() {
    let places = ["h", "c", "a", "f", "b", "g", "e", "d"]
        .map(|name| format!("cargo/registry/src/{name}/x-1.0.0/a.rs"));
    let folder = Folder::new("registries", &places.each_ref().map(|place| &place[..]));
    let mut left = places.to_vec();
    left.sort();
    for first in left {
        let name = "/home/x/.cargo/registry/src/z/x-1.0.0/a.rs";
        let found = folder.found(SearchPaths::default(), name);
        assert_eq!(found, Ok(first.clone()));
        fs::remove_file(folder.path(&first)).unwrap();
    }
}

#[test]
fn debians_sources_are_found_by_their_root() {
    let (sysdeps, nptl) = (
        "system/usr/src/glibc/glibc-2.36/sysdeps/x86/a.h",
        "system/usr/src/glibc/glibc-2.36/nptl/b.c",
    );
    let (bash, mine) = ("current/bash-5.2/lib/sh/c.c", "current/bash-5.2/nptl/b.c");
    let folder = Folder::new("debian", &[sysdeps, nptl, bash, mine]);
    let found = |name: &str| folder.found(SearchPaths::default(), name);
    assert_eq!(found("./elf/../sysdeps/x86/a.h").unwrap(), sysdeps);
    assert_eq!(found("./nptl/./nptl/b.c").unwrap(), nptl);
    assert_eq!(found("/build/bash-7Qx/bash-5.2/lib/sh/c.c").unwrap(), bash);
    assert_eq!(found("./lib/sh/c.c").unwrap(), bash);
    assert_eq!(
        found("/build/glibc-x/glibc-2.31/nptl/b.c"),
        Err(SourceError::Absent)
    );
    folder.write("current/glibc-2.37/nptl/b.c", "another version");
    assert!(
        matches!(found("./nptl/./nptl/b.c"), Err(SourceError::Ambiguous(files)) if files.len() == 2)
    );
}

#[test]
fn sources_lie_beside_the_profile() {
    let folder = Folder::new(
        "beside",
        &["p/q/src/a.c", "p/q/b.c", "p/up.c", "p/q/vector.h"],
    );
    let place = || SearchPaths {
        profiles: vec![folder.path("p/q/callgrind.out.1").into(), "-".into()],
        ..SearchPaths::default()
    };
    assert_eq!(
        folder.found(place(), "no/such/src/a.c").unwrap(),
        "p/q/src/a.c"
    );
    assert_eq!(folder.found(place(), "/opt/tool/b.c").unwrap(), "p/q/b.c");
    assert_eq!(
        folder.found(place(), "/usr/include/c++/vector.h"),
        Err(SourceError::Absent)
    );
    let source = folder.finder(place()).open(b"../up.c").unwrap();
    assert_eq!(source.bytes, b"p/up.c");
}

#[test]
fn no_home_is_no_trouble() {
    let roots = Roots {
        cargo: None,
        rustup: None,
        current: "/nonexistent".into(),
        system: "/nonexistent".into(),
    };
    let finder = Finder::with_roots(SearchPaths::default(), roots);
    for name in [
        "/rustc/1/library/a.rs",
        "/h/registry/src/i/a-1.0.0/a.rs",
        "/h/git/checkouts/a-b/c/d.rs",
        "./elf/a.c",
        "",
    ] {
        assert_eq!(
            finder.open(name.as_bytes()).err(),
            Some(SourceError::Absent),
            "{name}"
        );
    }
}

#[cfg(unix)]
#[test]
fn only_regular_files_are_opened() {
    let folder = Folder::new("regular", &["d/x"]);
    let finder = folder.finder(SearchPaths::default());
    assert_eq!(
        finder.open(folder.path("d").as_bytes()).err(),
        Some(SourceError::Unreadable(FileError::NotRegular))
    );
    assert_eq!(
        finder.open(b"/dev/zero").err(),
        Some(SourceError::Unreadable(FileError::NotRegular))
    );
}

#[cfg(unix)]
#[test]
fn links_in_circles_end() {
    let folder = Folder::new("circle", &["i/a/x.c"]);
    std::os::unix::fs::symlink(folder.path("i"), folder.path("i/a/again")).unwrap();
    assert_eq!(
        folder.found(folder.include(&["i"]), "/q/x.c").unwrap(),
        "i/a/x.c"
    );
}

/// The cached folders of a name take at most a few times its length, however many folders it has.
#[test]
fn names_with_many_folders_take_no_more_room_than_they_have() {
    let folder = Folder::new("deep", &["i/a/a/x.c", "p/callgrind.out.1"]);
    let place = SearchPaths {
        profiles: vec![folder.path("p/callgrind.out.1").into()],
        ..folder.include(&["i"])
    };
    for (name, found) in [
        (format!("/b/{}a/a/x.c", "b/".repeat(200)), true),
        (format!("/b/{}a/a/x.c", "a/".repeat(200)), true),
        (format!("/b/{}a/a/y.c", "a/".repeat(200)), false),
        (format!("/b/{}/a/a/x.c", "a/".repeat(20_000)), false),
        (format!("/{}/a/a/x.c", "a".repeat(20_000)), false),
    ] {
        let finder = folder.finder(place.clone());
        let source = finder.open(name.as_bytes());
        assert_eq!(
            source.as_ref().map(|source| &source.bytes[..]).ok(),
            found.then_some(&b"i/a/a/x.c"[..]),
            "{name}"
        );
        assert!(found || source.err() == Some(SourceError::Absent));
        let most = 4 * (name.len() + folder.path("i").len());
        assert!(
            finder.disk.remembers() < most,
            "{} for {name}",
            finder.disk.remembers()
        );
    }
}

/// The fault of a file that is too large stays, though another place does not have the file.
#[test]
fn what_is_wrong_with_a_file_that_is_there_is_kept() {
    let folder = Folder::new("large", &["s.c", "empty.c", "i/x.c"]);
    fs::File::create(folder.0.join("s.c"))
        .unwrap()
        .set_len(LARGEST_SOURCE + 1)
        .unwrap();
    fs::File::create(folder.0.join("empty.c")).unwrap();
    let finder = folder.finder(folder.include(&["i"]));
    assert_eq!(
        finder.open(folder.path("s.c").as_bytes()).err(),
        Some(SourceError::Unreadable(FileError::TooLarge(LARGEST_SOURCE)))
    );
    assert_eq!(
        finder.open(folder.path("empty.c").as_bytes()).err(),
        Some(SourceError::Empty)
    );
}

/// A missing folder is asked for once, whatever folders it should contain.
#[cfg(unix)]
#[test]
fn what_is_below_a_missing_folder_is_not_asked_for() {
    let folder = Folder::new("missing", &["x.c"]);
    let finder = folder.finder(SearchPaths::default());
    for at in 0..1000 {
        assert!(
            finder
                .open(folder.path(&format!("gone/folder-{at}/x.c")).as_bytes())
                .is_err()
        );
    }
    assert!(
        finder.disk.remembers() < 1000,
        "{}",
        finder.disk.remembers()
    );
}

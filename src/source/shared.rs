//! Decides which sources may go into packs and pages, and which of them deserve a warning. A
//! profile names the files to read, and others may have written it. So it must not collect files
//! that do not belong to a program.

use super::{SourceError, SourceFile, origin::Origin, paths::bytes};
use std::{
    ffi::OsString,
    iter,
    path::{Path, PathBuf},
};

/// Folders of the system with secrets, and without sources.
const PRIVATE: [&str; 2] = ["/etc", "/proc"];

/// File name extensions of sources, which are accepted without a look at the content.
const KNOWN: &str = " adb ads asm bash c c++ cc cl clj cmake cp cpp cs cu cuh cxx d def el erl ex exs f f03 f08 f77 f90 f95 \
    for fs ftn go h h++ hh hpp hs hxx i icc ii inc inl ipp java jl js jsx kt kts l lisp ll lua m mjs mk ml mli mm nim p pas \
    php phpt phtml pl pm pro pxd py pyx qml r rb re rs s scala scm sh sql swift sx tcc tcl tpp ts tsx v vala vb vhd xs y yy zig ";

/// Whether a source may be passed on; `named` are the folders of `-I` and `--map`.
pub(super) fn may_be_passed_on(source: &SourceFile, named: &[PathBuf]) -> Result<(), SourceError> {
    // The pack passed it on already, and this disk says nothing about it.
    if source.is_carried {
        return Ok(());
    }
    let real = source.path.canonicalize().ok();
    for path in iter::once(&source.path).chain(&real) {
        let real = named.iter().filter_map(|folder| folder.canonicalize().ok());
        if is_private(path)
            && !named
                .iter()
                .cloned()
                .chain(real)
                .any(|folder| is_private(&folder) && path.starts_with(folder))
        {
            return Err(SourceError::Private);
        }
    }
    if !is_source(&source.path) && memchr::memchr(0, source.bytes()).is_some() {
        return Err(SourceError::NoText);
    }
    Ok(())
}

/// Whether the name of a file is that of a source.
pub(crate) fn is_source(path: &Path) -> bool {
    let ending = path.extension().map(|ending| ending.to_ascii_lowercase());
    let is_known = |ending: OsString| Some(KNOWN.contains(&format!(" {} ", ending.to_str()?)));
    ending.and_then(is_known).unwrap_or(false)
}

fn is_private(path: &Path) -> bool {
    let is_below = |folder: &str| {
        path.starts_with(folder)
            || Path::new(folder)
                .canonicalize()
                .is_ok_and(|real| path.starts_with(real))
    };
    PRIVATE.into_iter().any(is_below) || path.components().any(|part| part.as_os_str() == ".ssh")
}

/// Whether a file is outside the current folder, toolchains, packages and the system. Only its real
/// path counts, not its name in the profile.
pub(super) fn is_from_outside(path: &Path) -> bool {
    let (Ok(real), Ok(here)) = (path.canonicalize(), Path::new(".").canonicalize()) else {
        return false;
    };
    !real.starts_with(here)
        && matches!(
            Origin::from_name(&bytes(&real)),
            Origin::Plain | Origin::Tree | Origin::Libc
        )
}

//! What was said about binaries and debug files.

use crate::cli::{AsmSyntax, BinaryArgs, MapArg};
use crate::source::Map;
use std::path::PathBuf;

/// Where they are, and how their instructions are written.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Binaries {
    /// Folders that are elsewhere here.
    pub maps: Vec<Map>,
    /// Folders with binaries and debug files.
    pub debug_dirs: Vec<PathBuf>,
    /// Whether binaries are used that are not those that ran.
    pub force: bool,
    /// How instructions of x86 are written.
    pub syntax: AsmSyntax,
    /// The program that disassembles, if one was named.
    pub objdump: Option<PathBuf>,
}

impl Binaries {
    /// What the arguments say; sources and binaries are mapped alike.
    pub(super) fn new(args: &BinaryArgs, maps: &[MapArg]) -> Binaries {
        Binaries {
            maps: maps
                .iter()
                .map(|map| Map::new(&map.old, &map.new))
                .collect(),
            debug_dirs: args.debug_dirs.clone(),
            force: args.force,
            syntax: args.asm_syntax.unwrap_or_default(),
            objdump: args.objdump.clone(),
        }
    }
}

/// The options that say where binaries are, for a command that is to find them too.
pub(super) fn places(args: &BinaryArgs) -> Vec<String> {
    let mut again: Vec<String> = args
        .force
        .then(|| "--force".to_owned())
        .into_iter()
        .collect();
    again.extend(
        args.debug_dirs
            .iter()
            .map(|folder| format!("--debug-dir={}", folder.display())),
    );
    again
}

/// The same, and those that say how instructions are written.
#[cfg(feature = "explore")]
pub(super) fn again(args: &BinaryArgs) -> Vec<String> {
    let mut again = places(args);
    if let Some(AsmSyntax::Intel) = args.asm_syntax {
        again.push("--asm-syntax=intel".into());
    }
    again.extend(
        args.objdump
            .iter()
            .map(|program| format!("--objdump={}", program.display())),
    );
    again
}

//! Prints source files that were not found, for reports and comparisons. It groups them by the
//! folder where they should be, with a remedy per group: people would not read a plain list.

use crate::{
    profile::to_text,
    source::missing::{Hint, MissingFiles},
    text::{Style, grouped, names, shown, write_styled},
};
use std::io;
use termcolor::WriteColor;

/// Prints one name per line, unchanged.
pub(super) fn by_name(out: &mut impl WriteColor, names: &[Vec<u8>]) -> io::Result<()> {
    for name in names {
        out.write_all(b"  ")?;
        out.write_all(name)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// Prints one or two lines per group, at most `room` columns wide.
pub(super) fn by_root(
    out: &mut impl WriteColor,
    groups: &[MissingFiles],
    room: Option<usize>,
) -> io::Result<()> {
    let cut = |path: &[u8], used: usize| match room {
        Some(room) => names::middle(&shown(path), room.saturating_sub(used)),
        None => to_text(path),
    };
    for group in groups {
        match &group.files[..] {
            [] => continue,
            [file] => {
                let file = cut(file, "  1 file: ".len());
                writeln!(out, "  1 file: {file}")?;
            }
            [first, ..] => {
                let below = first
                    .strip_prefix(&group.root[..])
                    .and_then(|rest| rest.strip_prefix(b"/"));
                let place = format!(
                    "  {} files below {}, as ",
                    grouped(group.files.len()),
                    shown(&group.root)
                );
                let example = cut(below.unwrap_or(first), names::width(&place));
                writeln!(out, "{place}{example}")?;
            }
        }
        let lines = names::command(
            &remedy(&group.hint),
            room.map(|room| room.saturating_sub(6)),
        );
        for line in lines {
            out.write_all(b"      ")?;
            write_styled(out, Style::Hint, &line)?;
            out.write_all(b"\n")?;
        }
    }
    Ok(())
}

/// The command or option that would help, in backquotes, with a few words.
fn remedy(hint: &Hint) -> String {
    match hint {
        Hint::RustSources(None) => "`rustup component add rust-src`".into(),
        Hint::RustSources(Some(toolchain)) => {
            format!("`rustup component add rust-src --toolchain {toolchain}`")
        }
        Hint::OtherRust(commit) => {
            format!("`--map /rustc/{commit}=DIR`: no toolchain of this commit is installed")
        }
        Hint::RustDependencies => "`RUSTC_BOOTSTRAP=1 cargo fetch --manifest-path \
             $(rustc --print sysroot)/lib/rustlib/src/rust/library/Cargo.toml`, after rust-src"
            .into(),
        Hint::Cargo => "`cargo fetch` in the program's folder".into(),
        Hint::Package(package) => format!("`apt-get source {package}` in this folder"),
        Hint::Map(old) => format!("`--map {old}=.`, or where its files are here"),
        Hint::Include => "`-I DIR`, the folder they are below".into(),
        Hint::NotPacked => {
            "the pack does not have them: `-I DIR` or `--map OLD=NEW` says where they are".into()
        }
        Hint::None(why) => why.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remedy_is_a_command_or_an_option() {
        assert_eq!(
            remedy(&Hint::RustSources(Some("nightly".into()))),
            "`rustup component add rust-src --toolchain nightly`"
        );
        assert_eq!(
            remedy(&Hint::Map("/build/x".into())),
            "`--map /build/x=.`, or where its files are here"
        );
        assert_eq!(
            remedy(&Hint::Package("bash".into())),
            "`apt-get source bash` in this folder"
        );
    }
}

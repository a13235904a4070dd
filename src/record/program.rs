//! Examines a program before it runs: where it is, and what would make its profile poor.

use super::Remark;
use crate::{
    analysis::doubts::Object,
    env,
    fs::regular,
    profile::{path_bytes, to_text},
};
use std::{
    ffi::{OsStr, OsString},
    fmt,
    fs::{self, File},
    io::Read,
    path::{Path, PathBuf},
};

/// A program that can run.
pub(crate) struct Executable {
    /// The file's path.
    pub path: PathBuf,
    /// The command for Valgrind: the program and its arguments.
    pub command: Vec<OsString>,
    remarks: Vec<Remark>,
}

/// Why a program cannot run.
#[derive(Debug)]
pub(crate) enum NotFound {
    /// No program has this name.
    Absent(OsString),
    /// `PATH` has none of this name, but the current folder has one.
    OnlyHere(OsString),
    /// The file is not executable.
    NotExecutable(PathBuf),
    /// The file is for another processor, with this name.
    OtherProcessor(PathBuf, String),
}

impl NotFound {
    /// The exit status that a shell gives.
    pub(crate) fn status(&self) -> u8 {
        match self {
            NotFound::Absent(_) | NotFound::OnlyHere(_) => 127,
            NotFound::NotExecutable(_) | NotFound::OtherProcessor(..) => 126,
        }
    }
}

impl fmt::Display for NotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotFound::Absent(name) => write!(f, "program {} not found", name.display()),
            NotFound::OnlyHere(name) => {
                let name = name.display();
                write!(
                    f,
                    "program {name} not found in PATH\nhint: the one in this folder is ./{name}"
                )
            }
            NotFound::NotExecutable(path) => {
                write!(f, "{} cannot be run: it is not executable", path.display())
            }
            NotFound::OtherProcessor(path, of) => {
                write!(
                    f,
                    "{} cannot be run under this machine's Valgrind: it is built for {of}",
                    path.display()
                )
            }
        }
    }
}

impl std::error::Error for NotFound {}

/// Finds a program like a shell: a name without a slash is looked for in `PATH`.
///
/// # Errors
/// The program does not exist or is not executable.
pub(crate) fn find(name: &OsStr) -> Result<PathBuf, NotFound> {
    if name.as_encoded_bytes().contains(&b'/') {
        let path = PathBuf::from(name);
        return match fs::metadata(&path) {
            Ok(meta) if meta.is_file() && is_executable(&meta) => Ok(path),
            Ok(_) => Err(NotFound::NotExecutable(path)),
            Err(_) => Err(NotFound::Absent(name.to_owned())),
        };
    }
    let mut places = env::search_path()
        .into_iter()
        .map(|folder| folder.join(name));
    let runs = |path: &PathBuf| regular(path).is_some_and(|meta| is_executable(&meta));
    places.find(&runs).ok_or_else(|| {
        if runs(&Path::new(".").join(name)) {
            NotFound::OnlyHere(name.to_owned())
        } else {
            NotFound::Absent(name.to_owned())
        }
    })
}

#[cfg(unix)]
fn is_executable(meta: &fs::Metadata) -> bool {
    std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_: &fs::Metadata) -> bool {
    true
}

impl Executable {
    /// Finds a program and examines it.
    ///
    /// # Errors
    /// The program does not exist, is not executable, or is for another processor.
    pub(crate) fn new(name: &OsStr, args: &[OsString]) -> Result<Executable, NotFound> {
        let path = find(name)?;
        let mut command = vec![name.to_owned()];
        let mut remarks = Vec::new();
        let script = interpreter(&path);
        let executable = script
            .as_ref()
            .map_or(&path, |(interpreter, _)| interpreter);
        if let Some(of) = elf_header(executable)
            .and_then(|header| other_processor(&header, std::env::consts::ARCH))
        {
            return Err(NotFound::OtherProcessor(executable.clone(), of));
        }
        match script {
            Some((interpreter, first)) => {
                // Valgrind would run `env`, and lose the interpreter when `env` becomes it.
                let is_env = interpreter.file_name() == Some(OsStr::new("env"));
                let interpreter = match &first[..] {
                    [real] if is_env => {
                        let real = find(real)?;
                        command = vec![real.clone().into(), path.clone().into()];
                        real
                    }
                    _ => interpreter,
                };
                remarks.push(Remark::Script(interpreter));
            }
            None => {
                // Callgrind resolves links in the path.
                let file = fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
                let object = Object::new(path_bytes(&file));
                remarks.extend(lack(&path).map(|lack| Remark::ProgramLacks(lack, object)));
            }
        }
        command.extend_from_slice(args);
        Ok(Executable {
            path,
            command,
            remarks,
        })
    }

    /// What a person should know before the program runs.
    pub(crate) fn remarks(&self, with_children: bool) -> impl Iterator<Item = &Remark> {
        // A script is recorded whole if the programs that it starts are recorded.
        let is_said =
            move |remark: &&Remark| !matches!(remark, Remark::Script(_)) || !with_children;
        self.remarks.iter().filter(is_said)
    }

    /// The path of the program's file, if a remark about it was printed.
    pub(crate) fn told(&self) -> impl Iterator<Item = &str> {
        self.remarks
            .iter()
            .filter_map(Remark::object)
            .map(|object| object.path.as_str())
    }
}

pub(crate) use crate::object::lack;

/// The first bytes of a file, at most `most`.
pub(super) fn beginning(path: &Path, most: u64) -> Option<Vec<u8>> {
    let mut begin = Vec::new();
    File::open(path)
        .ok()?
        .take(most)
        .read_to_end(&mut begin)
        .ok()?;
    Some(begin)
}

/// The beginning of an ELF file, up to its processor: `e_ident`, `e_type`, `e_machine`.
fn elf_header(path: &Path) -> Option<[u8; 20]> {
    let header: [u8; 20] = beginning(path, 20)?.try_into().ok()?;
    header.starts_with(b"\x7fELF").then_some(header)
}

/// The processor of a program, if Valgrind for the processor `here` (Rust's name) cannot run it.
fn other_processor(header: &[u8; 20], here: &str) -> Option<String> {
    const X86: u16 = 3;
    const X86_64: u16 = 62;
    let machine = [header[18], header[19]];
    // The sixth byte is 2 in big-endian files.
    let machine = if header[5] == 2 {
        u16::from_be_bytes(machine)
    } else {
        u16::from_le_bytes(machine)
    };
    let is_x32 = machine == X86_64 && header[4] == 1;
    let runs: &[u16] = match here {
        "x86_64" => &[X86_64, X86],
        // A 32-bit build of cgannotate may run on a 64-bit system, whose Valgrind runs both.
        "x86" => &[X86, X86_64],
        "aarch64" => &[183],
        "arm" => &[40, 183],
        "powerpc64" => &[21, 20],
        "powerpc" => &[20, 21],
        "s390x" => &[22],
        "mips" | "mips64" => &[8],
        "riscv64" => &[243],
        // It is not known what Valgrind runs there.
        _ => return None,
    };
    if runs.contains(&machine) && !is_x32 {
        return None;
    }
    let name = match machine {
        X86_64 if is_x32 => "x86-64 with pointers of 32 bits (x32)",
        2 | 18 | 43 => "SPARC",
        X86 => "x86 (32 bits)",
        8 => "MIPS",
        20 => "PowerPC (32 bits)",
        21 => "PowerPC (64 bits)",
        22 => "s390x",
        40 => "ARM (32 bits)",
        X86_64 => "x86-64",
        183 => "AArch64 (ARM, 64 bits)",
        243 => "RISC-V",
        258 => "LoongArch",
        other => {
            return Some(format!(
                "a processor with the number {other} in its ELF header"
            ));
        }
    };
    Some(name.to_owned())
}

/// The interpreter of a script, and the arguments on its first line. Valgrind uses the shell for a
/// file that begins with ASCII and names no interpreter.
fn interpreter(path: &Path) -> Option<(PathBuf, Vec<OsString>)> {
    const LOOKED_AT: usize = 80;
    let begin = beginning(path, 256)?;
    let Some(line) = begin.strip_prefix(b"#!") else {
        let is_text = begin.iter().take(LOOKED_AT).all(u8::is_ascii);
        return (is_text && !begin.starts_with(b"\x7fELF")).then(|| ("/bin/sh".into(), Vec::new()));
    };
    let line = line.split(|&b| b == b'\n').next()?;
    let line = to_text(line);
    let mut words = line.split_ascii_whitespace();
    let interpreter = words.next()?.into();
    Some((interpreter, words.map(Into::into).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_for_another_processor_is_told_by_its_header() {
        let of = |machine: u16, class: u8, here: &str| {
            let [low, high] = machine.to_le_bytes();
            let mut header = *b"\x7fELF\0\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\0\0";
            (header[4], header[18], header[19]) = (class, low, high);
            other_processor(&header, here)
        };
        for (machine, class, here) in [
            (62, 2, "x86_64"),
            (3, 1, "x86_64"),
            (62, 2, "x86"),
            (183, 2, "aarch64"),
            (183, 2, "arm"),
            (21, 2, "powerpc"),
            (243, 2, "riscv64"),
            (62, 2, "an unknown one"),
        ] {
            assert_eq!(of(machine, class, here), None, "{machine} {here}");
        }
        for (machine, class, here, name) in [
            (183, 2, "x86_64", "AArch64 (ARM, 64 bits)"),
            (62, 1, "x86_64", "x86-64 with pointers of 32 bits (x32)"),
            (62, 2, "aarch64", "x86-64"),
            (
                9999,
                2,
                "x86_64",
                "a processor with the number 9999 in its ELF header",
            ),
        ] {
            assert_eq!(
                of(machine, class, here).as_deref(),
                Some(name),
                "{machine} {here}"
            );
        }
        // Big-endian.
        let big = *b"\x7fELF\x02\x02\x01\0\0\0\0\0\0\0\0\0\0\x02\0\x16";
        assert_eq!(
            (
                other_processor(&big, "s390x"),
                other_processor(&big, "x86_64")
            ),
            (None, Some("s390x".into()))
        );
    }
}

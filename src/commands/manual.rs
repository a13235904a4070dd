//! The manual page: the options as the command line defines them, with further sections around
//! them.

use crate::cli::EXAMPLES;
use anyhow::Result;
use std::io::Write;

/// A longer description than that of the help.
const DESCRIPTION: &str = r"
Callgrind, a tool of Valgrind, records the cost of each function and source line of a program, in instructions and other
events.
.B \%cgannotate
adds up one or several of its profiles and prints totals, functions, who calls whom, and annotated sources.
It also reads profiles of Cachegrind, Xdebug and aprof, which it detects from their content.
Without a
.IR PROFILE ,
it reports on the newest run in the current folder.
.PP
On a terminal, the first screen fits its size and names commands that show more.
In a pipe, it prints the whole report, as
.BR \%callgrind_annotate (1)
does.
";

/// The sections after the options.
const END: &str = r#"
.SH EXIT STATUS
.TP
.B 0
Done; also when the reader of a pipe has seen enough.
.TP
.B 1
An input cannot be read or is truncated, or the report cannot be written.
.TP
.B 2
The command line is wrong.
.TP
.B 3
.BR check :
a limit is exceeded.
.TP
.B 4
.BR check :
something could not be compared.
.SH ENVIRONMENT
.TP
.BR \%CGANNOTATE_PAGER ", " PAGER
The program that shows output that is longer than the screen. The first one that is set counts. The default is
.BR less (1).
If
.B \%CGANNOTATE_PAGER
is empty, no pager is used.
.TP
.BR LESS ", " LESSCHARSET
Options of the pager. If they are not set,
.B less
gets options that suit the report.
.TP
.B NO_COLOR
If it is set and not empty, the output has no colors.
.TP
.B CLICOLOR_FORCE
If it is set, not empty and not 0, output in pipes has colors, too.
.TP
.B TERM
If it is not set, or
.BR dumb ,
the output has no colors.
.TP
.BR VISUAL ", " EDITOR
The editor that
.B explore
opens sources in.
.TP
.BR LC_ALL ", " LC_CTYPE ", " LANG
The first one that is set tells whether the terminal shows UTF-8.
.TP
.BR CARGO_HOME ", " RUSTUP_HOME
The folders in which sources of Rust packages and of the standard library are searched. The default is below
.BR HOME .
"#;

/// Writes one page for all commands, with a section for each.
pub(super) fn manual(mut command: clap::Command, mut out: impl Write) -> Result<()> {
    command.build();
    let commands: Vec<clap::Command> = command.get_subcommands().cloned().collect();
    let man = clap_mangen::Man::new(command);
    man.render_title(&mut out)?;
    man.render_name_section(&mut out)?;
    writeln!(out, ".SH SYNOPSIS")?;
    for (command, arguments) in [
        ("", "[OPTIONS] [PROFILE|SOURCE]..."),
        (" COMMAND", "[OPTIONS] ..."),
    ] {
        writeln!(out, "\\fBcgannotate{command}\\fR {arguments}\n.br")?;
    }
    write!(out, ".SH DESCRIPTION{DESCRIPTION}")?;
    man.render_options_section(&mut out)?;
    for command in commands
        .into_iter()
        .filter(|command| !command.is_hide_set() && command.get_name() != "help")
    {
        let heading = format!(".SH COMMAND {}", command.get_name().to_uppercase());
        let man = clap_mangen::Man::new(command);
        let mut section = Vec::new();
        man.render_synopsis_section(&mut section)?;
        man.render_description_section(&mut section)?;
        man.render_options_section(&mut section)?;
        writeln!(
            out,
            "{heading}\n{}",
            String::from_utf8_lossy(&section).replace(".SH ", ".SS ")
        )?;
    }
    writeln!(out, "{}", END.trim())?;
    examples(&mut out)?;
    writeln!(
        out,
        ".SH SEE ALSO\n.BR callgrind_annotate (1),\n.BR valgrind (1)"
    )?;
    Ok(man.render_version_section(&mut out)?)
}

/// Writes the examples of the help. Each explanation follows its command on a line of its own, so
/// that lines fit a terminal.
fn examples(mut out: impl Write) -> Result<()> {
    writeln!(out, ".SH EXAMPLES\n.nf")?;
    for line in EXAMPLES.lines().skip(1) {
        let (command, words) = line.trim().split_once("  ").unwrap_or((line, ""));
        let command = command.replace('-', "\\-").replace('\'', "\\(aq");
        writeln!(out, "\\fB{command}\\fR\n    {}", words.trim())?;
    }
    Ok(writeln!(out, ".fi")?)
}

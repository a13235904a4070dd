//! Reads Callgrind profiles, and shows where a program spends its instructions, time or misses.
//!
//! ```
//! use cgannotate::input::{self, Options};
//!
//! let text = "events: Ir\nfn=main\n1 20\ncfn=work\ncalls=2 7\n3 500\nfn=work\n7 500\n";
//! // `input::read(&["callgrind.out.1234"], &Options::all())` reads a file, or the sum of several.
//! let profile = input::read_from("callgrind.out.1234", text.as_bytes(), &Options::all())?;
//!
//! // The functions, the most expensive first. A count that was never written is `None`.
//! let event = profile.events.find(b"Ir").ok_or("no instructions were counted")?;
//! let cost = |id| profile.self_counts(id).get(&profile.events, event).unwrap_or(0);
//! let mut functions: Vec<_> = profile.function_ids().collect();
//! functions.sort_by_key(|&id| std::cmp::Reverse(cost(id)));
//! let names: Vec<_> = functions
//!     .iter()
//!     .map(|&id| profile.name(profile.function(id).name))
//!     .collect();
//! assert_eq!(names, [&b"work"[..], b"main"]);
//!
//! // The cost of the first, and who calls it how often.
//! let work = functions[0];
//! assert_eq!(cost(work), 500);
//! assert_eq!(
//!     profile
//!         .arcs_to(work)
//!         .map(|arc| (arc.caller, arc.count))
//!         .collect::<Vec<_>>(),
//!     [(functions[1], 2)]
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `examples/` has whole programs: the top functions of a file, the difference of two, a custom
//! report.
//!
//! # The pipeline
//!
//! ```text
//!  arguments ─▶ cli ────▶ request ─────────┐      commands: one file per command,
//!               typed     meant            ▼      each a table of contents
//!  files ─────▶ input ──▶ profile ──▶ analysis ──▶ view ────▶ render ─▶ bytes for people
//!               records   the model   answers      pages      └ export ─▶ bytes for programs
//!                                                    ▲
//!                                     source: finds source files
//! ```
//!
//! A module may use only the modules that this table lists; `tests/it/arrows.rs` checks it.
//!
//! | module | may know of | because it is |
//! |---|---|---|
//! | `env` | nothing | environment variables and the current folder |
//! | `fs` | nothing | regular files, opened without waiting |
//! | `text` | `profile` | numbers, names, escapes and colors, as people read them |
//! | `profile` | nothing | the model: what the files say |
//! | `pack` | `profile` | packs: profiles, sources and code in one file, written and read |
//! | `input` | `fs`, `pack`, `profile` | bytes in, profile out |
//! | `object` | `fs`, `profile`, `source` | binaries: inlined functions and instructions |
//! | `source` | `env`, `fs`, `profile` | source files: where they are, and reading them |
//! | `analysis` | `profile` | pure answers: what is expensive, who calls whom, what changed |
//! | `view` | `analysis`, `profile`, `source`, `text` | pages as values, and what fits a surface |
//! | `render` | `analysis`, `profile`, `source`, `text`, `view` | pages to bytes for people |
//! | `export` | `analysis`, `profile`, `text`, `view` | profiles and answers in the formats of programs |
//! | `compat` | `analysis`, `input`, `profile`, `view` | the original's numbers, for `commands` |
//! | `explore` | `analysis`, `fs`, `profile`, `source`, `text`, `view` | the explorer in a terminal |
//! | `record` | `analysis`, `env`, `fs`, `object`, `profile` | runs of a program under Callgrind |
//! | `cli` | `analysis`, `export`, `input`, `profile`, `render`, `source` | what the user types |
//! | `request` | `analysis`, `cli`, `export`, `input`, `profile`, `record`, `source`, `view` | its meaning |
//! | `commands` | `analysis`, `cli`, `compat`, `env`, `explore`, `export`, `fs`, `input`, `object`, `pack`, `profile`, `record`, `render`, `request`, `source`, `text`, `view` | all of it together |
//!
//! A command makes an [`analysis::Session`] of the profile that it reads. Views ask it, and it
//! computes once what several of them need. A user of this crate as a library starts with
//! [`input::read`].
//!
//! Only the program needs `cli`, `request`, `commands`, `record`, `render`, `explore` and `compat`.
//! They belong to the feature `cli`, which is on by default. So is the feature `serve`: the servers
//! for editors and AI assistants, in `commands::serve`. A library sets `default-features = false`
//! and adds what it needs: `compression` for compressed inputs, `pack` for packs, `export` for the
//! formats of other programs, `object` for binaries. Without any of them this crate needs 16
//! others.
//!
//! # The words of the field
//!
//! * *Event*: what Callgrind counts (`Ir` instructions, `D1mr` cache misses). A *cost* is a row of
//!   counts, one per event. A count that was never written is not zero; [`profile::Counts`] keeps
//!   the difference.
//! * *Self cost*: the cost of a function's own code, with code that was inlined into it. *Inclusive
//!   cost*: the self cost and the cost of what the function calls, recursion counted once
//!   ([`analysis::Inclusive`]).
//! * *Function*: one object (executable or library), one file and one name.
//! * *Arc* ([`profile::CallEdge`]): all calls from one function to another. *Call site*: the part
//!   of an arc that comes from one line.
//! * *Cycle*: functions that call each other, directly or through others.
//! * *Part*: one dump, thread or run. A file has one or many, and a profile is the sum of its
//!   parts.
//! * *Subposition*: a column of a line's position: instruction address, line.
//! * *Compressed name*: `(12) name` once, `(12)` from then on. The numbers never leave [`input`].
//!
//! # How one line becomes a row
//!
//! Below `fn=(3) main`, the line `+3 120 4` says: the code three lines further down has a cost of
//! 120 for the first event, and of 4 for the second.
//!
//! 1. `input::open` returns a stream, and `input::compressed` decompresses it. `input::sniff` asks
//!    every format whether the first bytes are its own. `input::lines` lends blocks of whole lines,
//!    without a copy or a check for UTF-8.
//! 2. The parser in `input::callgrind` looks at the first byte. `runs` reads self cost lines
//!    together: all whole lines in 64 bytes. It finds the position of each, relative to the
//!    previous line, and adds the counts of lines at one source line, column by column. The first
//!    line after `calls=` is split off its run. `plain` reads a single line into a reused row. Any
//!    other form goes to `careful`, which also warns.
//! 3. The parser calls its `records`. `cursor` knows the current function, file and object, and
//!    which of two rules the writer follows. After `calls=` the cost is that of an arc; otherwise
//!    it is self cost. Several files are read at a time, each in its own thread, and added up in
//!    their order.
//! 4. `profile::Builder` lends the sums of the current source line, or of the file or function if
//!    lines are not wanted. When the line changes, it adds them to the line's row. It finds that
//!    among the function's few or by index, almost never by hash. When the function changes, it
//!    adds them to the function's row. Nothing was allocated for this line.
//! 5. At the end the builder freezes everything into a [`profile::Profile`], sorted and dense.
//! 6. [`analysis::cut`] ranks the functions until the thresholds are reached. [`view::Listing`]
//!    lends their rows, each made when it is printed. [`view::Files`] and [`view::FileCosts`]
//!    combine a source file with its costs. `render::text` prints the row:
//!    `120 ( 1.50%)  4 ( 0.20%)  main.c:main`.
//!
//! `--compat` has steps 1 and 2 in common. Its own `Records` add up like callgrind_annotate, faults
//! included, and make the same report models, so that only `commands` knows the difference.
//!
//! # How one option takes effect
//!
//! `--threshold=90`: `cli::ColumnArgs` has it as an [`analysis::Threshold`]. Without it,
//! `request::annotate::Request` has the default. `commands::annotate` resolves it with the events
//! of the profile into an [`analysis::Selection`], and [`analysis::cut`] ends the list by that.
//!
//! # Where to add what
//!
//! * *An input format*: a file in `src/input/` with a `FormatReader`, which describes the format in
//!   a [`profile::Format`], its line in `input::READERS`, and one fixture. A reader outside this
//!   crate fills a [`profile::ProfileBuilder`].
//! * *A grouping*, a value of `--by`: a variant of [`analysis::GroupBy`], its name in `cli::by`,
//!   and a screen in `explore::place::Kind::ALL` with a row of `explore::keys::KEYS`.
//! * *A list as a table*: a function in `src/view/tables/`; every form that writes tables takes it.
//! * *A page*: a variant of [`view::page::Page`] and a file in `src/view/`; an analysis first if
//!   the page needs anything computed.
//! * *A form*: a variant of `cli::Form` and a file in `src/render/` if people read it, in
//!   `src/export/` if programs do.
//! * *Content of the page for browsers*: `src/view/whole/` decides it, `render/page` packs it, and
//!   `render/page/web/` draws it.
//! * *A screen of the explorer*: a variant of `explore::place::Screen` and of its `Kind`; a key is
//!   a row of `explore::keys::KEYS`.
//! * *A command*: a file in `src/cli/`, one in `src/request/` and one in `src/commands/`, a variant
//!   of `cli::Command` and of `request::Request`.
//! * *A tool of the MCP server*: its schema in `src/commands/serve/tools.json`, and its options in
//!   `commands::serve::mcp`.
//! * *An option*: a field in `src/cli/`; its default, and its conflicts, in `src/request/`.
//! * *A fix*: a fixture or a test named for what broke. `fixtures/README.md` says how to record
//!   profiles.
#![cfg_attr(
    not(feature = "default"),
    allow(
        dead_code,
        unused_imports,
        reason = "only the whole program needs everything"
    )
)]

pub mod analysis;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "cli")]
pub mod commands;
#[cfg(feature = "cli")]
mod compat;
mod env;
#[cfg(feature = "cli")]
pub mod explore;
#[cfg(feature = "export")]
pub mod export;
mod fs;
pub mod input;
#[cfg(feature = "object")]
pub mod object;
#[cfg(feature = "pack")]
mod pack;
pub mod profile;
#[cfg(feature = "cli")]
mod record;
#[cfg(feature = "cli")]
pub mod render;
#[cfg(feature = "cli")]
pub mod request;
pub mod source;
mod text;
pub mod view;

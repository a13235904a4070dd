//! Reads Callgrind profiles and says what the run cost.
//!
//! ```
//! use cgannotate::input::{self, Options};
//!
//! let text = "events: Ir\nfn=main\n1 20\ncfn=work\ncalls=2 7\n3 500\nfn=work\n7 500\n";
//! // A file, or the sum of several, is read by `input::read(&["callgrind.out.1234"], &Options::all())`.
//! let profile = input::read_from("callgrind.out.1234", text.as_bytes(), &Options::all())?;
//!
//! // The functions, dearest first. A count that was never written is `None`.
//! let event = profile.events.find(b"Ir").ok_or("no instructions were counted")?;
//! let cost = |id| profile.self_counts(id).get(&profile.events, event).unwrap_or(0);
//! let mut functions: Vec<_> = profile.function_ids().collect();
//! functions.sort_by_key(|&id| std::cmp::Reverse(cost(id)));
//! let names: Vec<_> = functions.iter().map(|&id| profile.name(profile.function(id).name)).collect();
//! assert_eq!(names, [&b"work"[..], b"main"]);
//!
//! // What the first of them costs, and who calls it how often.
//! let work = functions[0];
//! assert_eq!(cost(work), 500);
//! assert_eq!(profile.arcs_to(work).map(|arc| (arc.caller, arc.count)).collect::<Vec<_>>(), [(functions[1], 2)]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `examples/` has whole programs: the top functions of a file, the difference of two, a report of one's own.
//!
//! # The pipeline
//!
//! ```text
//!  arguments ─▶ cli ────▶ request ─────────┐         commands: one file a command, each a table of contents
//!               typed     meant            ▼
//!  files ─────▶ input ──▶ profile ──▶ analysis ──▶ view ────▶ render ─▶ bytes for people
//!               records   the model   answers      pages      └ export ─▶ bytes for programs
//!                                                    ▲
//!                                     source: finds source files
//! ```
//!
//! Modules know of each other only as this table says; `tests/it/arrows.rs` reads it and holds it.
//!
//! | module | may know of | because it is |
//! |---|---|---|
//! | `env` | nothing | variables and the current folder |
//! | `fs` | nothing | regular files, opened without waiting |
//! | `text` | `profile` | numbers, names, escapes and colours, as people read them |
//! | `profile` | nothing | the model: what was said |
//! | `pack` | `profile` | packs: profiles, sources and code in one file, written and read |
//! | `input` | `fs`, `pack`, `profile` | bytes in, profile out |
//! | `object` | `fs`, `profile`, `source` | binaries and debug files: what was inlined where, and the instructions |
//! | `source` | `env`, `fs`, `profile` | source files: where they are, and reading them |
//! | `analysis` | `profile` | pure answers: what is dear, who calls whom, what changed |
//! | `view` | `analysis`, `profile`, `source`, `text` | pages as values, and what fits a surface |
//! | `render` | `analysis`, `profile`, `source`, `text`, `view` | pages to bytes for people |
//! | `export` | `analysis`, `profile`, `text` | profiles and answers in the formats of programs |
//! | `compat` | `analysis`, `input`, `profile`, `view` | the original's own numbers; only `commands` names it |
//! | `explore` | `analysis`, `fs`, `profile`, `source`, `text`, `view` | a terminal on which one walks through a session |
//! | `record` | `analysis`, `env`, `fs`, `object`, `profile` | a program run under Callgrind, and what became of it |
//! | `cli` | `analysis`, `export`, `input`, `profile`, `render`, `source` | what was typed |
//! | `request` | `analysis`, `cli`, `export`, `input`, `profile`, `record`, `source`, `view` | what it means |
//! | `commands` | `analysis`, `cli`, `compat`, `env`, `explore`, `export`, `fs`, `input`, `object`, `pack`, `profile`, `record`, `render`, `request`, `source`, `text`, `view` | all of it together |
//!
//! A command makes an [`analysis::Session`] of the profile it reads; views ask it, and it computes what several of them
//! need once. Whoever uses this crate as a library starts with [`input::read`].
//!
//! What only the program needs ([`cli`], [`request`], [`commands`], [`record`], [`render`] and `compat`) belongs to the
//! feature `cli`, which is on by default; a library that depends on this crate leaves it out with
//! `default-features = false`.
//!
//! # The words of the field
//!
//! * *Event*: what is counted (`Ir` instructions, `D1mr` cache misses). A *cost* is a row of counts, one an event. A
//!   count that was never written is not zero; [`profile::Counts`] keeps the difference.
//! * *Self cost*: what a function's own code cost, code that was inlined into it included. *Inclusive cost*: that and
//!   what it called, recursion counted once ([`analysis::Inclusive`]).
//! * *Function*: what has one object (executable or library), one file and one name.
//! * *Arc* ([`profile::CallEdge`]): all calls from one function to another. *Call site*: the part of an arc that comes
//!   from one line.
//! * *Cycle*: functions that call each other in a circle.
//! * *Part*: one dump, thread or run; a file has one or many, and a profile is the sum of its parts.
//! * *Subposition*: a column of a line's place: instruction address, line.
//! * *Compressed name*: `(12) name` once, `(12)` from then on. The numbers never leave [`input`].
//!
//! # How one line becomes a row
//!
//! Below `fn=(3) main`, the line `+3 120 4` says that the code three lines further down cost 120 of the first event and
//! 4 of the second.
//!
//! 1. `input::open` gives a stream, `input::compressed` unpacks it if it must, `input::sniff` asks every format
//!    whether the first bytes are its own, and `input::lines` lends blocks of whole lines: no copy, no check for UTF-8.
//! 2. The parser in `input::callgrind` looks at the first byte. Self cost lines are taken in runs (`runs` there): all
//!    that stand whole in 64 bytes. The run's places are read, relative to the line before, and tell which of its lines
//!    stand at one source line; their counts are added to sums, column by column. The first line after `calls=` is
//!    taken off its run and goes to a row that is used again for every such line, as does one that is in no run
//!    (`plain`, with longer numbers); and one that looks like nothing a writer writes goes through the careful way,
//!    which also warns.
//! 3. The parser calls its `records`: `cursor` knows which function, file and object are in force, and which of two
//!    rules the writer follows. After `calls=` the cost is that of an arc; else it is self cost. Several
//!    files are read by one thread each, and added up in their order.
//! 4. `profile::Builder` lends the sums of the current source line, or of the file or function where lines are not
//!    wanted. When the line changes it adds them to the line's row, which it finds among the function's few or by
//!    index, not by hash, and when the function changes to the function's. Nothing has been allocated for this line.
//! 5. At the end the builder freezes everything into a [`profile::Profile`], sorted and dense.
//! 6. [`analysis::cut`] ranks the functions until the thresholds are reached, [`view::Listing`] lends rows of them,
//!    each made when it is printed, [`view::Files`] and [`view::Annotation`] walk a source file beside its costs, and
//!    [`render::text`] prints the row: `120 ( 1.50%)  4 ( 0.20%)  main.c:main`.
//!
//! `--compat` shares steps 1 and 2. Its own `Records` add up as callgrind_annotate does, faults included, and give the
//! same report models, so that nothing below the commands knows of it.
//!
//! # How one option takes effect
//!
//! `--threshold=90`: [`cli::ColumnArgs`] has it as an [`analysis::Threshold`]; without it, [`request::annotate::Request`]
//! has the usual one. `commands::annotate` looks both up against the events of the profile, which gives an
//! [`analysis::Selection`]; [`analysis::cut`] ends the list by it.
//!
//! # Where to add what
//!
//! * *An input format*: a file in `src/input/` with a `FormatReader`, which says what is to be known of the format, in a
//!   [`profile::Format`], and its line in `input::READERS`; one fixture. A reader outside this crate tells a
//!   [`profile::ProfileBuilder`] what it finds.
//! * *A list as a table*: a function in `src/view/tables/`; every form that writes tables takes it.
//! * *A page*: a variant of [`view::page::Page`] and a file in `src/view/`; an analysis first if it needs anything
//!   computed.
//! * *A form*: a variant of [`cli::Form`] and a file in `src/render/` if people read it, in `src/export/` if
//!   programs do.
//! * *What a page for browsers shows*: `src/view/whole/` decides it, `render/page` packs it, `render/page/web/` draws
//!   it.
//! * *A screen of the explorer*: a variant of [`explore::place::Screen`] and of its `Kind`; a key is a row of
//!   [`explore::keys::KEYS`].
//! * *A command*: a file in `src/cli/`, one in `src/request/` and one in `src/commands/`, a variant of [`cli::Command`]
//!   and of [`request::Request`].
//! * *An option*: a field in `src/cli/`; what it is without being typed, and what it does not go with, in
//!   `src/request/`.
//! * *A fix*: a fixture or a test that is named for what broke. `fixtures/README.md` says how profiles are recorded.
pub mod analysis;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "cli")]
pub mod commands;
#[cfg(feature = "cli")]
mod compat;
pub mod env;
#[cfg(feature = "explore")]
pub mod explore;
pub mod export;
pub mod fs;
pub mod input;
#[cfg(feature = "object")]
pub mod object;
mod pack;
pub mod profile;
#[cfg(feature = "cli")]
pub mod record;
#[cfg(feature = "cli")]
pub mod render;
#[cfg(feature = "cli")]
pub mod request;
pub mod source;
#[cfg_attr(
    not(feature = "cli"),
    allow(dead_code, reason = "views and exports need less of it than renderers")
)]
mod text;
pub mod view;

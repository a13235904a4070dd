//! Answers questions of editors and assistants about a profile, on standard input and output.

mod messages;

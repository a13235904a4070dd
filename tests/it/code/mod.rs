//! Single instructions: what is read of them, inlined functions, and what reports show.

mod reading;

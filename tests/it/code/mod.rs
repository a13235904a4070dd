//! Single instructions: what is read of them, inlined functions, and what reports show.

#[cfg(all(target_os = "linux", feature = "object"))]
mod apart;
mod asm;
#[cfg(all(target_os = "linux", feature = "object"))]
mod bounded;
#[cfg(all(target_os = "linux", feature = "object"))]
mod details;
#[cfg(all(target_os = "linux", feature = "object"))]
mod inlined;
#[cfg(all(target_os = "linux", feature = "object"))]
mod judged;
#[cfg(all(target_os = "linux", feature = "object"))]
mod own;
#[cfg(feature = "object")]
mod package;
#[cfg(all(target_os = "linux", feature = "object"))]
mod packed;
#[cfg(all(target_os = "linux", feature = "object"))]
mod programs;
mod reading;
#[cfg(all(target_os = "linux", feature = "object"))]
pub(crate) mod recorded;
#[cfg(all(target_os = "linux", feature = "object"))]
mod shared;
#[cfg(all(target_os = "linux", feature = "object"))]
mod shown;

//! The examples of the library print what they promise. That each of them builds by itself
//! `cargo test` sees to.

use crate::common::{Stage, fixtures};

#[path = "../../examples/difference.rs"]
#[allow(dead_code, reason = "its main")]
mod difference;
#[path = "../../examples/objects.rs"]
#[allow(dead_code, reason = "its main")]
mod objects;
#[path = "../../examples/top.rs"]
#[allow(dead_code, reason = "its main")]
mod top;

/// Two objects, three functions; the second event of the last function was never written.
const TEXT: &str = "events: Ir Dr\nob=prog\nfl=a.c\nfn=main\n1 20 5\ncob=lib.so\ncfn=work\ncalls=2 7\n3 500 1\n\
    ob=lib.so\nfn=work\n7 400 1\ncob=lib.so\ncfn=leaf\ncalls=4 9\n8 100\nfn=leaf\n9 100\n";

#[test]
fn the_top_functions_of_a_file() {
    let stage = Stage::empty();
    let file = stage.write("p.out", TEXT).dir.join("p.out");
    assert_eq!(
        top::top(std::slice::from_ref(&file), 2).unwrap(),
        "         400  work\n         100  leaf\n"
    );
    assert_eq!(top::top(&[file], 9).unwrap().lines().count(), 3);
}

#[test]
fn calls_between_objects() {
    let stage = Stage::empty();
    let file = stage.write("p.out", TEXT).dir.join("p.out");
    let expected = "         2 calls          500  prog -> lib.so\n";
    assert_eq!(objects::calls_between_objects(&[file]).unwrap(), expected);
}

/// server.c calls checksum 20 times, 165 Ir each, and later 30 times, 245 Ir each.
#[test]
fn the_difference_of_two_files() {
    let [old, new] =
        ["old", "new"].map(|side| fixtures().join(format!("diff/server/server.{side}.out")));
    let text = difference::difference(&old, &new).unwrap();
    assert!(
        text.lines()
            .any(|line| line == format!("{:>+12}  checksum", 30 * 245 - 20 * 165)),
        "{text}"
    );
    assert!(
        difference::difference(&old, &old)
            .unwrap()
            .ends_with("          +0  in all\n")
    );
}

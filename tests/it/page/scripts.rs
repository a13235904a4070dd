//! The unit tests of the scripts, `tests/scripts`, which Node's own runner runs.

use crate::common::needed::{Required, found, succeeds};
use std::process::Command;

#[test]
fn scripts_pass_their_own_tests() {
    let missing = "there is no node that runs tests, so the scripts of the pages were not tried one by one (Debian: npm)";
    if !found(
        succeeds("node", &["--test-reporter=tap", "--version"]),
        Required::Node,
        missing,
    ) {
        return;
    }
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/scripts");
    let out = Command::new("node")
        .args(["--test", "--test-reporter=tap"])
        .current_dir(folder)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&out.stdout);
    assert!(
        out.status.success(),
        "{said}{}",
        String::from_utf8_lossy(&out.stderr)
    );
    assert!(
        said.contains("\n# pass ") && !said.contains("\n# pass 0"),
        "{said}"
    );
}

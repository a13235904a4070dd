//! Writes JUnit XML with one test case per limit, for CI services.

use super::{figures, place, reason, share};
use crate::{
    analysis::budgets::{Checked, CheckedLimit, Verdict},
    text::markup::xml,
};
use std::io::{self, Write};

pub(super) fn write(checked: &Checked, out: &mut dyn Write) -> io::Result<()> {
    let [_, failures, _, _, skipped, errors] = checked.counts();
    let tests = checked.rows.len();
    let counts = format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\"");
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<testsuites {counts}>")?;
    writeln!(
        out,
        "  <testsuite name=\"cgannotate\" {counts} skipped=\"{skipped}\">"
    )?;
    for row in &checked.rows {
        case(row, out)?;
    }
    if !checked.doubts.is_empty() {
        writeln!(
            out,
            "    <system-err>{}</system-err>",
            xml(&checked.doubts.join("\n"))
        )?;
    }
    writeln!(out, "  </testsuite>\n</testsuites>")
}

fn case(row: &CheckedLimit, out: &mut dyn Write) -> io::Result<()> {
    let figures = figures(row);
    let mut details = vec![row.limit.expression.text.clone()];
    details.extend(figures.clone());
    details.extend(reason(&row.outcome).filter(|_| row.outcome.verdict == Verdict::Unconfirmed));
    let is_warning = row.outcome.verdict == Verdict::Warned;
    details.extend(is_warning.then(|| "exceeded: a warning".to_owned()));
    details.extend(
        row.places
            .iter()
            .map(|one| format!("{}  {}", place(one), share(one))),
    );
    let details = xml(&details.join("\n"));
    writeln!(
        out,
        "    <testcase classname=\"cgannotate\" name=\"{}\">",
        xml(&row.limit.name)
    )?;
    let message = xml(&reason(&row.outcome).or(figures).unwrap_or_default());
    match row.outcome.verdict {
        Verdict::Exceeded => {
            writeln!(
                out,
                "      <failure type=\"exceeded\" message=\"{message}\">{details}</failure>"
            )?;
        }
        Verdict::Unknown(..) => {
            writeln!(
                out,
                "      <error type=\"unknown\" message=\"{message}\">{details}</error>"
            )?;
        }
        Verdict::Skipped(..) => writeln!(out, "      <skipped message=\"{message}\"/>")?,
        Verdict::Kept | Verdict::Unconfirmed | Verdict::Warned => {
            writeln!(out, "      <system-out>{details}</system-out>")?;
        }
    }
    writeln!(out, "    </testcase>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_attributes_cannot_hold_is_escaped_or_replaced() {
        let escapes = "a&amp;b&lt;c&gt;&quot;&#10;&#9;\u{fffd}\u{fffd}é";
        assert_eq!(xml("a&b<c>\"\n\t\u{1}\u{ffff}é"), escapes);
    }
}

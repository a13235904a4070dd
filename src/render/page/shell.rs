//! Writes the file around the data: policy, style, the part that is read without a script, data,
//! script.
//!
//! Only our script runs, and nothing is fetched: the policy contains the hashes of the only script
//! and the only style, and allows nothing else. Names and sources of a profile may be hostile. They
//! are in the block of data, or escaped in the part that is read without a script.

use super::comments;
use crate::text::escape;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};
use std::{
    fmt,
    io::{self, Write},
};

/// The contents of a page.
pub(super) struct Shell<'s> {
    /// The title in the browser.
    pub title: &'s str,
    /// The scripts, in the order in which they are joined.
    pub scripts: &'s [&'s str],
    /// The style of this page, in addition to that of every page.
    pub style: &'s str,
    /// The part that can be read without a script: markup whose texts are escaped by [`Escaped`].
    pub plain: &'s str,
    /// The block of data.
    pub data: &'s str,
}

const STYLE: &str = include_str!("web/page.css");

impl Shell<'_> {
    /// Writes the file.
    pub(super) fn write(&self, mut out: impl Write) -> io::Result<()> {
        let style = comments::without_comments(&[STYLE, self.style].concat());
        // The scripts are joined first, because the boundary between two files does not end a
        // statement.
        let script = format!(
            "\"use strict\";(()=>{{{}}})();",
            comments::without_comments(&self.scripts.concat())
        );
        let policy = format!(
            "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'; \
             require-trusted-types-for 'script'; trusted-types 'none'",
            hash(&script),
            hash(&style)
        );
        write!(
            out,
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"referrer\" content=\"no-referrer\">\n\
             <meta name=\"generator\" content=\"cgannotate {}\">\n<title>{}</title>\n<style>{style}</style>\n</head>\n\
             <body>\n<main id=\"plain\">\n{}</main>\n<div id=\"app\" hidden></div>\n\
             <script type=\"application/octet-stream\" id=\"data\">{}</script>\n<script>{script}</script>\n\
             </body>\n</html>\n",
            env!("CARGO_PKG_VERSION"),
            Escaped(self.title),
            self.plain,
            self.data,
        )
    }
}

/// The hash of a script or a style in the policy.
fn hash(text: &str) -> String {
    BASE64_STANDARD.encode(Sha256::digest(text))
}

/// A text of a profile, escaped for markup. No character of it is markup or changes the text
/// direction.
pub(super) struct Escaped<'t>(pub(super) &'t str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for character in escape::text(self.0).chars() {
            match character {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                other => write!(f, "{other}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_is_markup() {
        let hostile = "</main><script>x()</script> \"on='&\u{202e}";
        let text = Escaped(hostile).to_string();
        assert_eq!(
            text,
            "&lt;/main&gt;&lt;script&gt;x()&lt;/script&gt; &quot;on=&#39;&amp;\\u{202e}"
        );
    }

    #[test]
    fn hashes_are_those_of_browsers() {
        assert_eq!(
            hash("alert('Hello, world.');"),
            "qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng="
        );
    }
}

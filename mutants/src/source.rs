//! What all kinds of mutants ask of a source file.

/// Whether an item is no part of the program that the tests run: it is for tests, for another
/// system, or stands in for a feature.
pub fn is_left_out(attributes: &[syn::Attribute]) -> bool {
    let unix = if cfg!(unix) { "not(unix)" } else { "unix" };
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::List(list) => {
            let condition = list.tokens.to_string().replace(' ', "");
            list.path.is_ident("cfg")
                && ["test", "not(feature", unix]
                    .iter()
                    .any(|start| condition.starts_with(start))
        }
        syn::Meta::Path(path) => path.is_ident("test"),
        syn::Meta::NameValue(_) => false,
    })
}

/// Where each line begins.
pub fn line_starts(text: &str) -> Vec<usize> {
    std::iter::once(0)
        .chain(text.match_indices('\n').map(|(at, _)| at + 1))
        .collect()
}

//! Mutants of cargo-mutants, from the list that `cargo mutants --list --json` prints.

use crate::mutant::{Edit, Mutant, ON, ORIGINAL};
use crate::source::{is_left_out, line_starts};
use serde_json::Value;
use std::collections::HashMap;
use std::ops::Range;
use syn::spanned::Spanned;
use syn::visit::Visit;

/// All of the list that can be switched on by a variable. `texts` are the source files.
pub fn mutants(list: &Value, texts: &HashMap<String, String>) -> Vec<Mutant> {
    let mut by_file: HashMap<&str, Vec<&Value>> = HashMap::new();
    for given in list.as_array().into_iter().flatten() {
        by_file
            .entry(given["file"].as_str().unwrap_or_default())
            .or_default()
            .push(given);
    }
    let mut all = Vec::new();
    for (file, given) in by_file {
        let Some(text) = texts.get(file) else {
            continue;
        };
        let Ok(tree) = syn::parse_file(text) else {
            continue;
        };
        let mut places = Places::default();
        places.visit_file(&tree);
        let lines = line_starts(text);
        for given in given {
            let Some(range) = range(&given["span"], text, &lines) else {
                continue;
            };
            if (places.left_out.iter()).any(|item| item.contains(&range.start)) {
                continue;
            }
            let Some((edit, line)) = edit(given, range, text, &places) else {
                continue;
            };
            let name = given["name"].as_str().unwrap_or_default();
            all.push(Mutant {
                file: file.to_owned(),
                line,
                kind: kind(given["genre"].as_str().unwrap_or_default()),
                what: name
                    .split_once(": ")
                    .map_or(name, |(_, what)| what)
                    .to_owned(),
                edits: vec![Edit {
                    file: file.to_owned(),
                    range: edit.0,
                    text: edit.1,
                }],
            });
        }
    }
    all.sort_by(|a, b| (&a.file, a.line, &a.what).cmp(&(&b.file, b.line, &b.what)));
    all
}

fn kind(genre: &str) -> &'static str {
    match genre {
        "FnValue" => "value of a function",
        "BinaryOperator" => "binary operator",
        "UnaryOperator" => "unary operator",
        "MatchArm" => "match arm",
        "MatchArmGuard" => "guard of an arm",
        _ => "field",
    }
}

/// What the list's places are the places of.
#[derive(Default)]
struct Places {
    /// The operator, and the expression around it.
    operators: HashMap<usize, (Range<usize>, Range<usize>)>,
    /// Each by where it begins: the arm, its pattern, its guard.
    arms: HashMap<usize, (Range<usize>, Range<usize>, Option<Range<usize>>)>,
    guards: HashMap<usize, Range<usize>>,
    structs: Vec<Range<usize>>,
    /// Items that are not compiled here.
    left_out: Vec<Range<usize>>,
}

impl Places {
    /// Whether an item is compiled here; it is noted if not.
    fn takes(&mut self, item: &impl Spanned, attributes: &[syn::Attribute]) -> bool {
        let left_out = is_left_out(attributes);
        if left_out {
            self.left_out.push(item.span().byte_range());
        }
        !left_out
    }
}

impl<'ast> Visit<'ast> for Places {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if self.takes(item, &item.attrs) {
            syn::visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        if self.takes(item, &item.attrs) {
            syn::visit::visit_item_impl(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if self.takes(item, &item.attrs) {
            syn::visit::visit_item_fn(self, item);
        }
    }

    fn visit_expr_binary(&mut self, e: &'ast syn::ExprBinary) {
        let operator = e.op.span().byte_range();
        self.operators
            .insert(operator.start, (operator, e.span().byte_range()));
        syn::visit::visit_expr_binary(self, e);
    }

    fn visit_expr_unary(&mut self, e: &'ast syn::ExprUnary) {
        let operator = e.op.span().byte_range();
        self.operators
            .insert(operator.start, (operator, e.span().byte_range()));
        syn::visit::visit_expr_unary(self, e);
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        let guard = arm
            .guard
            .as_ref()
            .map(|(_, guard)| guard.span().byte_range());
        let whole = arm.span().byte_range();
        self.arms.insert(
            whole.start,
            (whole, arm.pat.span().byte_range(), guard.clone()),
        );
        if let Some(guard) = guard {
            self.guards.insert(guard.start, guard);
        }
        syn::visit::visit_arm(self, arm);
    }

    fn visit_expr_struct(&mut self, e: &'ast syn::ExprStruct) {
        self.structs.push(e.span().byte_range());
        syn::visit::visit_expr_struct(self, e);
    }
}

fn edit(
    given: &Value,
    range: Range<usize>,
    text: &str,
    places: &Places,
) -> Option<((Range<usize>, String), usize)> {
    let replacement = given["replacement"].as_str()?;
    let line = given["span"]["start"]["line"].as_u64()? as usize;
    let without = |whole: &Range<usize>, inner: &Range<usize>, new: &str| {
        format!(
            "{}{new}{}",
            &text[whole.start..inner.start],
            &text[inner.end..whole.end]
        )
    };
    let edit = match given["genre"].as_str()? {
        "FnValue" => {
            // The span is the body, with its braces or without.
            let body = &text[range.clone()];
            let (open, end) = if body.starts_with('{') {
                (1, 1)
            } else {
                (0, 0)
            };
            (
                range.start + open..range.end - end,
                format!(" if {ON} {{ return {replacement}; }} {ORIGINAL}"),
            )
        }
        "BinaryOperator" | "UnaryOperator" => {
            let (operator, whole) = places.operators.get(&range.start)?;
            let changed = without(whole, operator, replacement);
            (
                whole.clone(),
                format!("(if {ON} {{ {changed} }} else {{ {ORIGINAL} }})"),
            )
        }
        "MatchArm" => {
            let (_, pattern, guard) = places.arms.get(&range.start)?;
            match guard {
                Some(guard) => (guard.clone(), format!("(!{ON} && ({ORIGINAL}))")),
                None => (pattern.end..pattern.end, format!(" if !{ON}")),
            }
        }
        "MatchArmGuard" => {
            let guard = places.guards.get(&range.start)?;
            match replacement {
                "true" => (guard.clone(), format!("({ON} || ({ORIGINAL}))")),
                _ => (guard.clone(), format!("(!{ON} && ({ORIGINAL}))")),
            }
        }
        "StructField" => {
            let around = places
                .structs
                .iter()
                .filter(|s| s.start <= range.start && range.end <= s.end);
            let whole = around.min_by_key(|s| s.len())?;
            let changed = without(whole, &range, "");
            (
                whole.clone(),
                format!("(if {ON} {{ {changed} }} else {{ {ORIGINAL} }})"),
            )
        }
        _ => return None,
    };
    Some((edit, line))
}

fn range(span: &Value, text: &str, lines: &[usize]) -> Option<Range<usize>> {
    let place = |end: &str| {
        let line = *lines.get(span[end]["line"].as_u64()?.checked_sub(1)? as usize)?;
        // Columns count characters.
        let column = span[end]["column"].as_u64()?.checked_sub(1)? as usize;
        text[line..]
            .char_indices()
            .map(|(at, _)| line + at)
            .chain([text.len()])
            .nth(column)
    };
    Some(place("start")?..place("end")?)
}

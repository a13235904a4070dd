//! Our own kinds of mutants, which cargo-mutants does not make: numbers, comparisons, dropped defaults, swapped values,
//! skipped calls, exchanged arms.

use crate::mutant::{Edit, Mutant, ON, ORIGINAL};
use crate::source::{is_left_out, line_starts};
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use syn::spanned::Spanned;
use syn::visit::Visit;

/// All mutants of our own kinds in Rust files.
pub fn mutants(texts: &HashMap<String, String>) -> Vec<Mutant> {
    let mut all = Vec::new();
    let mut files: Vec<&String> = texts.keys().filter(|file| file.ends_with(".rs")).collect();
    files.sort();
    let trees: Vec<(&str, syn::File)> = files
        .iter()
        .filter_map(|file| Some((file.as_str(), syn::parse_file(&texts[*file]).ok()?)))
        .collect();
    let mut constants = Vec::new();
    let mut uses: HashMap<String, Vec<Edit>> = HashMap::new();
    for (file, tree) in &trees {
        let text = &texts[*file];
        let mut finder = Finder {
            file,
            text,
            lines: line_starts(text),
            all: &mut all,
            constants: &mut constants,
            uses: &mut uses,
        };
        finder.visit_file(tree);
    }
    all.extend(in_constants(&constants, &uses, texts));
    all.sort_by(|a, b| (&a.file, a.line, &a.what).cmp(&(&b.file, b.line, &b.what)));
    all
}

/// A constant that is one number.
struct Constant {
    file: String,
    line: usize,
    name: String,
    is_public: bool,
    value: Range<usize>,
}

/// A constant cannot ask a variable, so all that name it do.
fn in_constants(
    constants: &[Constant],
    uses: &HashMap<String, Vec<Edit>>,
    texts: &HashMap<String, String>,
) -> Vec<Mutant> {
    let mut all = Vec::new();
    for constant in constants {
        let is_unique = constants
            .iter()
            .filter(|other| other.name == constant.name)
            .count()
            == 1;
        let value = &texts[&constant.file][constant.value.clone()];
        for changed in changed_numbers(value) {
            let edits: Vec<Edit> = uses
                .get(&constant.name)
                .into_iter()
                .flatten()
                .filter(|used| used.file == constant.file || (constant.is_public && is_unique))
                .map(|used| Edit {
                    text: format!("(if {ON} {{ {changed} }} else {{ {ORIGINAL} }})"),
                    ..used.clone()
                })
                .collect();
            if !edits.is_empty() {
                let what = format!("{} = {changed} for {value}", constant.name);
                all.push(Mutant {
                    file: constant.file.clone(),
                    line: constant.line,
                    kind: "number",
                    what,
                    edits,
                });
            }
        }
    }
    all
}

struct Finder<'f> {
    file: &'f str,
    text: &'f str,
    lines: Vec<usize>,
    all: &'f mut Vec<Mutant>,
    constants: &'f mut Vec<Constant>,
    uses: &'f mut HashMap<String, Vec<Edit>>,
}

/// What a number becomes.
pub fn changed_numbers(text: &str) -> Vec<String> {
    let digits: String = text.chars().filter(|c| *c != '_').collect();
    if digits.contains('.')
        && let Ok(value) = digits.parse::<f64>()
    {
        return [value * 10.0, 0.0]
            .iter()
            .filter(|new| **new != value)
            .map(|new| format!("{new:?}"))
            .collect();
    }
    let suffix_at = digits.find(['u', 'i']).unwrap_or(digits.len());
    let (digits, suffix) = digits.split_at(suffix_at);
    let Ok(value) = digits.parse::<u64>() else {
        return Vec::new();
    };
    let mut new: Vec<u64> = vec![
        value.saturating_add(1),
        value.saturating_sub(1),
        value.saturating_mul(10),
        0,
    ];
    let mut seen = HashSet::from([value]);
    new.retain(|new| seen.insert(*new));
    new.iter().map(|new| format!("{new}{suffix}")).collect()
}

/// Whether an expression, or what a function of this name gives, is the default of its type.
fn is_default(source: &str) -> bool {
    const DEFAULTS: [&str; 14] = [
        "0",
        "0.0",
        "false",
        "\"\"",
        "None",
        "()",
        "&[]",
        "&[][..]",
        "Vec::new()",
        "Vec::new",
        "String::new()",
        "String::new",
        "NameId::EMPTY",
        "Default::default()",
    ];
    DEFAULTS.contains(&source.trim_start_matches("|| "))
}

impl Finder<'_> {
    fn line(&self, at: usize) -> usize {
        self.lines.partition_point(|start| *start <= at)
    }

    fn add(&mut self, kind: &'static str, what: String, edits: Vec<(Range<usize>, String)>) {
        let Some((first, _)) = edits.first() else {
            return;
        };
        let line = self.line(first.start);
        let edits = edits
            .into_iter()
            .map(|(range, text)| Edit {
                file: self.file.to_owned(),
                range,
                text,
            })
            .collect();
        self.all.push(Mutant {
            file: self.file.to_owned(),
            line,
            kind,
            what,
            edits,
        });
    }

    /// An expression that becomes another.
    fn becomes(&mut self, kind: &'static str, whole: Range<usize>, changed: &str) {
        let shown = |text: &str| {
            text.split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
                .chars()
                .take(70)
                .collect::<String>()
        };
        let what = format!(
            "{} for {}",
            shown(changed),
            shown(&self.text[whole.clone()])
        );
        self.add(
            kind,
            what,
            vec![(
                whole,
                format!("(if {ON} {{ {changed} }} else {{ {ORIGINAL} }})"),
            )],
        );
    }

    fn source(&self, node: &impl Spanned) -> &str {
        &self.text[node.span().byte_range()]
    }
}

impl<'ast> Visit<'ast> for Finder<'_> {
    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        if !is_left_out(&item.attrs) {
            syn::visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_impl(&mut self, item: &'ast syn::ItemImpl) {
        if !is_left_out(&item.attrs) {
            syn::visit::visit_item_impl(self, item);
        }
    }

    fn visit_attribute(&mut self, _: &'ast syn::Attribute) {}

    fn visit_type(&mut self, _: &'ast syn::Type) {} // lengths of arrays

    fn visit_generic_argument(&mut self, _: &'ast syn::GenericArgument) {}

    fn visit_pat(&mut self, _: &'ast syn::Pat) {} // a pattern asks no variable

    fn visit_item_static(&mut self, _: &'ast syn::ItemStatic) {}

    fn visit_expr_const(&mut self, _: &'ast syn::ExprConst) {}

    fn visit_impl_item_const(&mut self, _: &'ast syn::ImplItemConst) {}

    fn visit_expr_repeat(&mut self, e: &'ast syn::ExprRepeat) {
        self.visit_expr(&e.expr);
    }

    fn visit_variant(&mut self, _: &'ast syn::Variant) {}

    fn visit_item_fn(&mut self, item: &'ast syn::ItemFn) {
        if item.sig.constness.is_none() && !is_left_out(&item.attrs) {
            syn::visit::visit_item_fn(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast syn::ImplItemFn) {
        if item.sig.constness.is_none() {
            syn::visit::visit_impl_item_fn(self, item);
        }
    }

    fn visit_item_const(&mut self, item: &'ast syn::ItemConst) {
        if let syn::Expr::Lit(syn::ExprLit {
            lit: syn::Lit::Int(_) | syn::Lit::Float(_),
            ..
        }) = &*item.expr
        {
            self.constants.push(Constant {
                file: self.file.to_owned(),
                line: self.line(item.span().byte_range().start),
                name: item.ident.to_string(),
                is_public: !matches!(item.vis, syn::Visibility::Inherited),
                value: item.expr.span().byte_range(),
            });
        }
    }

    fn visit_expr_path(&mut self, e: &'ast syn::ExprPath) {
        if let Some(last) = e.path.segments.last() {
            let name = last.ident.to_string();
            if name.len() > 1
                && name
                    .chars()
                    .all(|c| c.is_ascii_uppercase() || c == '_' || c.is_ascii_digit())
            {
                let used = Edit {
                    file: self.file.to_owned(),
                    range: e.span().byte_range(),
                    text: String::new(),
                };
                self.uses.entry(name).or_default().push(used);
            }
        }
    }

    fn visit_expr_lit(&mut self, e: &'ast syn::ExprLit) {
        let whole = e.span().byte_range();
        match &e.lit {
            syn::Lit::Int(_) | syn::Lit::Float(_) => {
                for changed in changed_numbers(&self.text[whole.clone()]) {
                    self.becomes("number", whole.clone(), &changed);
                }
            }
            syn::Lit::Bool(value) => {
                self.becomes("number", whole, if value.value { "false" } else { "true" })
            }
            _ => {}
        }
    }

    fn visit_expr_binary(&mut self, e: &'ast syn::ExprBinary) {
        let others: &[&str] = match e.op {
            syn::BinOp::Lt(_) => &["<=", ">="],
            syn::BinOp::Le(_) => &["<", ">"],
            syn::BinOp::Gt(_) => &[">=", "<="],
            syn::BinOp::Ge(_) => &[">", "<"],
            syn::BinOp::Eq(_) => &["!="],
            syn::BinOp::Ne(_) => &["=="],
            _ => &[],
        };
        for other in others {
            let changed = format!(
                "({}) {other} ({})",
                self.source(&e.left),
                self.source(&e.right)
            );
            self.becomes("comparison", e.span().byte_range(), &changed);
        }
        syn::visit::visit_expr_binary(self, e);
    }

    fn visit_expr_method_call(&mut self, e: &'ast syn::ExprMethodCall) {
        let receiver = self.source(&e.receiver).to_owned();
        let whole = e.span().byte_range();
        match e.method.to_string().as_str() {
            // What is the default anyhow is none that could be dropped.
            "unwrap_or" | "unwrap_or_else" | "map_or"
                if e.args
                    .first()
                    .is_some_and(|first| is_default(self.source(first))) => {}
            "unwrap_or" | "unwrap_or_else" | "map_or" => {
                if e.method != "map_or" {
                    self.becomes("default", whole, &format!("{receiver}.unwrap_or_default()"));
                } else if let [_, function] = e.args.iter().collect::<Vec<_>>()[..] {
                    let changed = format!(
                        "{receiver}.map_or(Default::default(), {})",
                        self.source(function)
                    );
                    self.becomes("default", whole, &changed);
                }
            }
            "or" | "or_else" | "filter" | "max" | "min" | "clamp" | "rev" | "saturating_sub"
            | "take" | "skip" => {
                self.becomes("default", whole, &receiver);
            }
            _ => {}
        }
        self.swapped_arguments(&e.args);
        syn::visit::visit_expr_method_call(self, e);
    }

    fn visit_expr_call(&mut self, e: &'ast syn::ExprCall) {
        self.swapped_arguments(&e.args);
        // The function that is called is no value.
        e.args.iter().for_each(|argument| self.visit_expr(argument));
    }

    fn visit_expr_tuple(&mut self, e: &'ast syn::ExprTuple) {
        self.swapped_arguments(&e.elems);
        syn::visit::visit_expr_tuple(self, e);
    }

    fn visit_expr_struct(&mut self, e: &'ast syn::ExprStruct) {
        let fields: Vec<&syn::FieldValue> = e.fields.iter().collect();
        for pair in fields.windows(2) {
            let [(a, x), (b, y)] = [pair[0], pair[1]]
                .map(|field| (self.source(&field.member), self.source(&field.expr)));
            let what = format!("fields {a} and {b} swapped");
            let edits =
                [(pair[0], y), (pair[1], x)].map(|(field, other)| match field.colon_token {
                    Some(_) => (
                        field.expr.span().byte_range(),
                        format!("(if {ON} {{ {other} }} else {{ {ORIGINAL} }})"),
                    ),
                    None => (
                        field.span().byte_range(),
                        format!(
                            "{0}: (if {ON} {{ {other} }} else {{ {0} }})",
                            self.source(&field.member)
                        ),
                    ),
                });
            self.add("swapped", what, edits.to_vec());
        }
        syn::visit::visit_expr_struct(self, e);
    }

    fn visit_stmt(&mut self, statement: &'ast syn::Stmt) {
        let is_call = |e: &syn::Expr| match e {
            syn::Expr::MethodCall(_) | syn::Expr::Call(_) => true,
            syn::Expr::Try(e) => matches!(&*e.expr, syn::Expr::MethodCall(_) | syn::Expr::Call(_)),
            _ => false,
        };
        if let syn::Stmt::Expr(e, Some(_)) = statement
            && is_call(e)
        {
            let whole = statement.span().byte_range();
            let shown: String = self.text[whole.clone()]
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ");
            let what = format!("skipped: {}", shown.chars().take(90).collect::<String>());
            self.add(
                "skipped call",
                what,
                vec![(whole, format!("if !{ON} {{ {ORIGINAL} }}"))],
            );
        }
        syn::visit::visit_stmt(self, statement);
    }

    fn visit_expr_match(&mut self, e: &'ast syn::ExprMatch) {
        for pair in e.arms.windows(2) {
            let [a, b] = [&pair[0], &pair[1]].map(|arm| arm.body.span().byte_range());
            let [x, y] = [&self.text[a.clone()], &self.text[b.clone()]];
            if x != y && x.len() + y.len() < 400 {
                let what = format!(
                    "arms exchanged: {} and {}",
                    self.source(&pair[0].pat),
                    self.source(&pair[1].pat)
                );
                // A block needs no comma after it, another expression does.
                let text = |arm: &syn::Arm, other: &str| {
                    let comma = if arm.comma.is_some() { "" } else { "," };
                    format!("(if {ON} {{ {other} }} else {{ {ORIGINAL} }}){comma}")
                };
                let edits = vec![(a, text(&pair[0], y)), (b, text(&pair[1], x))];
                self.add(
                    "arms",
                    what.split_whitespace().collect::<Vec<_>>().join(" "),
                    edits,
                );
            }
        }
        syn::visit::visit_expr_match(self, e);
    }
}

impl Finder<'_> {
    fn swapped_arguments(
        &mut self,
        arguments: &syn::punctuated::Punctuated<syn::Expr, syn::Token![,]>,
    ) {
        let all: Vec<&syn::Expr> = arguments.iter().collect();
        for pair in all.windows(2) {
            let is_closure = |e: &syn::Expr| matches!(e, syn::Expr::Closure(_));
            let [a, b] = [pair[0].span().byte_range(), pair[1].span().byte_range()];
            let [x, y] = [&self.text[a.clone()], &self.text[b.clone()]];
            if x != y && !is_closure(pair[0]) && !is_closure(pair[1]) && x.len() + y.len() < 120 {
                let what = format!("values swapped: {x} and {y}");
                let text = |other: &str| format!("(if {ON} {{ {other} }} else {{ {ORIGINAL} }})");
                let edits = vec![(a, text(y)), (b, text(x))];
                self.add(
                    "swapped",
                    what.split_whitespace().collect::<Vec<_>>().join(" "),
                    edits,
                );
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::changed_numbers;

    #[test]
    fn a_number_becomes_each_other_once() {
        assert_eq!(changed_numbers("1"), ["2", "0", "10"]);
        assert_eq!(changed_numbers("0u8"), ["1u8"]);
        assert_eq!(changed_numbers("1_000"), ["1001", "999", "10000", "0"]);
        assert_eq!(changed_numbers("0.5"), ["5.0", "0.0"]);
    }
}

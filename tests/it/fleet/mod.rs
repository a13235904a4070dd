//! Many runs: the tables that `convert --to tables` writes, and what databases make of them.

mod queries;
mod tables;

use crate::common::Stage;
use std::collections::BTreeMap;
use std::ops::Index;
use std::path::Path;
use std::rc::Rc;

/// A row of a table, whose fields are had by their column.
#[derive(Clone, Debug)]
pub struct Row {
    columns: Rc<Vec<String>>,
    fields: csv::StringRecord,
}

impl Index<&str> for Row {
    type Output = str;

    fn index(&self, column: &str) -> &str {
        let at = self.columns.iter().position(|known| known == column);
        &self.fields[at.unwrap_or_else(|| panic!("there is no column {column}"))]
    }
}

/// The rows of a CSV file.
pub fn rows(path: &Path) -> Vec<Row> {
    let mut reader =
        csv::Reader::from_path(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let columns = Rc::new(
        reader
            .headers()
            .unwrap()
            .iter()
            .map(str::to_owned)
            .collect(),
    );
    reader
        .records()
        .map(|fields| Row {
            columns: Rc::clone(&columns),
            fields: fields.unwrap(),
        })
        .collect()
}

/// The rows of a table that a profile is written as.
pub fn table(stage: &Stage, folder: &str, name: &str) -> Vec<Row> {
    rows(&stage.dir.join(folder).join(format!("{name}.csv")))
}

/// A number of a row; an empty field is nothing.
pub fn number(row: &Row, column: &str) -> i128 {
    let field = &row[column];
    if field.is_empty() {
        0
    } else {
        field
            .parse()
            .unwrap_or_else(|_| panic!("{column} is {field}: {row:?}"))
    }
}

/// Sums of a column by what some other columns say.
pub fn sums<'r>(rows: &'r [Row], by: &[&str], of: &str) -> BTreeMap<Vec<&'r str>, i128> {
    let mut sums = BTreeMap::new();
    for row in rows {
        let key = by.iter().map(|column| &row[column]).collect();
        *sums.entry(key).or_default() += number(row, of);
    }
    sums
}

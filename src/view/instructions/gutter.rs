//! Arrows beside instructions: for each instruction that jumps lead to, one arrow from all that they come from, in a lane
//! that no other arrow uses between the same rows. Short arrows stand next to the instructions, long ones further out; what
//! has no lane is counted.

use crate::profile::Order;
use std::collections::BTreeMap;

/// What an arrow does in one lane of a row.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Mark {
    /// Nothing.
    #[default]
    Nothing,
    /// It goes by.
    By,
    /// Its first row.
    Begin,
    /// A row between that it comes from or leads to.
    Between,
    /// Its last row.
    End,
}

/// An arrow, by the places of rows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Arrow {
    /// Where it leads.
    pub(super) to: usize,
    /// Where it comes from, in order, each once.
    pub(super) from: Vec<usize>,
}

impl Arrow {
    fn first(&self) -> usize {
        self.from.first().map_or(self.to, |&from| from.min(self.to))
    }

    fn last(&self) -> usize {
        self.from.last().map_or(self.to, |&from| from.max(self.to))
    }
}

/// The arrows of all rows.
#[derive(Clone, Default, Debug)]
pub struct Gutter {
    /// How many arrows stand side by side at most.
    pub lanes: usize,
    /// How many arrows have no lane.
    pub left_out: usize,
    /// A row's marks after those of the row before.
    marks: Vec<Mark>,
    /// The rows that arrows lead to.
    heads: Vec<bool>,
}

impl Gutter {
    /// Finds lanes for arrows beside so many rows.
    pub(super) fn new(mut arrows: Vec<Arrow>, rows: usize, most: usize) -> Gutter {
        arrows.order_by_key(|arrow| (arrow.last() - arrow.first(), arrow.first(), arrow.to));
        // Of each lane, where the arrows in it begin and end.
        let mut lanes: Vec<BTreeMap<usize, usize>> = Vec::new();
        let mut placed: Vec<(usize, Arrow)> = Vec::new();
        let mut gutter = Gutter {
            heads: vec![false; rows],
            ..Gutter::default()
        };
        for arrow in arrows {
            let (first, last) = (arrow.first(), arrow.last());
            let is_free = |lane: &BTreeMap<usize, usize>| {
                lane.range(..=last)
                    .next_back()
                    .is_none_or(|(_, &e)| e < first)
            };
            let lane = match lanes.iter().position(is_free) {
                Some(lane) => lane,
                None if lanes.len() < most => {
                    lanes.push(BTreeMap::new());
                    lanes.len() - 1
                }
                None => {
                    gutter.left_out += 1;
                    continue;
                }
            };
            lanes[lane].insert(first, last);
            placed.push((lane, arrow));
        }
        gutter.lanes = lanes.len();
        gutter.marks = vec![Mark::Nothing; rows * lanes.len()];
        for (lane, arrow) in placed {
            // The first lane stands next to the instructions.
            let column = gutter.lanes - 1 - lane;
            let (first, last) = (arrow.first(), arrow.last());
            for row in first..=last {
                gutter.set(row, column, Mark::By);
            }
            arrow
                .from
                .iter()
                .for_each(|&row| gutter.set(row, column, Mark::Between));
            gutter.set(arrow.to, column, Mark::Between);
            gutter.set(first, column, Mark::Begin);
            gutter.set(last, column, Mark::End);
            if let Some(head) = gutter.heads.get_mut(arrow.to) {
                *head = true;
            }
        }
        gutter
    }

    fn set(&mut self, row: usize, column: usize, mark: Mark) {
        if let Some(place) = self.marks.get_mut(row * self.lanes + column) {
            *place = mark;
        }
    }

    /// The marks of a row, outermost first.
    pub fn marks(&self, row: usize) -> &[Mark] {
        self.marks
            .get(row * self.lanes..(row + 1) * self.lanes)
            .unwrap_or_default()
    }

    /// Whether an arrow leads to a row.
    pub fn is_head(&self, row: usize) -> bool {
        self.heads.get(row) == Some(&true)
    }

    /// The arrows beside a row as text, all rows of one width: lines, and a head if one leads here.
    pub fn drawn(&self, row: usize) -> String {
        let mut out = String::new();
        if self.lanes == 0 {
            return out;
        }
        // From the outermost arrow that ends in this row, a line goes to the instruction.
        let mut across = false;
        for &mark in self.marks(row) {
            out.push(match (mark, across) {
                (Mark::Nothing, false) => ' ',
                (Mark::Nothing, true) => '─',
                (Mark::By, false) => '│',
                (Mark::By, true) => '┼',
                (Mark::Begin, false) => '┌',
                (Mark::Begin, true) => '┬',
                (Mark::Between, false) => '├',
                (Mark::Between, true) => '┼',
                (Mark::End, false) => '└',
                (Mark::End, true) => '┴',
            });
            across |= !matches!(mark, Mark::Nothing | Mark::By);
        }
        out.push(match (self.is_head(row), across) {
            (true, _) => '▶',
            (false, true) => '─',
            (false, false) => ' ',
        });
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(arrows: &[(usize, &[usize])], rows: usize, most: usize) -> (Vec<String>, usize) {
        let arrows = arrows
            .iter()
            .map(|&(to, from)| Arrow {
                to,
                from: from.to_vec(),
            })
            .collect();
        let gutter = Gutter::new(arrows, rows, most);
        let row = |row: usize| {
            let marks = gutter.marks(row).iter().map(|mark| match mark {
                Mark::Nothing => ' ',
                Mark::By => '|',
                Mark::Begin => 'v',
                Mark::Between => '+',
                Mark::End => '^',
            });
            marks.chain(gutter.is_head(row).then_some('>')).collect()
        };
        ((0..rows).map(row).collect(), gutter.left_out)
    }

    #[test]
    fn arrows_do_not_share_a_lane() {
        let (rows, left_out) = drawn(&[(0, &[3, 5]), (2, &[1]), (4, &[1])], 6, 8);
        assert_eq!(rows, ["v  >", "|vv", "||^>", "+| ", "|^ >", "^  "]);
        assert_eq!(left_out, 0);
    }

    #[test]
    fn the_shortest_have_lanes_if_there_are_few() {
        let (rows, left_out) = drawn(&[(0, &[5]), (2, &[1]), (4, &[3])], 6, 1);
        assert_eq!(
            rows,
            ["", "v", "^>", "v", "^>", ""].map(|row| if row.is_empty() { " " } else { row })
        );
        assert_eq!(left_out, 1);
        assert_eq!(drawn(&[], 2, 3), (vec![String::new(), String::new()], 0));
    }
}

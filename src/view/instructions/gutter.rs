//! Lays out the arrows of jumps. For each jump target there is one arrow from all its sources. It
//! has a lane that no other arrow uses between the same rows. Short arrows are next to the
//! instructions, long ones further out. Arrows without a lane are counted.

use crate::profile::Order;
use std::collections::BTreeMap;

/// The part of an arrow in one lane of a row.
#[derive(Clone, Copy, Default)]
pub enum Mark {
    /// Nothing.
    #[default]
    Nothing,
    /// The arrow passes.
    By,
    /// The first row of the arrow.
    Begin,
    /// A source or the target, between its first and last row.
    Between,
    /// The last row of the arrow.
    End,
}

/// An arrow, by indexes of rows.
pub(super) struct Arrow {
    /// The target.
    pub to: usize,
    /// The distinct sources, in order.
    pub from: Vec<usize>,
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
#[derive(Default)]
pub struct Gutter {
    /// The number of lanes.
    pub lanes: usize,
    /// The number of arrows without a lane.
    pub left_out: usize,
    /// The marks of all rows, row by row.
    marks: Vec<Mark>,
    /// Whether an arrow leads to each row.
    heads: Vec<bool>,
}

impl Gutter {
    /// Finds lanes for arrows, at most `most` of them.
    pub(super) fn new(mut arrows: Vec<Arrow>, rows: usize, most: usize) -> Gutter {
        arrows.order_by_key(|arrow| (arrow.last() - arrow.first(), arrow.first(), arrow.to));
        // The first and last row of the arrows in each lane.
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
            // The first lane is next to the instructions.
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

    /// The arrows of a row as text. All rows have the same width.
    pub fn drawn(&self, row: usize) -> String {
        let mut out = String::new();
        if self.lanes == 0 {
            return out;
        }
        // The outermost arrow that starts or ends in this row has a line to the instruction.
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

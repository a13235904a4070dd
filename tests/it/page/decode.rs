//! The data of a page, read by nothing of the program: base64, gzip, columns.

use flate2::read::GzDecoder;
use std::collections::BTreeMap;
use std::io::Read;

/// A column.
#[derive(Debug)]
pub enum Column {
    Numbers(Vec<i128>),
    /// `None` was never written.
    Counts(Vec<Option<i128>>),
    Texts(Vec<String>),
}

/// All columns by their names.
pub struct Data(pub BTreeMap<String, Column>);

impl Data {
    /// Of a page.
    pub fn of(page: &str) -> Data {
        let begin = "<script type=\"application/octet-stream\" id=\"data\">";
        let block = page
            .split(begin)
            .nth(1)
            .unwrap()
            .split("</script>")
            .next()
            .unwrap();
        let packed = base64(block);
        assert_eq!(packed[0], 1, "the version");
        let mut bytes = Vec::new();
        GzDecoder::new(&packed[1..])
            .read_to_end(&mut bytes)
            .unwrap();
        let mut rest = &bytes[..];
        let mut directory = Vec::new();
        for _ in 0..varint(&mut rest) {
            let length = varint(&mut rest) as usize;
            let name = String::from_utf8(take(&mut rest, length).to_vec()).unwrap();
            let kind = take(&mut rest, 1)[0];
            let (count, length) = (varint(&mut rest) as usize, varint(&mut rest) as usize);
            directory.push((name, kind, count, length));
        }
        let mut columns = BTreeMap::new();
        for (name, kind, count, length) in directory {
            let mut bytes = take(&mut rest, length);
            let column = match kind {
                0 => Column::Numbers((0..count).map(|_| varint(&mut bytes) as i128).collect()),
                1 => Column::Counts(
                    (0..count)
                        .map(|_| varint(&mut bytes).checked_sub(1).map(zigzag))
                        .collect(),
                ),
                2 => {
                    let mut last = 0;
                    let numbers = (0..count).map(|_| {
                        last += zigzag(varint(&mut bytes));
                        last
                    });
                    Column::Numbers(numbers.collect())
                }
                3 if count == 0 => Column::Texts(Vec::new()),
                3 => {
                    let text = std::str::from_utf8(bytes).unwrap();
                    bytes = &[];
                    let texts: Vec<String> = text.split('\n').map(str::to_owned).collect();
                    assert_eq!(texts.len(), count, "{name}");
                    Column::Texts(texts)
                }
                other => panic!("{name} is of kind {other}"),
            };
            assert!(bytes.is_empty(), "{name} has {} bytes more", bytes.len());
            assert!(
                columns.insert(name.clone(), column).is_none(),
                "{name} is there twice"
            );
        }
        assert!(rest.is_empty());
        Data(columns)
    }

    pub fn numbers(&self, name: &str) -> &[i128] {
        match &self.0[name] {
            Column::Numbers(numbers) => numbers,
            other => panic!("{name}: {other:?}"),
        }
    }

    pub fn sizes(&self, name: &str) -> Vec<usize> {
        self.numbers(name)
            .iter()
            .map(|&number| usize::try_from(number).unwrap())
            .collect()
    }

    pub fn texts(&self, name: &str) -> &[String] {
        match &self.0[name] {
            Column::Texts(texts) => texts,
            other => panic!("{name}: {other:?}"),
        }
    }

    /// The rows of a table with a column for each event; what was never written is 0, as in JSON.
    pub fn costs(&self, name: &str, events: usize) -> Vec<Vec<i128>> {
        let column = |at: usize| match &self.0[&format!("{name}.{at}")] {
            Column::Counts(counts) => counts,
            other => panic!("{name}: {other:?}"),
        };
        let columns: Vec<_> = (0..events).map(column).collect();
        (0..columns.first().map_or(0, |c| c.len()))
            .map(|row| {
                columns
                    .iter()
                    .map(|column| column[row].unwrap_or(0))
                    .collect()
            })
            .collect()
    }

    pub fn counts(&self, name: &str) -> Vec<i128> {
        match &self.0[name] {
            Column::Counts(counts) => counts.iter().map(|count| count.unwrap_or(0)).collect(),
            other => panic!("{name}: {other:?}"),
        }
    }

    /// Whether the column says that it is not known.
    pub fn is_unknown(&self, name: &str, row: usize) -> bool {
        matches!(&self.0[name], Column::Counts(counts) if counts[row].is_none())
    }

    /// What is said in words.
    pub fn about(&self) -> serde_json::Value {
        serde_json::from_str(&self.texts("about")[0]).unwrap()
    }
}

fn take<'b>(bytes: &mut &'b [u8], count: usize) -> &'b [u8] {
    let (taken, rest) = bytes.split_at(count);
    *bytes = rest;
    taken
}

fn varint(bytes: &mut &[u8]) -> u128 {
    let (mut value, mut shift) = (0, 0);
    loop {
        let byte = take(bytes, 1)[0];
        value |= u128::from(byte & 127) << shift;
        shift += 7;
        if byte < 128 {
            return value;
        }
    }
}

fn zigzag(value: u128) -> i128 {
    let half = (value / 2) as i128;
    if value % 2 == 1 { -half - 1 } else { half }
}

fn base64(text: &str) -> Vec<u8> {
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut value = [255u8; 256];
    alphabet
        .bytes()
        .zip(0..)
        .for_each(|(letter, digit)| value[usize::from(letter)] = digit);
    let (mut bytes, mut bits, mut count) = (Vec::new(), 0u32, 0);
    for letter in text.bytes() {
        let digit = value[usize::from(letter)];
        assert!(digit < 64, "{:?} is no base64", char::from(letter));
        bits = bits << 6 | u32::from(digit);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    bytes
}

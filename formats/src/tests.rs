//! Tests of the readers with arbitrary files.

use std::io::Cursor;

use proptest::prelude::*;

use crate::{LinkReader, ReadOptions, Rejection, Rejects};

/// Pieces of files, so that many of the files are nearly valid.
const PIECES: [&str; 32] = [
    "destination_url",
    "short_code",
    "longUrl",
    "shortCode",
    "keyword,url,title\n",
    "address\ttarget\n",
    "line,reason,destination_url,record\n",
    "https://example.com/",
    "\"shortUrls\":",
    "\"data\":",
    "\"line\":1,\"reason\":\"\",\"record\":",
    "abc",
    "NULL",
    "\\N",
    "1",
    ",",
    ";",
    "\t",
    "\"",
    "\"\"",
    "\\\"",
    ":",
    "{",
    "}",
    "[",
    "]",
    "\n",
    "\r\n",
    "\u{feff}",
    "é",
    " ",
    "\0",
];

fn content() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        20 => prop::sample::select(&PIECES[..]).prop_map(|piece| piece.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 0..4),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

/// Reads a file, and returns its links, the locations of its rows, and the rejects file of all rows.
fn read(content: &[u8]) -> Option<(Vec<String>, Vec<u64>, Vec<u8>)> {
    let input = Box::new(Cursor::new(content.to_vec()));
    let mut reader = LinkReader::new(input, ReadOptions::default()).ok()?;
    let mut rejects = Rejects::begin(Vec::new(), &reader.kind()).unwrap();
    let (mut links, mut lines) = (Vec::new(), Vec::new());
    while let Some(row) = reader.next().unwrap() {
        let (location, origin) = (row.location, row.origin);
        links.push(format!("{:?}", reader.links(&row)));
        lines.push(location.line);
        let source = &row.into_raw();
        rejects.write(&Rejection { location, origin, reason: "reason", source }).unwrap();
    }
    assert_eq!(reader.bytes_read(), content.len() as u64, "the whole file is read");
    Some((links, lines, rejects.into_inner()))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// No file makes a reader panic or loop. Rows are in file order, and a rejects file of all rows is
    /// read as the same links.
    #[test]
    fn any_file_is_read_to_its_end(content in content()) {
        if let Some((links, lines, rejects)) = read(&content) {
            prop_assert!(lines.is_sorted());
            let valid: Vec<&String> = links.iter().filter(|link| link.starts_with("Ok")).collect();
            if let Some((again, ..)) = read(&rejects) {
                // The text of a broken row may be a record, if the file is itself a rejects file.
                let mut again = again.iter();
                prop_assert!(valid.into_iter().all(|link| again.any(|other| other == link)));
            }
        }
    }
}

//! Tests of the readers with arbitrary files.

use std::io::Cursor;

use proptest::prelude::*;

use crate::{LinkReader, ReadOptions, Rejection, Rejects, steps};

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

/// Maximum number of bytes that the readers look at for each byte of a file, on average: as many as
/// levels of a document, or lines of a quoted field, that are read again.
const MAX_STEPS: usize = 2_000;
/// Length of a file that shows work which grows faster than the file.
const LENGTH: usize = 64 << 10;

/// Asserts that the work of reading a file is proportional to its length.
#[track_caller]
fn assert_linear(content: &[u8]) {
    steps::take();
    read(content);
    let per_byte = steps::take() / content.len().max(1);
    let start = String::from_utf8_lossy(&content[..content.len().min(60)]);
    assert!(per_byte <= MAX_STEPS, "{per_byte} steps per byte: {start:?}");
}

fn nested(open: &str, middle: &str, close: &str) -> Vec<u8> {
    let levels = LENGTH / (open.len() + close.len());
    [&open.repeat(levels), middle, &close.repeat(levels)].concat().into_bytes()
}

#[test]
fn deep_document_takes_linear_work() {
    for (open, close) in [
        ("[", "]"),
        ("{\"links\":", "}"),
        ("{\"a\":{},\"b\":", "}"),
        ("{\"a\":[", "]}"),
        ("[{\"links\":[", "]}]"),
        ("{\"line\":1,\"reason\":\"\",\"record\":", "}"),
    ] {
        for middle in ["", "1", "{}", "{\"longUrl\":\"x\",\"shortCode\":\"y\"}"] {
            for close in [close, ""] {
                let deep = nested(open, middle, close);
                assert_linear(&deep);
                let record = "{\"longUrl\":\"x\",\"shortCode\":\"y\",\"more\":";
                assert_linear(&[record.as_bytes(), &deep, b"}"].concat());
                let lines = [&deep[..LENGTH / 100], b"\n"].concat().repeat(100);
                assert_linear(
                    &[&br#"{"longUrl":"x","shortCode":"y"}"#[..], b"\n", &lines].concat(),
                );
            }
        }
    }
}

#[test]
fn wide_document_takes_linear_work() {
    let link = r#""longUrl":"x","shortCode":"y""#;
    for (start, repeated, end) in [
        ("[", "[],", "[]]"),
        ("[", "{\"a\":{\"b\":1}},", "1]"),
        ("{\"links\":[", "[{\"a\":{}}],", "1]}"),
        ("{", "\"links\":[{}],", "\"a\":1}"),
        (&format!("{{{link},"), "\"clicks.x\":[1],", "\"a\":[{}]}"),
        (&format!("{{{link},\"a\":["), "{\"clicks\":1},", "1]}"),
        (&format!("{{{link},"), "\"code\":\"z\",", "\"a\":1}"),
        (r#"{"long_url":"x","link":"y","custom_bitlinks":["#, "\"https://s.example/a\",", "1]}"),
        ("long_url,short_url,hits\n", "\"a\n\"\"\n\"\"\n", "x"),
        ("long_url,short_url,hits\n", "\"\\\"\n", "x"),
        ("long_url\tshort_url\thits\n", "\\\t\\\t\\N\n", "x"),
    ] {
        assert_linear(
            &[start, &repeated.repeat(LENGTH / repeated.len()), end].concat().into_bytes(),
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// No piece, repeated or nested, makes a reader do more than a bounded number of steps per byte.
    #[test]
    fn any_repetition_takes_linear_work(
        start in content(),
        open in content(),
        close in content(),
        is_nested in any::<bool>(),
    ) {
        let repeated = if is_nested {
            let levels = LENGTH / (open.len() + close.len()).max(1);
            [open.repeat(levels), close.repeat(levels)].concat()
        } else {
            open.repeat(LENGTH / open.len().max(1))
        };
        assert_linear(&[&start, &repeated[..]].concat());
    }
}

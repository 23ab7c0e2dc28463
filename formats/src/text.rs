//! The text of a file, decoded to UTF-8, and its numbered lines.

use std::collections::VecDeque;
use std::io::{self, BufRead, Cursor, Read};

use encoding_rs::{Decoder, Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// Number of bytes that are decoded at a time.
const MAX_DECODED: usize = 64 << 10;
/// Maximum length of a line in bytes.
const MAX_LINE: u64 = 16 << 20;

/// Error of a file that a [`LinkReader`](crate::LinkReader) cannot begin to read.
#[derive(Debug, thiserror::Error)]
pub enum FormatError {
    /// The format of the file is unknown or unexpected.
    #[error("{0}")]
    File(String),
    /// The file cannot be read.
    #[error("it cannot be read: {0}")]
    Read(#[from] io::Error),
}

/// A file as UTF-8. Without a decoder, it may contain other bytes.
pub(crate) struct DecodedText {
    input: Box<dyn BufRead + Send>,
    decoder: Option<Decoder>,
    /// Decoded bytes, from `at`. Empty without a decoder.
    decoded: Vec<u8>,
    at: usize,
    is_over: bool,
    bytes_read: u64,
}

impl DecodedText {
    /// Begins a file in the encoding with this WHATWG label, or in that of its byte order mark.
    pub(crate) fn new(
        mut input: Box<dyn BufRead + Send>,
        label: Option<&str>,
    ) -> Result<Self, FormatError> {
        let mut start = Vec::new();
        (&mut input).take(3).read_to_end(&mut start)?;
        let named = label.map(|label| {
            Encoding::for_label(label.as_bytes()).ok_or_else(|| {
                FormatError::File(format!(
                    "the encoding '{}' is unknown; use a label such as windows-1252",
                    label.escape_debug()
                ))
            })
        });
        let (named, marked) = (named.transpose()?, Encoding::for_bom(&start));
        let marked = marked.map(|(encoding, _)| encoding);
        if let (Some(named), Some(marked)) = (named, marked)
            && named != marked
        {
            let reason = "its byte order mark says that it is";
            return Err(FormatError::File(format!(
                "{reason} {}, not {}; leave --encoding out",
                marked.name(),
                named.name()
            )));
        }
        let reason = not_text(&start).or_else(|| unmarked(&start).filter(|_| label.is_none()));
        if let Some(reason) = reason {
            return Err(FormatError::File(reason.to_owned()));
        }
        let mut bytes_read = 0;
        if start == b"\xEF\xBB\xBF" {
            // Some programs begin a UTF-8 file with a byte order mark.
            start.clear();
            bytes_read = 3;
        }
        let input = Box::new(Cursor::new(start).chain(input));
        let encoding = named.or(marked).filter(|encoding| *encoding != UTF_8);
        let decoder = encoding.map(Encoding::new_decoder_with_bom_removal);
        Ok(Self { input, decoder, decoded: Vec::new(), at: 0, is_over: false, bytes_read })
    }

    /// Begins a text in memory.
    pub(crate) fn from_utf8(bytes: Vec<u8>) -> Self {
        let input = Box::new(Cursor::new(bytes));
        Self { input, decoder: None, decoded: Vec::new(), at: 0, is_over: false, bytes_read: 0 }
    }

    /// Returns the number of bytes of the file that were read.
    pub(crate) fn bytes_read(&self) -> u64 {
        self.bytes_read
    }

    pub(crate) fn is_utf16(&self) -> bool {
        let encoding = self.decoder.as_ref().map(Decoder::encoding);
        encoding.is_some_and(|encoding| [UTF_16LE, UTF_16BE].contains(&encoding))
    }

    /// Returns whether the file is in another encoding than UTF-8. If so, the replacement character
    /// stands for what cannot be decoded.
    pub(crate) fn is_decoded(&self) -> bool {
        self.decoder.is_some()
    }
}

/// Returns what to do if a file with this beginning is UTF-16 without a byte order mark.
fn unmarked(start: &[u8]) -> Option<&'static str> {
    match start {
        [1..=255, 0, 1..=255] => {
            Some("it is UTF-16 without a byte order mark; add --encoding utf-16le")
        }
        [0, 1..=255, 0] => Some("it is UTF-16 without a byte order mark; add --encoding utf-16be"),
        _ => None,
    }
}

/// Returns why a file with this beginning is not text, and what the user can do.
fn not_text(start: &[u8]) -> Option<&'static str> {
    match start {
        // RFC 1952, section 2.3.1.
        [0x1F, 0x8B, ..] => Some("it is compressed by gzip; import what `gunzip` makes of it"),
        b"PK\x03" => Some("it is a ZIP archive or a spreadsheet; save the table as CSV"),
        _ => None,
    }
}

impl Read for DecodedText {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.fill_buf()?.read(buffer)?;
        self.consume(read);
        Ok(read)
    }
}

impl BufRead for DecodedText {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let Some(decoder) = &mut self.decoder else { return self.input.fill_buf() };
        while self.at == self.decoded.len() && !self.is_over {
            let bytes = self.input.fill_buf()?;
            let is_last = bytes.is_empty();
            let bytes = &bytes[..bytes.len().min(MAX_DECODED)];
            let length = decoder.max_utf8_buffer_length(bytes.len()).unwrap_or(MAX_DECODED);
            self.decoded.resize(length, 0);
            let (_, read, written, _) = decoder.decode_to_utf8(bytes, &mut self.decoded, is_last);
            self.decoded.truncate(written);
            (self.at, self.is_over) = (0, is_last);
            self.input.consume(read);
            self.bytes_read += read as u64;
        }
        Ok(&self.decoded[self.at..])
    }

    fn consume(&mut self, amount: usize) {
        if self.decoder.is_some() {
            self.at += amount;
        } else {
            self.input.consume(amount);
            self.bytes_read += amount as u64;
        }
    }
}

/// Reader of lines. A parser can put lines back.
pub(crate) struct Lines {
    input: DecodedText,
    put_back: VecDeque<Line>,
    lines_read: u64,
}

/// A line of a file.
#[derive(Debug)]
pub(crate) struct Line {
    /// Line number, from 1.
    pub(crate) number: u64,
    /// Content with the line end, if there is one.
    pub(crate) bytes: Vec<u8>,
    /// Whether the line exceeds [`MAX_LINE`]. If so, `bytes` holds only its beginning.
    pub(crate) is_cut: bool,
}

impl Lines {
    /// Begins at the line of the input with this number.
    pub(crate) fn new(input: DecodedText, line: u64) -> Self {
        Self { input, put_back: VecDeque::new(), lines_read: line - 1 }
    }

    pub(crate) fn input(&self) -> &DecodedText {
        &self.input
    }

    pub(crate) fn next(&mut self) -> io::Result<Option<Line>> {
        if let Some(line) = self.put_back.pop_front() {
            return Ok(Some(line));
        }
        let mut bytes = Vec::new();
        let read = (&mut self.input).take(MAX_LINE).read_until(b'\n', &mut bytes)?;
        if read == 0 {
            return Ok(None);
        }
        self.lines_read += 1;
        let is_cut = read as u64 == MAX_LINE && !bytes.ends_with(b"\n");
        if is_cut {
            bytes.truncate(1_000);
            self.skip_line()?;
        }
        // phpMyAdmin begins each row of a UTF-16 file with a byte order mark.
        if self.input.is_utf16() && bytes.starts_with(b"\xEF\xBB\xBF") {
            bytes.drain(..3);
        }
        Ok(Some(Line { number: self.lines_read, bytes, is_cut }))
    }

    /// Puts lines back. [`Self::next`] returns them again before any other line.
    pub(crate) fn put_back(&mut self, lines: Vec<Line>) {
        for line in lines.into_iter().rev() {
            self.put_back.push_front(line);
        }
    }

    fn skip_line(&mut self) -> io::Result<()> {
        loop {
            let buffer = self.input.fill_buf()?;
            let end = buffer.iter().position(|byte| *byte == b'\n').map(|end| end + 1);
            let (used, is_over) = (end.unwrap_or(buffer.len()), end.is_some() || buffer.is_empty());
            self.input.consume(used);
            if is_over {
                return Ok(());
            }
        }
    }
}

impl Line {
    pub(crate) fn is_blank(&self) -> bool {
        self.bytes.iter().all(u8::is_ascii_whitespace)
    }
}

/// Returns the bytes of a line without the line end.
pub(crate) fn trimmed(bytes: &[u8]) -> &[u8] {
    let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
    bytes.strip_suffix(b"\r").unwrap_or(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: Vec<u8>) -> Lines {
        Lines::new(DecodedText::from_utf8(bytes), 1)
    }

    #[test]
    fn lines_can_be_put_back() {
        let mut lines = lines(b"a\r\nb\n\nc".to_vec());
        let mut seen = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            seen.push(line);
        }
        let texts: Vec<&[u8]> = seen.iter().map(|line| trimmed(&line.bytes)).collect();
        assert_eq!(texts, [&b"a"[..], b"b", b"", b"c"]);
        lines.put_back(seen);
        assert_eq!(lines.next().unwrap().map(|line| line.number), Some(1));
        assert_eq!(lines.next().unwrap().map(|line| line.number), Some(2));
    }

    #[test]
    fn each_line_of_utf_16_may_have_a_byte_order_mark() {
        let text = "\u{feff}a\n\u{feff}b\n\u{feff}\u{feff}c";
        let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        for (bytes, expected) in [
            (utf16, ["a", "b", "\u{feff}c"]),
            (text.into(), ["a", "\u{feff}b", "\u{feff}\u{feff}c"]),
        ] {
            let input = DecodedText::new(Box::new(Cursor::new(bytes)), None).unwrap();
            let mut lines = Lines::new(input, 1);
            for text in expected {
                let line = lines.next().unwrap().unwrap();
                assert_eq!(str::from_utf8(trimmed(&line.bytes)).unwrap(), text);
            }
        }
    }

    #[test]
    fn line_is_cut_above_the_limit() {
        let mut bytes = vec![b'x'; usize::try_from(MAX_LINE).unwrap() + 70_000];
        bytes.extend(b"\nnext\n");
        let (mut lines, total) = (lines(bytes.clone()), bytes.len() as u64);
        assert!(lines.next().unwrap().is_some_and(|line| line.is_cut && line.bytes.len() == 1_000));
        assert!(lines.next().unwrap().is_some_and(|line| line.bytes == b"next\n"));
        assert_eq!(lines.input().bytes_read(), total);
    }
}

//! Numbered lines of a file.

use std::collections::VecDeque;
use std::io::{self, BufRead as _, Read as _};

use crate::text::DecodedText;

/// Maximum length of a line in bytes.
const MAX_LINE: u64 = 16 << 20;

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
            let input = DecodedText::new(Box::new(std::io::Cursor::new(bytes)), None).unwrap();
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

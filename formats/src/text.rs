//! The text of a file, decoded to UTF-8.

use std::io::{self, BufRead, Cursor, Read};

use encoding_rs::{Decoder, Encoding, UTF_8, UTF_16BE, UTF_16LE};

use crate::error::FormatError;

/// Number of bytes that are decoded at a time.
const MAX_DECODED: usize = 64 << 10;

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

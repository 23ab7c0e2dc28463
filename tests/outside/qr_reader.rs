//! A reader of undistorted QR code images, written from ISO/IEC 18004, independent of the encoder.
//!
//! It corrects no errors, and reads versions 1 to 4, which are enough for the short URLs of these
//! tests.

use std::io::Cursor;

use png::{Decoder, Transformations};

/// The contents and the layout of a QR code image.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Reading {
    /// The encoded text.
    pub(crate) text: String,
    /// The level of error correction: `L`, `M`, `Q` or `H`.
    pub(crate) level: char,
    /// Modules on a side.
    pub(crate) modules: usize,
    /// Light modules around the code.
    pub(crate) margin: usize,
    /// Pixels on a side.
    pub(crate) width: usize,
}

/// A square of modules; `true` is dark.
struct Symbol {
    rows: Vec<Vec<bool>>,
}

/// Returns the pixels of a PNG image, one row after another.
fn pixels(bytes: &[u8]) -> Vec<Vec<[u8; 3]>> {
    let mut decoder = Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().expect("a PNG image");
    let mut buffer = vec![0; reader.output_buffer_size().expect("it fits into memory")];
    let frame = reader.next_frame(&mut buffer).expect("its pixels");
    let samples = frame.color_type.samples();
    let pixel = |bytes: &[u8]| match bytes {
        [grey] | [grey, _] => [*grey; 3],
        [red, green, blue, ..] => [*red, *green, *blue],
        [] => panic!("a pixel without samples"),
    };
    buffer[..frame.buffer_size()]
        .chunks(frame.line_size)
        .map(|row| row.chunks(samples).map(pixel).collect())
        .collect()
}

/// Reads an image with these colours of dark and light modules.
pub(crate) fn read(png: &[u8], dark: [u8; 3], light: [u8; 3]) -> Reading {
    let image = pixels(png);
    let width = image.len();
    assert!(image.iter().all(|row| row.len() == width), "a square");
    let only = |pixel: &[u8; 3]| *pixel == dark || *pixel == light;
    assert!(image.iter().flatten().all(only), "two colours and no more");
    let first = image.iter().position(|row| row.contains(&dark)).expect("dark modules");
    let run = image[first][first..].iter().take_while(|pixel| **pixel == dark);
    let module = run.count() / 7;
    assert!(module > 0, "a finder pattern in the corner");
    let last = image.iter().rposition(|row| row.contains(&dark));
    let length = last.expect("dark modules") + 1 - first;
    let modules = length / module;
    assert_eq!(modules * module, length, "whole modules");
    let after = width - first - length;
    assert!(after == first || after == first + 1, "in the middle");
    let middle = |index: usize| first + index * module + module / 2;
    let row = |y: usize| (0..modules).map(|x| image[middle(y)][middle(x)] == dark).collect();
    let symbol = Symbol { rows: (0..modules).map(row).collect() };
    let (level, mask) = symbol.format();
    let text = text_of(&symbol.data(level, mask));
    Reading { text, level, modules, margin: first / module, width }
}

impl Symbol {
    fn size(&self) -> usize {
        self.rows.len()
    }

    fn version(&self) -> usize {
        let version = (self.size() - 17) / 4;
        assert_eq!(17 + 4 * version, self.size(), "a QR code's size");
        assert!((1..=4).contains(&version), "this reader's versions");
        version
    }

    fn dark(&self, x: usize, y: usize) -> bool {
        self.rows[y][x]
    }

    /// Returns level and mask, from the format information next to the first finder pattern.
    fn format(&self) -> (char, u8) {
        let positions = (0..6).map(|y| (8, y)).chain([(8, 7), (8, 8), (7, 8)]);
        let positions = positions.chain((0..6).rev().map(|x| (x, 8)));
        let bits = positions
            .enumerate()
            .fold(0_u16, |bits, (index, (x, y))| bits | u16::from(self.dark(x, y)) << index);
        let bits = bits ^ 0x5412;
        let level = ['M', 'L', 'H', 'Q'][usize::from(bits >> 13)];
        (level, (bits >> 10 & 7) as u8)
    }

    /// Returns whether a module belongs to a function pattern or the format information, not to the
    /// data.
    fn is_reserved(&self, x: usize, y: usize) -> bool {
        let size = self.size();
        let near = |index: usize| index < 9;
        let far = |index: usize| index >= size - 8;
        let finder = near(x) && near(y) || far(x) && near(y) || near(x) && far(y);
        let alignment = size - 9..size - 4;
        let aligned = self.version() > 1 && alignment.contains(&x) && alignment.contains(&y);
        finder || aligned || x == 6 || y == 6
    }

    /// Returns the data codewords, unmasked and in order.
    fn data(&self, level: char, mask: u8) -> Vec<u8> {
        let size = self.size();
        let mut bits = Vec::new();
        let columns = (7..size).rev().step_by(2).chain([5, 3, 1]);
        for (turn, right) in columns.enumerate() {
            for step in 0..size {
                let y = if turn % 2 == 0 { size - 1 - step } else { step };
                for x in [right, right - 1] {
                    if !self.is_reserved(x, y) {
                        bits.push(self.dark(x, y) != is_masked(mask, x, y));
                    }
                }
            }
        }
        let byte = |bits: &[bool]| bits.iter().fold(0, |byte, bit| byte << 1 | u8::from(*bit));
        let codewords: Vec<u8> = bits.chunks_exact(8).map(byte).collect();
        let (blocks, length) = blocks(self.version(), level);
        let of_block = |block: usize| codewords[..blocks * length].iter().skip(block);
        (0..blocks).flat_map(|block| of_block(block).step_by(blocks).copied()).collect()
    }
}

fn is_masked(mask: u8, x: usize, y: usize) -> bool {
    let value = match mask {
        0 => (x + y) % 2,
        1 => y % 2,
        2 => x % 3,
        3 => (x + y) % 3,
        4 => (x / 3 + y / 2) % 2,
        5 => x * y % 2 + x * y % 3,
        6 => (x * y % 2 + x * y % 3) % 2,
        _ => ((x + y) % 2 + x * y % 3) % 2,
    };
    value == 0
}

/// Returns the number of blocks, and of data codewords per block.
fn blocks(version: usize, level: char) -> (usize, usize) {
    let of_version = match version {
        1 => [(1, 19), (1, 16), (1, 13), (1, 9)],
        2 => [(1, 34), (1, 28), (1, 22), (1, 16)],
        3 => [(1, 55), (1, 44), (2, 17), (2, 13)],
        _ => [(1, 80), (2, 32), (2, 24), (4, 9)],
    };
    of_version["LMQH".find(level).expect("a level")]
}

/// A bit reader over codewords.
struct Bits<'c> {
    codewords: &'c [u8],
    at: usize,
}

impl Bits<'_> {
    fn left(&self) -> usize {
        self.codewords.len() * 8 - self.at
    }

    fn take(&mut self, count: usize) -> usize {
        let positions = self.at..self.at + count;
        self.at += count;
        let bit = |at: usize| usize::from(self.codewords[at / 8] >> (7 - at % 8) & 1);
        positions.fold(0, |number, at| number << 1 | bit(at))
    }
}

/// Decodes the text of these codewords in all modes.
fn text_of(codewords: &[u8]) -> String {
    let mut bits = Bits { codewords, at: 0 };
    let mut text = Vec::new();
    // A full code has no terminator.
    while bits.left() >= 4 {
        match bits.take(4) {
            0 => break,
            1 => read_digits(&mut bits, &mut text),
            2 => read_letters(&mut bits, &mut text),
            4 => {
                for _ in 0..bits.take(8) {
                    text.push(u8::try_from(bits.take(8)).expect("eight bits"));
                }
            }
            mode => panic!("an unknown mode: {mode}"),
        }
    }
    String::from_utf8(text).expect("text in UTF-8")
}

fn read_digits(bits: &mut Bits<'_>, text: &mut Vec<u8>) {
    let mut left = bits.take(10);
    while left > 0 {
        let digits = left.min(3);
        let number = bits.take([0, 4, 7, 10][digits]);
        text.extend_from_slice(format!("{number:0digits$}").as_bytes());
        left -= digits;
    }
}

fn read_letters(bits: &mut Bits<'_>, text: &mut Vec<u8>) {
    const LETTERS: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:";
    let mut left = bits.take(9);
    while left > 1 {
        let pair = bits.take(11);
        text.extend([LETTERS[pair / 45], LETTERS[pair % 45]]);
        left -= 2;
    }
    if left == 1 {
        text.push(LETTERS[bits.take(6)]);
    }
}

//! Opens the file of an import, and refuses one with links of several domains.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Cursor, Seek as _, SeekFrom};

use formats::{FormatError, LinkReader, ReadOptions};

/// Size of the buffer of the file in bytes.
const BUFFER: usize = 256 << 10;
/// Maximum number of domains that an error names.
const MAX_NAMED: usize = 20;

/// Reads the beginning of a file. Without a choice of a domain, it first reads a file that may have
/// several to its end, because the links of a second one must not follow those of the first. A pipe
/// is then stored in a temporary file.
///
/// # Errors
/// [`FormatError`]
pub(super) fn open(input: File, options: ReadOptions) -> Result<LinkReader, FormatError> {
    let mut file = input;
    if !file.metadata()?.is_file() {
        let mut pipe = BufReader::with_capacity(BUFFER, file);
        if is_of_one_domain(pipe.fill_buf()?, &options) {
            return LinkReader::new(Box::new(pipe), options);
        }
        file = tempfile::tempfile()?;
        io::copy(&mut pipe, &mut file)?;
        file.rewind()?;
    }
    let start = file.stream_position()?;
    let read = || Ok::<_, io::Error>(BufReader::with_capacity(BUFFER, file.try_clone()?));
    let reader = LinkReader::new(Box::new(read()?), options.clone())?;
    if options.domain.is_some() || !reader.may_have_domains() {
        return Ok(reader);
    }
    let domains = reader.into_domains()?;
    if domains.len() > 1 {
        return Err(FormatError::File(several(&domains)));
    }
    let mut again = read()?;
    again.seek(SeekFrom::Start(start))?;
    LinkReader::new(Box::new(again), options)
}

/// Returns whether the links of a file with this beginning have one domain.
fn is_of_one_domain(beginning: &[u8], options: &ReadOptions) -> bool {
    let reader = LinkReader::new(Box::new(Cursor::new(beginning.to_vec())), options.clone());
    options.domain.is_some() || reader.is_ok_and(|reader| !reader.may_have_domains())
}

fn several(domains: &BTreeMap<Option<String>, u64>) -> String {
    let named = domains.iter().take(MAX_NAMED).map(|(domain, links)| {
        let domain = domain.as_deref().unwrap_or("default").escape_debug();
        format!("{domain} ({links})")
    });
    let mut named: Vec<String> = named.collect();
    if let Some(more) = domains.len().checked_sub(MAX_NAMED).filter(|more| *more > 0) {
        named.push(format!("and {more} more"));
    }
    format!(
        "it has links of several domains, whose codes may be the same: {}; import them one by one \
         with --domain HOST, or --domain default",
        named.join(", ")
    )
}

//! Files of clicks that could not be stored before a server had to stop, for the next start.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::store::clicks::{self, Batch, LinkClicks};
use crate::store::{Store, StoreError, links};

const PREFIX: &str = "terse-clicks-";
const SUFFIX: &str = ".json";

/// What a file holds.
#[derive(Serialize, Deserialize)]
struct Content {
    /// The database that the clicks belong to: links have other numbers in another one.
    installation: String,
    batches: Vec<SpooledBatch>,
}

#[derive(Serialize, Deserialize)]
struct SpooledBatch {
    writer: i64,
    sequence: i64,
    /// Links and how often each was clicked.
    clicks: Vec<(i64, i64)>,
}

impl From<&Batch> for SpooledBatch {
    fn from(batch: &Batch) -> Self {
        let Batch { writer, sequence, clicks } = batch;
        let clicks = clicks.iter().map(|clicks| (clicks.link_id, clicks.count)).collect();
        Self { writer: *writer, sequence: *sequence, clicks }
    }
}

impl From<SpooledBatch> for Batch {
    fn from(SpooledBatch { writer, sequence, clicks }: SpooledBatch) -> Self {
        let clicks = clicks.into_iter().map(|(link_id, count)| LinkClicks { link_id, count });
        Self { writer, sequence, clicks: clicks.collect() }
    }
}

/// Writes what was left over into a new file, which survives a loss of power; returns its name.
///
/// # Errors
/// When the directory cannot be written to.
pub fn write(directory: &Path, installation: &str, left_over: &[Batch]) -> io::Result<PathBuf> {
    let writer = left_over.first().map_or(0, |batch| batch.writer);
    let path = directory.join(format!("{PREFIX}{writer:016x}{SUFFIX}"));
    let content = Content {
        installation: installation.to_owned(),
        batches: left_over.iter().map(SpooledBatch::from).collect(),
    };
    // Under another name until it is whole.
    let unfinished = path.with_extension("tmp");
    let mut file = File::create(&unfinished)?;
    file.write_all(&serde_json::to_vec(&content)?)?;
    file.sync_all()?;
    fs::rename(&unfinished, &path)?;
    File::open(directory)?.sync_all()?;
    Ok(path)
}

/// Stores the clicks of all files that belong to the database, and deletes the files. A file that
/// two instances take in at once, or one that is killed meanwhile, counts once. What cannot be read
/// or belongs to another database is left where it is, and the log says so.
///
/// # Errors
/// When the database fails; the files stay.
pub async fn take_in(
    store: &Store,
    directory: &Path,
    installation: &str,
) -> Result<(), StoreError> {
    if let Err(error) = check(directory) {
        // What cannot be deleted would be counted again long after the database has forgotten it.
        let directory = directory.display();
        tracing::error!(%directory, %error, "the spool directory cannot be used");
        return Ok(());
    }
    for path in files(directory) {
        let file = path.display();
        let content = match read(&path) {
            Ok(content) if content.installation == installation => content,
            Ok(_) => {
                tracing::warn!(%file, "these clicks belong to another database; left there");
                continue;
            }
            // Another instance was faster.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => {
                tracing::error!(%file, %error, "clicks cannot be read; left there");
                continue;
            }
        };
        let (mut count, mut strays) = (0, 0);
        for mut batch in content.batches.into_iter().map(Batch::from) {
            strays += leave_strays_out(store, &mut batch).await?;
            clicks::take_in(store, &batch).await?;
            count += sum(&batch.clicks);
        }
        if strays > 0 {
            tracing::warn!(
                %file,
                clicks = strays,
                "clicks of links that the database does not have are left out; it may be an older copy"
            );
        }
        match fs::remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                tracing::warn!(%file, %error, "clicks are stored, but their file cannot be deleted");
            }
            _ => tracing::info!(%file, clicks = count, "clicks of an earlier run are stored"),
        }
    }
    Ok(())
}

/// Takes out the clicks of links that are not there: in a database that was restored from a backup
/// another link will have the number. Returns how many they were.
async fn leave_strays_out(store: &Store, batch: &mut Batch) -> Result<i64, StoreError> {
    let wanted: Vec<i64> = batch.clicks.iter().map(|clicks| clicks.link_id).collect();
    let there = links::existing(store.reader(), &wanted).await?;
    let before = sum(&batch.clicks);
    batch.clicks.retain(|clicks| there.contains(&clicks.link_id));
    Ok(before - sum(&batch.clicks))
}

fn sum(clicks: &[LinkClicks]) -> i64 {
    clicks.iter().map(|clicks| clicks.count).sum()
}

/// Whether files can be made and deleted.
fn check(directory: &Path) -> io::Result<()> {
    fs::create_dir_all(directory)?;
    let trial = directory.join(format!("{PREFIX}{}.trial", std::process::id()));
    File::create(&trial)?;
    match fs::remove_file(&trial) {
        // Another server has tried under the same name: in containers all may have one number.
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).into_iter().flatten().filter_map(Result::ok);
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| path.file_name().and_then(OsStr::to_str).is_some_and(is_spool));
    paths.sort();
    paths
}

fn is_spool(name: &str) -> bool {
    name.starts_with(PREFIX) && name.ends_with(SUFFIX)
}

fn read(path: &Path) -> io::Result<Content> {
    Ok(serde_json::from_slice(&fs::read(path)?)?)
}

#[cfg(test)]
mod tests {
    use rand::rand_core::UnwrapErr;
    use rand::rngs::SysRng;

    use super::*;
    use crate::domain::owners;
    use crate::store::creations::{self, Custom, NewLink};
    use crate::values::{Moment, Name, ShortCode};

    /// In a database that was restored from a backup the next link would have had their clicks.
    #[tokio::test]
    async fn clicks_of_links_that_are_not_there_are_left_out() {
        let directory = tempfile::tempdir().unwrap();
        let store = Store::new_in(directory.path()).await;
        let (now, mut rng) = (Moment::now(), UnwrapErr(SysRng));
        let name = Name::parse("somebody").unwrap();
        owners::add(&store, &name, "free", now, &mut rng).await.unwrap();
        let link = |rng: &mut UnwrapErr<SysRng>| NewLink {
            owner_id: 1,
            custom: Custom::None,
            generated: ShortCode::generate(rng),
            destination_url: "https://example.org/".to_owned(),
            title: None,
            campaign: None,
            now,
            keyed: None,
        };
        let (first, second) = (link(&mut rng), link(&mut rng));
        creations::make(&store, std::slice::from_ref(&first), None).await.unwrap();
        let clicks = [(1, 2), (2, 3)];
        let clicks = clicks.map(|(link_id, count)| LinkClicks { link_id, count }).to_vec();
        let batch = Batch { writer: 7, sequence: 1, clicks };
        let spooled = tempfile::tempdir().unwrap();
        write(spooled.path(), "this one", &[batch]).unwrap();
        take_in(&store, spooled.path(), "this one").await.unwrap();
        assert_eq!(files(spooled.path()), Vec::<PathBuf>::new());
        creations::make(&store, std::slice::from_ref(&second), None).await.unwrap();
        let mut counted = Vec::new();
        for link in [&first, &second] {
            let found = links::count_one(&store, 1, &link.generated).await.unwrap();
            counted.push(found.map(|link| (link.id, link.clicks)));
        }
        assert_eq!(counted, [Some((1, 2)), Some((2, 0))]);
    }
}

//! Checks of a database: its structure, its redundant counts, and its files.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::pin::pin;

use futures_util::TryStreamExt as _;
use serde::Serialize;

use super::clicks::rollup;
use super::domains::pages;
use super::partial_file::directory_of;
use crate::store::invalidations::{self, Invalidation};
use crate::store::{
    Durability, Store, StoreError, Transaction, check, clicks, domains, free_space, link_checksums,
    sqlite_files,
};
use crate::values::{Destination, DomainHost, ServiceUrls, is_ip_or_localhost, split_authority};

/// Free space in bytes below which the disk is as good as full: the largest write-ahead log of a
/// busy server.
const MIN_FREE: u64 = 128 << 20;
/// Maximum number of counts without links that one query returns, and one transaction deletes.
const MAX_SLICE: u32 = 500;
/// Permission bits of users other than the file's owner.
const OTHERS: u32 = 0o077;

/// A fault that a check has found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Name of the check.
    pub check: &'static str,
    /// What is faulty: the name of an owner, or the path of a file, for example.
    pub subject: String,
    /// The fault.
    pub detail: String,
    /// Whether the fault has been repaired.
    pub repaired: bool,
    /// Whether it is only a note, and not a fault.
    pub is_note: bool,
}

impl Finding {
    fn new(check: &'static str, subject: impl Into<String>, detail: String) -> Self {
        Self { check, subject: subject.into(), detail, repaired: false, is_note: false }
    }
}

/// What a check repairs.
#[derive(Debug, Clone, Copy)]
pub struct Repairs {
    /// Faults whose correct state follows from other data.
    pub faults: bool,
    /// Links that do not match their checksums, which stay as they are and get new ones.
    pub damaged_links: bool,
}

/// Checks the structure and the counts of a database, and repairs what the caller asks for. The
/// server may be running. `service` has the addresses of the service, which no domain can have, if they
/// are known.
pub async fn database(
    store: &Store,
    service: Option<&ServiceUrls>,
    repairs: Repairs,
) -> Result<Vec<Finding>, StoreError> {
    let faults = check::faults(store).await;
    if !faults.is_empty() {
        // A damaged file returns wrong counts.
        let finding = |fault| Finding::new("integrity", "database", fault);
        return Ok(faults.into_iter().map(finding).collect());
    }
    let mut check = DatabaseCheck { store, repairs, findings: Vec::new() };
    let db = store.reader();
    let orphans = check::links_without_owner(db).await?;
    if orphans > 0 {
        let detail = format!("{orphans} links have no owner");
        check.findings.push(Finding::new("integrity", "links", detail));
    }
    check.link_checksums().await?;
    check.link_counts().await?;
    check.click_counts().await?;
    let negative = check::negative_counts(db).await?;
    if negative > 0 {
        let detail = format!("{negative} counts are below zero");
        check.findings.push(Finding::new("click-count", "clicks", detail));
    }
    check.count_faults(CountFault::WrongDays).await?;
    check.long_locations().await?;
    check.owned_domains().await?;
    check.unserved_domains(service).await?;
    Ok(check.findings)
}

/// A check of a database, with what it has found.
struct DatabaseCheck<'s> {
    store: &'s Store,
    repairs: Repairs,
    findings: Vec<Finding>,
}

impl DatabaseCheck<'_> {
    /// Adds a fault, which a repair has repaired.
    fn add(&mut self, finding: Finding) {
        self.findings.push(Finding { repaired: self.repairs.faults, ..finding });
    }

    /// Begins a transaction that repairs faults.
    async fn begin(&self) -> Result<Transaction, StoreError> {
        self.store.begin(Durability::PowerLoss).await
    }

    /// Finds the domains whose owner does not exist, and deletes them in a repair.
    async fn owned_domains(&mut self) -> Result<(), StoreError> {
        for host in domains::without_owner(self.store.reader()).await? {
            if self.repairs.faults {
                let (transaction, now) = (self.begin().await?, self.store.now());
                domains::delete(&transaction, &host).await?;
                invalidations::publish(&transaction, &Invalidation::Domains, now).await?;
                transaction.commit().await?;
            }
            self.add(Finding::new("domain", host, "its owner does not exist".to_owned()));
        }
        Ok(())
    }

    /// Finds the domains that no request reaches, because they are not in normal form, and notes those
    /// that have become addresses of the service.
    async fn unserved_domains(&mut self, service: Option<&ServiceUrls>) -> Result<(), StoreError> {
        let check = |host: &str| {
            let normal = DomainHost::parse(host).ok().filter(|normal| normal.as_str() == host);
            let is_own = |service: &ServiceUrls| service.have_host(&split_authority(host).0);
            let detail = if normal.is_none() {
                "it is not a host in normal form: remove it, and add it again"
            } else if normal.as_ref().is_some_and(|normal| is_ip_or_localhost(normal.host())) {
                "it is an IP address or localhost, which the server does not serve as a domain: \
                 remove it"
            } else if service.is_some_and(is_own) {
                "it is an address of the service itself, which does not serve it as a domain"
            } else {
                return None;
            };
            let finding = Finding::new("domain", host, detail.to_owned());
            Some(Finding { is_note: normal.is_some(), ..finding })
        };
        let mut pages = pin!(pages(self.store));
        while let Some(page) = pages.try_next().await? {
            self.findings.extend(page.iter().filter_map(|one| check(&one.domain.host)));
        }
        Ok(())
    }

    /// Notes the links whose `Location` is longer than today's limit, which older versions accepted.
    async fn long_locations(&mut self) -> Result<(), StoreError> {
        let mut last = 0;
        loop {
            // An encoded destination has at most three times the length.
            let min_bytes = Destination::MAX_LENGTH / 3;
            let links =
                check::long_destinations(self.store.reader(), last, min_bytes, MAX_SLICE).await?;
            let Some(newest) = links.last() else { return Ok(()) };
            last = newest.id;
            for link in links {
                let length = Destination::stored_location(&link.destination_url).len();
                if length > Destination::MAX_LENGTH {
                    let detail = format!(
                        "its Location has {length} bytes, more than the {} that proxies and clients \
                         are known to accept: shorten the destination",
                        Destination::MAX_LENGTH
                    );
                    let finding = Finding::new("long-destination", link.short_code, detail);
                    self.findings.push(Finding { is_note: true, ..finding });
                }
            }
        }
    }

    async fn link_checksums(&mut self) -> Result<(), StoreError> {
        let mut after = 0;
        loop {
            let links = link_checksums::unproven(self.store.reader(), after, MAX_SLICE).await?;
            let Some(last) = links.last() else { return Ok(()) };
            after = last.id;
            let mut accepted = Vec::new();
            for link in &links {
                let (detail, repaired) = if link.checksum.is_some() {
                    let detail = "the row of the link does not match its checksum: compare the \
                         link with a backup";
                    (detail, self.repairs.damaged_links)
                } else {
                    ("the link has no checksum: it was changed by hand", self.repairs.faults)
                };
                if repaired {
                    accepted.push(link.id);
                }
                let finding = Finding::new("link-checksum", &link.short_code, detail.to_owned());
                self.findings.push(Finding { repaired, ..finding });
            }
            if !accepted.is_empty() {
                let transaction = self.begin().await?;
                link_checksums::set(&transaction, &accepted).await?;
                transaction.commit().await?;
            }
        }
    }

    async fn link_counts(&mut self) -> Result<(), StoreError> {
        for owner in check::wrong_link_counts(self.store.reader()).await? {
            let check::WrongLinkCount { id, name, link_count, links } = owner;
            let detail = format!("the count of links is {link_count} instead of {links}");
            if self.repairs.faults {
                let transaction = self.begin().await?;
                check::correct_link_count(&transaction, id, self.store.now()).await?;
                transaction.commit().await?;
            }
            self.add(Finding::new("link-count", name, detail));
        }
        Ok(())
    }

    async fn click_counts(&mut self) -> Result<(), StoreError> {
        let db = self.store.reader();
        let pending = check::pending_without_link(db).await?;
        if pending > 0 {
            let detail = format!("{pending} pending clicks have no link");
            if self.repairs.faults {
                // They become counts without a link, which the next step deletes.
                rollup::roll_up_all(self.store).await?;
            }
            self.add(Finding::new("pending-clicks", "clicks", detail));
        }
        self.count_faults(CountFault::WithoutLink).await
    }

    /// Finds the links with this fault, and repairs them in slices.
    async fn count_faults(&mut self, fault: CountFault) -> Result<(), StoreError> {
        loop {
            let link_ids = fault.find(self.store).await?;
            let Some(&first) = link_ids.first() else { return Ok(()) };
            self.add(fault.finding(&link_ids, first));
            if !self.repairs.faults {
                return Ok(());
            }
            let transaction = self.begin().await?;
            clicks::lock_rollups(&transaction).await?;
            fault.repair(&transaction, &link_ids).await?;
            transaction.commit().await?;
        }
    }
}

/// A fault of counts, which a check finds for many links at once.
#[derive(Clone, Copy)]
enum CountFault {
    WithoutLink,
    WrongDays,
}

impl CountFault {
    async fn find(self, store: &Store) -> Result<Vec<i64>, StoreError> {
        let db = store.reader();
        match self {
            Self::WithoutLink => check::counts_without_link(db, MAX_SLICE).await,
            Self::WrongDays => check::links_with_wrong_days(db, MAX_SLICE).await,
        }
    }

    async fn repair(self, transaction: &Transaction, link_ids: &[i64]) -> Result<(), StoreError> {
        match self {
            Self::WithoutLink => check::delete_counts_without_link(transaction, link_ids).await,
            Self::WrongDays => check::correct_days(transaction, link_ids).await,
        }
    }

    fn finding(self, link_ids: &[i64], first: i64) -> Finding {
        let more = if link_ids.len() < MAX_SLICE as usize { "" } else { " or more" };
        let number = format!("{}{more}", link_ids.len());
        match self {
            Self::WithoutLink => {
                let detail = format!("{number} counts have no link, from link {first} on");
                Finding::new("click-count", "clicks", detail)
            }
            Self::WrongDays => {
                let detail = format!(
                    "the days of {number} links do not add up to their closed clicks, from link {first} on"
                );
                Finding::new("click-days", "clicks", detail)
            }
        }
    }
}

/// Checks the permissions of an SQLite file, of its log and of spool files, and the free space on
/// the disk of the SQLite file.
///
/// # Errors
/// If a file cannot be read or its permissions cannot be changed.
pub fn files(
    database: Option<&Path>,
    spool: &[PathBuf],
    is_repair: bool,
) -> io::Result<Vec<Finding>> {
    let mut findings = Vec::new();
    let files = database.map(sqlite_files).into_iter().flatten();
    for path in files.chain(spool.iter().cloned()) {
        let data = match fs::metadata(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            data => data?,
        };
        let mode = data.permissions().mode() & 0o777;
        if mode & OTHERS == 0 {
            continue;
        }
        let detail =
            format!("other users may use the file: its mode is {mode:04o} instead of 0600");
        if is_repair {
            fs::set_permissions(&path, Permissions::from_mode(mode & !OTHERS))?;
        }
        let finding = Finding::new("file-mode", path.display().to_string(), detail);
        findings.push(Finding { repaired: is_repair, ..finding });
    }
    if let Some(file) = database {
        let directory = directory_of(file);
        let free = free_space(directory)?;
        if free < MIN_FREE {
            let detail = format!("{free} bytes are free on the disk, fewer than {MIN_FREE}");
            findings.push(Finding::new("free-space", directory.display().to_string(), detail));
        }
    }
    Ok(findings)
}

//! PostgreSQL for the time of the benchmark: a cluster of its own, on a free port of the loopback,
//! with the settings that PostgreSQL has by default, so that a commit is on the disk.

use std::net::SocketAddr;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::path::PathBuf;
use std::process::Command;

use rand::RngExt as _;
use rand::rand_core::UnwrapErr;
use rand::rngs::SysRng;
use tempfile::TempDir;

use super::Result;
use super::supervised::{Supervised, free_address};

/// Where Debian keeps the programs, by version: not in PATH.
const DEBIAN: &str = "/usr/lib/postgresql";
const USER: &str = "terse";

/// A running cluster, gone when this is dropped.
pub(crate) struct Cluster {
    pub(crate) process: Supervised,
    address: SocketAddr,
    password: String,
}

impl Cluster {
    /// Whether PostgreSQL is installed.
    pub(crate) fn is_possible() -> bool {
        programs().is_some()
    }

    pub(crate) fn start(files: TempDir) -> Result<Self> {
        let programs = programs().ok_or("PostgreSQL is not installed")?;
        let account = Account::choose()?;
        // Other users of this machine reach the port as well.
        let password = format!("{:032x}", UnwrapErr(SysRng).random::<u128>());
        let password_file = files.path().join("password");
        std::fs::write(&password_file, &password)?;
        if let Some(account) = &account {
            chown(files.path(), Some(account.user), Some(account.group))?;
            chown(&password_file, Some(account.user), Some(account.group))?;
        }
        let data = files.path().join("data");
        let mut initdb = run_as(account.as_ref(), programs.join("initdb"));
        initdb.args(["--username", USER, "--auth=scram-sha-256", "--encoding=UTF8", "--no-locale"]);
        initdb.args(["--no-sync", "--pwfile"]).arg(&password_file).arg("--pgdata").arg(&data);
        let made = initdb.current_dir(files.path()).output()?;
        if !made.status.success() {
            return Err(format!("initdb: {}", String::from_utf8_lossy(&made.stderr)).into());
        }
        let address = free_address()?;
        let mut postgres = run_as(account.as_ref(), programs.join("postgres"));
        postgres.arg("-D").arg(&data).args(["-p", &address.port().to_string()]);
        postgres.args(["-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="]);
        let process = Supervised::start(postgres, "QUIT", files)?;
        // It listens before it answers.
        let mut is_ready = Command::new(programs.join("pg_isready"));
        is_ready.args(["--quiet", "--host=127.0.0.1", "--port", &address.port().to_string()]);
        process.wait_until(|| Ok(is_ready.status()?.success()))?;
        Ok(Self { process, address, password })
    }

    pub(crate) fn url(&self) -> String {
        let Self { address, password, .. } = self;
        format!("postgres://{USER}:{password}@{address}/postgres")
    }
}

/// The directory of the newest version's programs.
fn programs() -> Option<PathBuf> {
    let versions = std::fs::read_dir(DEBIAN).into_iter().flatten().filter_map(|entry| {
        let path = entry.ok()?.path();
        let version: u32 = path.file_name()?.to_str()?.parse().ok()?;
        Some((version, path.join("bin")))
    });
    let path = std::env::var_os("PATH").unwrap_or_default();
    let elsewhere = std::env::split_paths(&path).map(|directory| (0, directory));
    versions
        .chain(elsewhere)
        .filter(|(_, directory)| directory.join("initdb").exists())
        .max_by_key(|(version, _)| *version)
        .map(|(_, directory)| directory)
}

/// Somebody who is not root, whom PostgreSQL refuses to be run by.
struct Account {
    user: u32,
    group: u32,
}

impl Account {
    /// None where this user will do.
    fn choose() -> Result<Option<Self>> {
        if std::fs::metadata("/proc/self")?.uid() != 0 {
            return Ok(None);
        }
        let accounts = std::fs::read_to_string("/etc/passwd")?;
        let find = |name: &str| {
            accounts.lines().find_map(|line| {
                let fields: Vec<&str> = line.split(':').collect();
                let [account, _, user, group, ..] = fields[..] else { return None };
                let numbers = (user.parse().ok()?, group.parse().ok()?);
                (account == name).then_some(Self { user: numbers.0, group: numbers.1 })
            })
        };
        let account = find("postgres").or_else(|| find("nobody"));
        Ok(Some(account.ok_or("neither of the users postgres and nobody exists")?))
    }
}

fn run_as(account: Option<&Account>, program: PathBuf) -> Command {
    let Some(Account { user, group }) = account else { return Command::new(program) };
    let mut command = Command::new("setpriv");
    command.args(["--reuid", &user.to_string(), "--regid", &group.to_string(), "--clear-groups"]);
    command.arg(program);
    command
}

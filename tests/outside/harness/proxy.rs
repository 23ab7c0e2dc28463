//! What may stand between a server and PostgreSQL, each on a free port of loopback.

use std::fmt::Write as _;
use std::net::TcpStream;
use std::path::Path;

use super::guard::{Directory, Process, process_exists};
use super::{Cluster, PATIENCE, free_port, until};

/// A program that takes connections and passes on what it hears.
pub(crate) struct Proxy {
    /// Before the directory, so that it ends first.
    _process: Process,
    _directory: Directory,
    port: u16,
}

impl Proxy {
    /// `HAProxy`, leading to the first of these clusters that takes connections. Connections to one
    /// that no longer does are cut.
    #[track_caller]
    pub(crate) fn to_the_first_of(clusters: &[&Cluster]) -> Self {
        let mut servers = String::new();
        for (number, cluster) in clusters.iter().enumerate() {
            let backup = if number == 0 { "" } else { "backup" };
            let port = cluster.port();
            let _ = writeln!(servers, "  server s{number} 127.0.0.1:{port} {backup}");
        }
        let configuration = |port: u16| {
            format!(
                "defaults\n  mode tcp\n  timeout connect 1s\n  timeout client 1h\n  timeout server 1h\n\
                 listen postgres\n  bind 127.0.0.1:{port}\n\
                 \x20 default-server check inter 200ms fall 2 rise 1 on-marked-down shutdown-sessions\n\
                 {servers}"
            )
        };
        Self::start("haproxy", &["-db", "-f"], configuration)
    }

    /// `PgBouncer` in transaction mode, with at most so many connections a database of this cluster.
    #[track_caller]
    pub(crate) fn pooling(cluster: &Cluster, connections: u32) -> Self {
        let to = cluster.port();
        let configuration = |port: u16| {
            format!(
                "[databases]\n* = host=127.0.0.1 port={to} user=terse\n\
                 [pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n\
                 auth_type = any\npool_mode = transaction\ndefault_pool_size = {connections}\n\
                 max_client_conn = 500\n"
            )
        };
        Self::start("pgbouncer", &[], configuration)
    }

    #[track_caller]
    fn start(program: &str, options: &[&str], configuration: impl Fn(u16) -> String) -> Self {
        let directory = Directory::new();
        let (file, log) = (directory.path().join("configuration"), directory.path().join("log"));
        let mut arguments: Vec<String> = options.iter().map(ToString::to_string).collect();
        arguments.push(file.to_str().expect("a plain path").to_owned());
        let told = || {
            let log = std::fs::read_to_string(&log).unwrap_or_default();
            format!("{program} starts:\n{log}")
        };
        let (process, port) = until(PATIENCE, told, || {
            let port = free_port();
            std::fs::write(&file, configuration(port)).expect("the directory can be written to");
            let process = Process::start("TERM", &log, &tool(program), &arguments);
            let listens = until(PATIENCE, told, || {
                let lives = process_exists(process.id());
                let listens = lives && TcpStream::connect(("127.0.0.1", port)).is_ok();
                (listens || !lives).then_some(listens)
            });
            // Where it ended, perhaps somebody else took the port.
            listens.then_some((process, port))
        });
        Self { _process: process, _directory: directory, port }
    }

    /// The port that it listens on.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }
}

/// Where Debian puts it, which is not in everybody's path.
fn tool(name: &str) -> String {
    let path = format!("/usr/sbin/{name}");
    if Path::new(&path).exists() { path } else { name.to_owned() }
}

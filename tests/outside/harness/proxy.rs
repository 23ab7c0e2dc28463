//! Proxies between a server and PostgreSQL, or between clients and a server, each on a free port of
//! loopback.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ::harness::{Directory, Process, unprivileged};

use super::{Cluster, ROOT, TIMEOUT, free_port, until};

/// Reads a sample configuration of `deploy`, and replaces texts, each of which must occur.
#[track_caller]
pub(crate) fn proxy_sample(path: &str, replacements: &[(&str, &str)]) -> String {
    let mut text = fs::read_to_string(format!("{ROOT}/deploy/{path}")).unwrap();
    for (from, to) in replacements {
        assert!(text.contains(from), "{from} in:\n{text}");
        text = text.replacen(from, to, 1);
    }
    text
}

/// A program that forwards connections or requests.
pub(crate) struct Proxy {
    /// Declared before the directory, so that the process ends before its files are removed.
    _process: Process,
    _directory: Directory,
    port: u16,
}

impl Proxy {
    /// Starts `HAProxy`, which forwards to the first of these clusters that accepts connections,
    /// and cuts connections to one that no longer does.
    #[track_caller]
    pub(crate) fn to_first_available(clusters: &[&Cluster]) -> Self {
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
        Self::start("haproxy", installed_proxy("haproxy", &["-db", "-f"]), configuration)
    }

    /// Starts `PgBouncer` in transaction mode, with a maximum number of connections per database.
    #[track_caller]
    pub(crate) fn pooling(cluster: &Cluster, max_connections: u32) -> Self {
        let to = cluster.port();
        let configuration = |port: u16| {
            format!(
                "[databases]\n* = host=127.0.0.1 port={to} user=terse\n\
                 [pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\n\
                 auth_type = any\npool_mode = transaction\ndefault_pool_size = {max_connections}\n\
                 max_client_conn = 500\n"
            )
        };
        Self::start("pgbouncer", installed_proxy("pgbouncer", &[]), configuration)
    }

    /// Starts nginx with this configuration of its servers, which depends on the port.
    #[track_caller]
    pub(crate) fn nginx(servers: impl Fn(u16) -> String) -> Self {
        let configuration = |port: u16| {
            let temporary = ["client_body", "proxy", "fastcgi", "scgi", "uwsgi"]
                .map(|name| format!("{name}_temp_path {name};\n"))
                .concat();
            let servers = servers(port);
            format!(
                "daemon off;\nmaster_process off;\npid nginx.pid;\nevents {{}}\n\
                 http {{\naccess_log off;\n{temporary}{servers}\n}}\n"
            )
        };
        let command = |file: &Path| {
            let mut command = Command::new(unpacked("usr/sbin/nginx"));
            command.args(["-e", "stderr", "-p"]).arg(file.with_file_name("")).arg("-c").arg(file);
            command
        };
        Self::start("nginx", command, configuration)
    }

    /// Starts Caddy with this configuration of its sites, which depends on the port.
    #[track_caller]
    pub(crate) fn caddy(sites: impl Fn(u16) -> String) -> Self {
        let configuration = |port: u16| {
            format!(
                "{{\n\tadmin off\n\tdefault_bind 127.0.0.1\n\tservers {{\n\t\tprotocols h1 h2c\n\t}}\n}}\n{}",
                sites(port)
            )
        };
        Self::caddy_file(configuration)
    }

    /// Starts Caddy with this configuration, which depends on the port.
    #[track_caller]
    pub(crate) fn caddy_file(configuration: impl Fn(u16) -> String) -> Self {
        let command = |file: &Path| {
            let mut command = Command::new(unpacked("usr/bin/caddy"));
            command.args(["run", "--adapter", "caddyfile", "--config"]).arg(file);
            for variable in ["HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"] {
                command.env(variable, file.with_file_name(""));
            }
            command
        };
        Self::start("caddy", command, configuration)
    }

    /// Starts `HAProxy` with this configuration, which depends on the port.
    #[track_caller]
    pub(crate) fn haproxy(configuration: impl Fn(u16) -> String) -> Self {
        Self::start("haproxy", installed_proxy("haproxy", &["-db", "-f"]), configuration)
    }

    #[track_caller]
    fn start(
        program: &str,
        command: impl Fn(&Path) -> Command,
        configuration: impl Fn(u16) -> String,
    ) -> Self {
        let directory = Directory::unprivileged();
        let (file, log) = (directory.path().join("configuration"), directory.path().join("log"));
        let description = || {
            let log = std::fs::read_to_string(&log).unwrap_or_default();
            format!("{program} starts:\n{log}")
        };
        let (process, port) = until(TIMEOUT, description, || {
            let port = free_port();
            std::fs::write(&file, configuration(port)).expect("the directory is writable");
            let output = File::create(&log).expect("the directory is writable");
            let mut command = command(&file);
            command
                .stdin(Stdio::null())
                .stdout(output.try_clone().expect("a file descriptor is free"))
                .stderr(output);
            let mut process = Process::spawn(&mut command, "TERM");
            let is_listening = until(TIMEOUT, description, || {
                let is_running = process.is_running();
                let is_listening = is_running && TcpStream::connect(("127.0.0.1", port)).is_ok();
                (is_listening || !is_running).then_some(is_listening)
            });
            // The program ends if another process has taken the port.
            is_listening.then_some((process, port))
        });
        Self { _process: process, _directory: directory, port }
    }

    /// Returns the port on which the proxy listens.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }
}

/// Returns a function that runs an installed proxy with these options and a configuration file.
fn installed_proxy(program: &str, options: &[&str]) -> impl Fn(&Path) -> Command {
    move |file| {
        let mut command = unprivileged(&tool(program));
        command.args(options).arg(file);
        command
    }
}

/// Returns the path of a program that `scripts/tools` has unpacked, or of the installed one.
fn unpacked(path: &str) -> PathBuf {
    let unpacked = Path::new(ROOT).join("target/tools/debian").join(path);
    let path = if unpacked.exists() { unpacked } else { Path::new("/").join(path) };
    assert!(path.exists(), "{} is missing: run scripts/tools", path.display());
    path
}

/// Returns the program's path on Debian, which users may not have in `PATH`.
fn tool(name: &str) -> String {
    let path = format!("/usr/sbin/{name}");
    if Path::new(&path).exists() { path } else { name.to_owned() }
}

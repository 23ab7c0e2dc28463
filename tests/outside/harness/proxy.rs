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
    directory: Directory,
    port: u16,
    http2_port: u16,
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
        let configuration = |port: u16, _: u16| {
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
        let configuration = |port: u16, _: u16| {
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
    fn nginx(servers: impl Fn(u16, u16) -> String) -> Self {
        let configuration = |port: u16, http2_port: u16| {
            let temporary = ["client_body", "proxy", "fastcgi", "scgi", "uwsgi"]
                .map(|name| format!("{name}_temp_path {name};\n"))
                .concat();
            let servers = servers(port, http2_port);
            // Debian's configuration compresses, too, and many operators let it compress JSON.
            format!(
                "daemon off;\nmaster_process off;\npid nginx.pid;\nevents {{}}\n\
                 http {{\naccess_log off;\ngzip on;\ngzip_types *;\ngzip_min_length 0;\n\
                 {temporary}{servers}\n}}\n"
            )
        };
        let command = |file: &Path| {
            let mut command = Command::new(unpacked("usr/sbin/nginx"));
            command.args(["-e", "stderr", "-p"]).arg(file.with_file_name("")).arg("-c").arg(file);
            command
        };
        Self::start("nginx", command, configuration)
    }

    /// Starts Caddy with this configuration, which depends on the ports.
    #[track_caller]
    pub(crate) fn caddy(configuration: impl Fn(u16, u16) -> String) -> Self {
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

    /// Starts the program of a sample in `deploy`, without TLS and with these changes, in front of a
    /// server, whose operator's listener is at another address.
    #[track_caller]
    pub(crate) fn sample(
        path: &str,
        server: &str,
        operator: &str,
        replacements: &[(&str, &str)],
    ) -> Self {
        let text = proxy_sample(path, replacements);
        if path.starts_with("kubernetes/") {
            return Self::nginx(|port, http2_port| ingress(&text, port, http2_port, server));
        }
        let (_, check_port) = operator.rsplit_once(':').unwrap_or_default();
        if path.starts_with("nginx/") {
            return Self::nginx(|port, http2_port| {
                let listen =
                    format!("listen 127.0.0.1:{http2_port} http2;\n    listen 127.0.0.1:{port}");
                text.replace("server 127.0.0.1:8080;", &format!("server {server};"))
                    .replace("listen 80", &format!("listen 127.0.0.1:{}", free_port()))
                    .replace("listen 443 ssl http2", &listen)
                    .replace("ssl_certificate", "# ssl_certificate")
            });
        }
        if Path::new(path).extension().is_some_and(|extension| extension == "cfg") {
            let configuration = |port: u16, http2_port: u16| {
                let bind =
                    format!("bind 127.0.0.1:{port}\n    bind 127.0.0.1:{http2_port} proto h2");
                let other = format!("bind 127.0.0.1:{}\n", free_port());
                let mut text = text
                    .replace("bind :8080", &bind)
                    .replace("bind :443 ssl crt /etc/haproxy/certificates/ alpn h2,http/1.1", &bind)
                    .replace("bind :80\n", &other)
                    .replace("bind 127.0.0.1:5000\n", &other)
                    .replace("terse 127.0.0.1:8080", &format!("terse {server}"));
                for number in 1..=3 {
                    text = text
                        .replace(&format!("\"${{TERSE_{number}-127.0.0.1:808{number}}}\""), server)
                        .replace(&format!("10.0.0.1{number}:8081"), server)
                        .replace(&format!("port 908{}", number - 1), &format!("port {check_port}"));
                }
                text
            };
            return Self::start(
                "haproxy",
                installed_proxy("haproxy", &["-db", "-f"]),
                configuration,
            );
        }
        Self::caddy(|port, http2_port| {
            let options = "{\n\tadmin off\n\tdefault_bind 127.0.0.1\n\tservers {\n\
                           \t\tprotocols h1 h2c\n\t}\n";
            let site = format!("\nhttp://:{port}, http://:{http2_port} {{");
            let text = if text.contains("\n{\n") {
                text.replacen("\n{\n", &format!("\n{options}"), 1)
            } else {
                format!("{options}}}\n{text}")
            };
            let certificates = "\ttls {\n\t\t# Caddy requests a certificate for a host at its first visit.\n\t\ton_demand\n\t}\n";
            text.replace(certificates, "")
                .replace("\ngo.example.org {", &site)
                .replace("\nhttps:// {", &site)
                .replace("\n{$PUBLIC_HOST:localhost} {", &site)
                .replace(
                    "http://{$PUBLIC_HOST:localhost} {",
                    &format!("http://:{} {{", free_port()),
                )
                .replace("127.0.0.1:8080 {", &format!("{server} {{"))
                .replace("terse1:8080 terse2:8080 {", &format!("{server} {{"))
                .replace("health_port 9080", &format!("health_port {check_port}"))
        })
    }

    #[track_caller]
    fn start(
        program: &str,
        command: impl Fn(&Path) -> Command,
        configuration: impl Fn(u16, u16) -> String,
    ) -> Self {
        let directory = Directory::unprivileged();
        let (file, log) = (directory.path().join("configuration"), directory.path().join("log"));
        let description = || {
            let log = std::fs::read_to_string(&log).unwrap_or_default();
            format!("{program} starts:\n{log}")
        };
        let (process, [port, http2_port]) = until(TIMEOUT, description, || {
            let ports = [(); 2].map(|()| free_port());
            let [port, http2_port] = ports;
            std::fs::write(&file, configuration(port, http2_port))
                .expect("the directory is writable");
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
            is_listening.then_some((process, ports))
        });
        Self { _process: process, directory, port, http2_port }
    }

    /// Returns the port on which the proxy listens.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Returns the port on which a proxy of a sample listens for HTTP/2 with prior knowledge.
    pub(crate) fn http2_port(&self) -> u16 {
        self.http2_port
    }

    /// Returns what the proxy has printed.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.directory.path().join("log")).expect("the proxy has a log")
    }
}

/// Returns the configuration that ingress-nginx derives from the annotations of an Ingress and, without
/// an annotation, from its defaults. The sample names what it needs from the controller's `ConfigMap`.
fn ingress(text: &str, port: u16, http2_port: u16, server: &str) -> String {
    let setting = |name: &str, default: &str| {
        let line = text.lines().find_map(|line| line.split_once(&format!("{name}: ")));
        line.map_or(default, |(_, value)| value.trim_matches('"')).to_owned()
    };
    let annotation =
        |name: &str, default| setting(&format!("nginx.ingress.kubernetes.io/{name}"), default);
    let body_size = annotation("proxy-body-size", "1m");
    let (buffer, buffers) =
        (annotation("proxy-buffer-size", "4k"), annotation("proxy-buffers-number", "4"));
    let head_buffers = setting("large-client-header-buffers", "4 8k");
    format!(
        "server {{\nlisten 127.0.0.1:{port};\nlisten 127.0.0.1:{http2_port} http2;\ngzip off;\n\
         client_max_body_size {body_size};\nlarge_client_header_buffers {head_buffers};\n\
         proxy_buffer_size {buffer};\nproxy_buffers {buffers} {buffer};\nlocation / {{\n\
         proxy_pass http://{server};\nproxy_http_version 1.1;\nproxy_set_header Host $http_host;\n\
         proxy_set_header X-Forwarded-For $remote_addr;\nproxy_set_header X-Request-Id $request_id;\n\
         proxy_set_header traceparent \"\";\n}}\n}}\n"
    )
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

//! The sample configurations of proxies in front of a server with domains.

use std::fs;
use std::process::Command;
use std::sync::Arc;

use crate::harness::{
    Connection, Database, Proxy, Server, TIMEOUT, assert_within_a_second, free_port, proxy_sample,
    until,
};

const BASE_URL: &str = "https://go.example.org";

/// A server with the settings that the samples name, and its addresses.
struct Upstream {
    server: Server,
    listen: String,
    operator: String,
}

impl Upstream {
    fn start() -> Self {
        let database = Arc::new(Database::new().with_default_owner());
        let [listen, operator] = [(); 2].map(|()| format!("127.0.0.1:{}", free_port()));
        let mut command = database.command();
        command.args(["serve", "--listen", &listen, "--operator-listen", &operator]);
        command.args(["--base-url", BASE_URL, "--trusted-proxies", "127.0.0.1"]);
        command.args(["--unknown-hosts", "reject"]);
        let server = Server::run(&database, command);
        Self { server, listen, operator }
    }

    /// Starts a sample in front of the server.
    fn proxy(&self, sample: &str) -> Proxy {
        Proxy::sample(sample, &self.listen, &self.operator, &[])
    }

    /// Adds two owners with a link and a domain each, and a domain with the port of the proxy.
    async fn add_domains(&self, port: u16) {
        let database = self.server.database();
        for owner in ["acme", "globex"] {
            database.owner(owner, "pro");
            let file = database.directory().join("in.csv");
            let rows = format!("short_code,destination_url\nof-{owner},https://example.com/\n");
            fs::write(&file, rows).unwrap();
            database.terse(&["import", file.to_str().unwrap(), "--owner", owner]).done();
            let host = format!("go.{owner}.example");
            database.terse(&["domain", "add", &host, "--owner", owner]).done();
        }
        let host = format!("port.example:{port}");
        database.terse(&["domain", "add", &host, "--owner", "acme"]).done();
        assert_within_a_second("the last domain is served", async || {
            status(&self.listen, &host, "/of-acme") == 302
        })
        .await;
    }
}

/// Sends a request with this host, and with headers that name another one, to an address.
fn status(address: &str, host: &str, path: &str) -> u16 {
    let mut connection = Connection::open(address, BASE_URL);
    let forged = "X-Forwarded-Host: go.globex.example\r\nForwarded: host=go.globex.example\r\n";
    let head = format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n{forged}\r\n");
    connection.send(head.as_bytes()).unwrap();
    connection.read_response(false).unwrap().0
}

/// Expected statuses of a redirect of each owner and of the API, by host.
fn expected(port: u16) -> Vec<(String, [u16; 3])> {
    vec![
        ("go.acme.example".to_owned(), [302, 404, 404]),
        ("GO.globex.example".to_owned(), [404, 302, 404]),
        (format!("go.acme.example:{port}"), [302, 404, 404]),
        (format!("port.example:{port}"), [302, 404, 404]),
        ("go.example.org".to_owned(), [302, 302, 401]),
        ("unknown.example".to_owned(), [404, 404, 404]),
    ]
}

/// Panics unless the proxy passes on hosts and ports.
async fn check(upstream: &Upstream, proxy: &Proxy) {
    let port = proxy.port();
    let status = |host: &str, path: &str| status(&format!("127.0.0.1:{port}"), host, path);
    // Before its first check, a proxy may take the server for unavailable.
    until(
        TIMEOUT,
        || "the proxy forwards",
        || (status("go.example.org", "/") == 200).then_some(()),
    );
    upstream.add_domains(port).await;
    for (host, statuses) in expected(port) {
        let found = ["/of-acme", "/of-globex", "/api/v1/links"].map(|path| status(&host, path));
        assert_eq!(found, statuses, "{host}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nginx_passes_on_hosts_with_ports() {
    let upstream = Upstream::start();
    let proxy = upstream.proxy("nginx/terse-domains.conf");
    check(&upstream, &proxy).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn haproxy_passes_on_hosts_with_ports() {
    let upstream = Upstream::start();
    let proxy = upstream.proxy("haproxy/terse-domains.cfg");
    check(&upstream, &proxy).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn caddy_gets_certificates_for_known_hosts_only() {
    let upstream = Upstream::start();
    let proxy = Proxy::caddy(|port, _| {
        let options = format!(
            "{{\n\tadmin off\n\tdefault_bind 127.0.0.1\n\thttp_port {}\n\thttps_port {port}\n\
             \tskip_install_trust\n\ton_demand_tls {{",
            free_port()
        );
        proxy_sample(
            "caddy/Caddyfile.domains",
            &[
                ("{\n\ton_demand_tls {", &*options),
                ("ask http://127.0.0.1:9080/", &format!("ask http://{}/", upstream.operator)),
                // A certificate authority of Caddy's own instead of a public one.
                ("\t\ton_demand\n", "\t\ton_demand\n\t\tissuer internal\n"),
                (
                    "reverse_proxy 127.0.0.1:8080 {",
                    &format!("reverse_proxy {} {{", upstream.listen),
                ),
            ],
        )
    });
    let port = proxy.port();
    upstream.add_domains(port).await;
    // Returns nothing if there is no certificate for the host.
    let status = |host: &str, path: &str| {
        let name = host.split(':').next().unwrap().to_lowercase();
        let output = Command::new("curl")
            .args(["--silent", "--insecure", "--max-time", "20", "--output", "/dev/null"])
            .args(["--write-out", "%{http_code}", "--resolve", &format!("{name}:{port}:127.0.0.1")])
            .args(["--header", &format!("Host: {host}")])
            .arg(format!("https://{name}:{port}{path}"))
            .output()
            .unwrap();
        output.status.success().then(|| String::from_utf8(output.stdout).unwrap().parse().unwrap())
    };
    for (host, statuses) in expected(port) {
        let expected = (host != "unknown.example").then_some(statuses);
        let found = ["/of-acme", "/of-globex", "/api/v1/links"].map(|path| status(&host, path));
        assert_eq!(found, expected.map_or([None; 3], |statuses| statuses.map(Some)), "{host}");
    }
}

//! The two servers as processes of their own.

use std::io::{BufRead as _, BufReader};
use std::net::{SocketAddr, TcpListener};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use crate::Error;

/// Where the link of that code leads.
pub(crate) fn destination(code: &str) -> String {
    format!("https://example.org/articles/{code}?utm_source=newsletter&utm_medium=email")
}

/// A process that ends with its holder.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub(crate) struct Floor {
    process: Process,
    pub(crate) address: SocketAddr,
    _files: TempDir,
}

impl Floor {
    pub(crate) async fn start(codes: &[String]) -> Result<Self, Error> {
        let files = tempfile::tempdir()?;
        let list = files.path().join("codes");
        std::fs::write(&list, codes.join("\n"))?;
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let child = Command::new(std::env::current_exe()?)
            .args(["floor", &address.to_string()])
            .arg(&list)
            .spawn()?;
        let floor = Self { process: Process(child), address, _files: files };
        for _ in 0..200 {
            if tokio::net::TcpStream::connect(address).await.is_ok() {
                return Ok(floor);
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
        Err("the floor does not listen".into())
    }

    pub(crate) fn id(&self) -> u32 {
        self.process.0.id()
    }
}

pub(crate) struct Terse {
    process: Process,
    pub(crate) address: SocketAddr,
    key: String,
    client: reqwest::Client,
    _files: TempDir,
}

impl Terse {
    pub(crate) async fn start() -> Result<Self, Error> {
        let files = tempfile::tempdir()?;
        let mut child = Command::new(env!("CARGO_BIN_EXE_terse"))
            .args([
                "--listen",
                "127.0.0.1:0",
                "--json",
                "--log-format",
                "json",
                "--log",
                "terse::app=info",
            ])
            .env(
                "TERSE_DATABASE_URL",
                format!("sqlite://{}/terse.db?mode=rwc", files.path().display()),
            )
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let stdout = child.stdout.take().ok_or("no stdout")?;
        let stderr = child.stderr.take().ok_or("no stderr")?;
        let process = Process(child);
        let first = BufReader::new(stdout).lines().next().ok_or("no key")??;
        let welcome: serde_json::Value = serde_json::from_str(&first)?;
        let key = welcome["key"].as_str().ok_or("no key")?.to_owned();
        let base_url = welcome["base_url"].as_str().ok_or("no base URL")?;
        let address = base_url.trim_start_matches("http://").parse()?;
        let mut log = BufReader::new(stderr).lines();
        log.next().ok_or("the server did not start")??;
        std::thread::spawn(move || log.for_each(drop));
        Ok(Self { process, address, key, client: reqwest::Client::new(), _files: files })
    }

    pub(crate) fn id(&self) -> u32 {
        self.process.0.id()
    }

    /// Makes links and returns their codes.
    pub(crate) async fn create(&self, count: usize) -> Result<Vec<String>, Error> {
        use futures_util::{StreamExt, TryStreamExt};

        let created = futures_util::stream::iter(0..count).map(|number| async move {
            let code = format!("link{number:06}");
            let body = serde_json::json!({ "url": destination(&code), "custom_code": code });
            let request = self.client.post(self.url("/api/v1/shorten"));
            request.header("x-api-key", &self.key).json(&body).send().await?.error_for_status()?;
            Ok::<String, Error>(code)
        });
        created.buffer_unordered(16).try_collect().await
    }

    /// The clicks of all links together.
    pub(crate) async fn clicks(&self) -> Result<u64, Error> {
        let request = self.client.get(self.url("/api/v1/links"));
        let list: serde_json::Value =
            request.header("x-api-key", &self.key).send().await?.error_for_status()?.json().await?;
        let links = list["data"].as_array().ok_or("no list")?;
        Ok(links.iter().filter_map(|link| link["clicks"].as_u64()).sum())
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

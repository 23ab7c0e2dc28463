//! The block file of a server.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::json;

use super::{status, wait_for_status};
use crate::harness::{
    Cluster, Database, Server, TIMEOUT, assert_within_a_second, eventually, only_on,
};

async fn wait_for_log(server: &Server, text: &str) {
    assert_within_a_second(text, async || server.log().contains(text)).await;
}

#[tokio::test]
async fn file_is_read_again_when_it_changes() {
    let database = Arc::new(Database::new().with_default_owner());
    let file = database.directory().join("blocked.txt");
    fs::write(&file, "# none yet\n").unwrap();
    let path = file.to_str().unwrap();
    let server = Server::with(&database, &["--block-file", path]);
    let api = server.api();
    let [one, two, three] = [1, 2, 3].map(|number| format!("https://host{number}.example/"));
    let one = api.create(&one).await;
    let two = api.create(&two).await;
    let three = api.create(&three).await;
    assert_eq!(status(&server, &one).await, 302);

    fs::write(&file, "host1.example # first\nno pattern\nhost2.example\n").unwrap();
    wait_for_status(&server, &one, 410).await;
    assert_eq!((status(&server, &two).await, status(&server, &three).await), (410, 302));
    wait_for_log(&server, "invalid line of the block file skipped").await;
    server.wait_for_log("\"line\":2");
    let refused = api.shorten(&json!({"url": "https://host1.example/"})).await;
    refused.problem(422, "destination-blocked");

    // A file of the same size replaces it.
    let next = database.directory().join("next.txt");
    fs::write(&next, "host3.example # third\nno pattern\nhost2.example\n").unwrap();
    fs::rename(&next, &file).unwrap();
    wait_for_status(&server, &one, 302).await;
    assert_eq!((status(&server, &two).await, status(&server, &three).await), (410, 410));

    fs::remove_file(&file).unwrap();
    wait_for_log(&server, "the block file cannot be read").await;
    assert_eq!((status(&server, &two).await, status(&server, &three).await), (410, 410));
    fs::write(&file, "host1.example\n").unwrap();
    wait_for_status(&server, &one, 410).await;
    assert_eq!((status(&server, &two).await, status(&server, &three).await), (302, 302));
}

#[tokio::test]
async fn file_that_becomes_a_pipe_or_an_error_page_changes_nothing() {
    let database = Arc::new(Database::new().with_default_owner());
    let file = database.directory().join("blocked.txt");
    let (path, evil) = (file.to_str().unwrap(), "evil.example\n");
    fs::write(&file, evil).unwrap();
    let server = Server::with(&database, &["--block-file", path]);
    let api = server.api();
    let refused = async || {
        let refused = api.shorten(&json!({"url": "https://evil.example/"})).await;
        refused.problem(422, "destination-blocked");
    };
    fs::write(&file, "<html>\n<p>Bad gateway</p>\nother.example\n</html>\n").unwrap();
    wait_for_log(&server, "it has more invalid lines than patterns").await;
    refused().await;
    api.create("https://other.example/").await;
    fs::remove_file(&file).unwrap();
    let made = std::process::Command::new("mkfifo").arg(&file).status().unwrap();
    assert!(made.success());
    wait_for_log(&server, "it is not a regular file").await;
    refused().await;
    let second = ["serve", "--listen", "127.0.0.1:0", "--block-file", path];
    assert!(database.terse(&second).failed().contains("it is not a regular file"));

    fs::remove_file(&file).unwrap();
    fs::write(&file, "other.example\n").unwrap();
    assert_within_a_second("the file is read again", async || {
        api.shorten(&json!({"url": "https://other.example/"})).await.status == 422
    })
    .await;
}

#[tokio::test]
async fn file_that_becomes_empty_lifts_its_blocks_with_a_warning() {
    let database = Arc::new(Database::new().with_default_owner());
    let file = database.directory().join("blocked.txt");
    fs::write(&file, "evil.example\n").unwrap();
    let server = Server::with(&database, &["--block-file", file.to_str().unwrap()]);
    let code = server.api().create("https://good.example/").await;
    assert_eq!(status(&server, &code).await, 302);
    let warning = "the block file has no patterns any more";
    assert!(!server.log().contains(warning));
    fs::write(&file, "").unwrap();
    wait_for_log(&server, warning).await;
    let log = server.log();
    assert!(log.lines().any(|line| line.contains(warning) && line.contains("WARN")), "{log}");
}

#[tokio::test]
async fn file_that_changes_all_the_time_is_read() {
    let database = Arc::new(Database::new().with_default_owner());
    let file = database.directory().join("blocked.txt");
    fs::write(&file, "").unwrap();
    let server = Server::with(&database, &["--block-file", file.to_str().unwrap()]);
    let code = server.api().create("https://evil.example/").await;
    let is_done = Arc::new(AtomicBool::new(false));
    let writer = {
        let (next, is_done) = (database.directory().join("next.txt"), Arc::clone(&is_done));
        std::thread::spawn(move || {
            for number in 0.. {
                if is_done.load(Ordering::Relaxed) {
                    break;
                }
                fs::write(&next, format!("evil.example # {number}\n")).unwrap();
                fs::rename(&next, &file).unwrap();
                std::thread::sleep(Duration::from_millis(20));
            }
        })
    };
    eventually(TIMEOUT, "the file is in force", async || status(&server, &code).await == 410).await;
    is_done.store(true, Ordering::Relaxed);
    writer.join().unwrap();
}

#[test]
fn server_does_not_start_if_the_block_file_is_missing() {
    let database = Database::new();
    let missing = database.directory().join("missing.txt");
    let missing = missing.to_str().unwrap();
    let line =
        database.terse(&["serve", "--listen", "127.0.0.1:0", "--block-file", missing]).failed();
    assert!(line.contains(missing) && line.contains("block file"), "{line}");
    assert!(database.is_untouched());
}

#[test]
fn commands_apply_patterns_of_the_block_file() {
    let database = Database::new().migrated();
    let file = database.directory().join("blocked.txt");
    fs::write(&file, "evil.example\n").unwrap();
    let file = file.to_str().unwrap();
    let url = "https://evil.example/";
    let check = ["block", "check", url, "--json"];
    let found = database.terse(&[&check[..], &["--block-file", file]].concat()).json();
    assert_eq!((&found["is_blocked"], &found["source"]), (&json!(true), &json!("block-file")));
    assert_eq!(database.terse(&check).json()["is_blocked"], false);
}

#[tokio::test]
async fn file_is_effective_while_the_database_is_down() {
    only_on!(Postgres: "a file cannot be down");
    let cluster = Cluster::private(&[]);
    let database = Arc::new(Database::on(&cluster).with_default_owner());
    let file = database.directory().join("blocked.txt");
    fs::write(&file, "").unwrap();
    let server = Server::with(&database, &["--block-file", file.to_str().unwrap()]);
    let code = server.api().create("https://evil.example/").await;
    assert_eq!(status(&server, &code).await, 302);
    cluster.stop_immediately();
    fs::write(&file, "evil.example\n").unwrap();
    wait_for_status(&server, &code, 410).await;
    fs::write(&file, "").unwrap();
    wait_for_status(&server, &code, 302).await;
    cluster.start();
}

#[tokio::test]
async fn file_is_effective_with_a_read_only_database() {
    only_on!(Sqlite: "PostgreSQL has no such URL");
    let server = Server::start();
    let code = server.api().create("https://evil.example/").await;
    let database = server.terminate().database;
    let file = database.directory().join("blocked.txt");
    fs::write(&file, "").unwrap();
    let url = format!("sqlite://{}?mode=ro", database.file().display());
    let settings = ["--block-file", file.to_str().unwrap(), "--database-url", &url];
    let server = Server::with(&database, &settings);
    server.anyone().head(&format!("/{code}")).await.expect(302);
    fs::write(&file, "evil.example\n").unwrap();
    wait_for_status(&server, &code, 410).await;
}

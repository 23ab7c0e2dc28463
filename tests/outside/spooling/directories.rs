//! A spool directory that cannot be flushed, as on some network file systems.

use std::fs;
use std::os::unix::fs::symlink;

use serde_json::Value;

use super::Scene;
use crate::harness::{DiskPart, FailingDisk, TIMEOUT, eventually};

/// The file is there although the flush has failed, and the next start would store its clicks.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clicks_count_once_although_their_directory_cannot_be_flushed() {
    let (mut scene, disk) = (Scene::new().await, FailingDisk::new());
    let spool = scene.spool.path().to_str().unwrap().to_owned();
    let server = disk.serve(&scene.database, &["--spool-directory", &spool]);
    for code in &scene.codes {
        server.anyone().head(&format!("/{code}")).await.expect(302);
    }
    disk.fail(&[DiskPart::Directories]);
    let outage = scene.begin_outage(&server).await;
    scene.visit(&server, 29).await;
    scene.wait_until_saved(30).await;
    scene.end_outage(outage).await;
    assert_eq!(scene.counted(&server.with_key(&scene.key)).await, scene.clicks);
    server.terminate();
    scene.assert_kept(scene.clicks).await;
}

/// A journal that another user could have written is not read, but keeps nothing else from being stored.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn foreign_journal_keeps_no_spooled_click_from_the_database() {
    let mut scene = Scene::new().await;
    let server = scene.serve().await;
    let outage = scene.begin_outage(&server).await;
    scene.visit(&server, 29).await;
    scene.wait_until_saved(30).await;
    server.kill9();
    scene.end_outage(outage).await;
    let spool = scene.spool.path();
    let file = fs::read_dir(spool).unwrap().next().unwrap().unwrap().path();
    let saved: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    let id = saved["installation_id"].as_str().unwrap();
    let (elsewhere, journal) = (scene.database.directory().join("moved"), "terse-clicks-");
    fs::rename(&file, &elsewhere).unwrap();
    let server = scene.serve().await;
    symlink(&elsewhere, scene.spool.path().join(format!("{journal}{id}.db"))).unwrap();
    let log = server.wait_for_log("spooled clicks cannot be stored");
    assert!(log.contains("it is not a regular file"), "{log}");
    fs::copy(&elsewhere, &file).unwrap();
    eventually(TIMEOUT, "the file is stored", async || !file.exists()).await;
    assert_eq!(scene.counted(&server.with_key(&scene.key)).await, scene.clicks);
}

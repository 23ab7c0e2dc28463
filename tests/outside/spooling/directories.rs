//! A spool directory that cannot be flushed, as on some network file systems.

use super::Scene;
use crate::harness::{DiskPart, FailingDisk};

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

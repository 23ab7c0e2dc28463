//! Reports of months in which links were deleted, and of one owner.

use std::sync::Arc;

use serde_json::json;

use super::{Month, URL, import, pass_month, report, serve_next_month, usage, wait_for_month};
use crate::click_days::{pass, visit, wait_for_close};
use crate::harness::{Database, Server, Store, TIMEOUT, eventually, run};

/// Serves links of two owners that have clicks in the last month and in this one.
async fn serve_two_months() -> Server {
    let server = Server::start();
    server.database().owner("acme", "unlimited");
    let acme = server.with_key(&server.terse(&["key", "add", "acme"]).key());
    for (code, campaign) in [("sale1", Some("spring")), ("sale2", Some("spring")), ("plain", None)]
    {
        acme.create_from(&json!({"url": URL, "custom_code": code, "campaign": campaign})).await;
    }
    import(server.database(), "default", &["other", "idle"]);
    for (code, visits) in [("sale1", 1), ("sale2", 2), ("plain", 4), ("other", 8)] {
        visit(&server, code, visits).await;
    }
    let server = serve_next_month(server).await;
    visit(&server, "sale1", 16).await;
    visit(&server, "other", 32).await;
    server
}

#[tokio::test]
async fn deleted_links_stay_in_the_report_as_one_row() {
    let server = serve_two_months().await;
    let database = Arc::clone(server.database());
    let (now, past) = (Month::current(), Month::current().before(1));
    let all = ["--by", "owner,campaign,link"];
    let before = json!([
        {"owner_id": 2, "owner_name": "acme", "campaign": null, "short_code": "plain", "clicks": 4},
        {"owner_id": 2, "owner_name": "acme", "campaign": "spring", "short_code": "sale1", "clicks": 1},
        {"owner_id": 2, "owner_name": "acme", "campaign": "spring", "short_code": "sale2", "clicks": 2},
        {"owner_id": 1, "owner_name": "default", "campaign": null, "short_code": "other", "clicks": 8},
    ]);
    assert_eq!(report(&database, past, &all), before);
    server.terse(&["link", "delete", "sale1", "plain", "--yes"]).done();
    let deleted = json!([
        {"owner_id": 2, "owner_name": "acme", "campaign": null, "short_code": null, "clicks": 5},
        {"owner_id": 2, "owner_name": "acme", "campaign": "spring", "short_code": "sale2", "clicks": 2},
        {"owner_id": 1, "owner_name": "default", "campaign": null, "short_code": "other", "clicks": 8},
    ]);
    assert_eq!(report(&database, past, &all), deleted);
    let of_owners = json!([{"owner_id": 2, "owner_name": "acme", "clicks": 7}, {"owner_id": 1, "owner_name": "default", "clicks": 8}]);
    assert_eq!(report(&database, past, &[]), of_owners);
    let of_campaigns =
        json!([{"campaign": null, "clicks": 13}, {"campaign": "spring", "clicks": 2}]);
    assert_eq!(report(&database, past, &["--by", "campaign"]), of_campaigns);
    let of_links = json!([
        {"short_code": null, "clicks": 16}, {"short_code": "other", "clicks": 32}
    ]);
    assert_eq!(report(&database, now, &["--by", "link"]), of_links);
    // All of an owner's links may be deleted.
    server.terse(&["owner", "delete", "acme", "--confirm", "acme", "--yes"]).done();
    assert_eq!(report(&database, past, &[]), of_owners);
    let of_acme = json!([{"short_code": null, "clicks": 7}]);
    assert_eq!(report(&database, past, &["--by", "link", "--owner", "acme"]), of_acme);
    assert_eq!(
        report(&database, now, &["--owner", "default"]),
        json!([{"owner_id": 1, "owner_name": "default", "clicks": 32}])
    );
    assert_eq!(
        database.number("SELECT COUNT(*) FROM click_months").await,
        1,
        "of the link that is left"
    );
    let csv = ["report", "--csv", "--by", "link", "--month", &past.text()];
    assert_eq!(server.terse(&csv).done().stdout, "short_code,clicks\n,7\nother,8\n");
    let unknown = ["report", "--month", &past.text(), "--owner", "nothing"];
    assert!(server.terse(&unknown).failed().contains("there is no owner 'nothing'"));
    assert_eq!(server.terse(&["check", "--json"]).json(), json!([]));
}

#[tokio::test]
async fn owner_with_many_links_has_the_same_report() {
    let server = serve_two_months().await;
    let database = Arc::clone(server.database());
    let by_link = ["--by", "link", "--owner", "acme"];
    let expected = report(&database, Month::current(), &by_link);
    assert_eq!(expected, json!([{"short_code": "sale1", "clicks": 16}]));
    // With more links, it looks among the open counts of all owners.
    server.terminate();
    database.execute("UPDATE owners SET link_count = 1000000").await;
    assert_eq!(report(&database, Month::current(), &by_link), expected);
}

#[tokio::test]
async fn links_of_months_beyond_the_kept_days_have_no_rows() {
    let server = serve_two_months().await;
    let database = server.terminate().database;
    pass(&database, 1).await;
    let past = Month::current().before(1);
    assert_eq!(report(&database, past, &["--by", "link"]).as_array().unwrap().len(), 4);
    // Every month before this one ends before the days that stay.
    let server = Server::with(&database, &["--keep-days", "1"]);
    wait_for_close(&database).await;
    server.terminate();
    pass_month(&database).await;
    let server = Server::with(&database, &["--keep-days", "1"]);
    wait_for_month(&database).await;
    let closed = usage(&database, past.before(1), &[]);
    eventually(TIMEOUT, "the links of the month are gone", async || {
        report(&database, past.before(1), &["--by", "link"])
            == json!([{"short_code": null, "clicks": 15}])
    })
    .await;
    assert_eq!(usage(&database, past.before(1), &[]), closed);
    server.terminate();
}

#[tokio::test]
async fn usage_is_copied() {
    let from = serve_two_months().await.terminate().database;
    let months = [Month::current(), Month::current().before(1)];
    let shown = |database: &Database| {
        months.map(|month| {
            let links = report(database, month, &["--by", "owner,campaign,link"]);
            (usage(database, month, &[]), links)
        })
    };
    let others: &[Store] = match from.store() {
        Store::Sqlite => &[Store::Sqlite],
        Store::Postgres => &[Store::Sqlite, Store::Postgres],
    };
    for store in others {
        let to = Database::of(*store);
        run(&["copy", "--from", &from.url(), "--to", &to.url()]).done();
        assert_eq!(shown(&to), shown(&from));
        if *store == Store::Sqlite && from.store() == Store::Postgres {
            let back = Database::of(Store::Postgres);
            run(&["copy", "--from", &to.url(), "--to", &back.url()]).done();
            assert_eq!(shown(&back), shown(&from));
        }
    }
}

//! `terse report`, and days of deleted and copied links.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{clicks, date, exported, import, serve_later, visit};
use crate::harness::{Database, Server, Store, TIMEOUT, eventually, run};

/// Returns the rows of both months in which the last days are, with the sums of the groups.
fn report(database: &Database, arguments: &[&str], days: u64) -> Vec<Value> {
    let mut months: Vec<String> = (0..days).map(|ago| date(ago)[..7].to_owned()).collect();
    months.dedup();
    let mut rows: Vec<Value> = Vec::new();
    for month in months {
        let command = [&["report", "--json", "--month", &month], arguments].concat();
        for row in database.terse(&command).json().as_array().unwrap() {
            let group = |row: &Value| {
                let mut row = row.clone();
                row.as_object_mut().unwrap().remove("clicks");
                row
            };
            match rows.iter_mut().find(|other| group(other) == group(row)) {
                Some(other) => {
                    let sum = other["clicks"].as_i64().unwrap() + row["clicks"].as_i64().unwrap();
                    other["clicks"] = json!(sum);
                }
                None => rows.push(row.clone()),
            }
        }
    }
    rows
}

/// Serves links of two owners that have clicks on two days.
async fn serve_two_owners() -> Server {
    let server = Server::start();
    server.database().owner("acme", "unlimited");
    let rows =
        [("sale1", "spring", 100), ("sale2", "spring", 0), ("plain", "", 0), ("idle", "", 9)];
    import(server.database(), "acme", &rows);
    import(server.database(), "default", &[("other", "=1+1", 0)]);
    for (code, visits) in [("sale1", 1), ("sale2", 2), ("plain", 4), ("other", 8)] {
        visit(&server, code, visits).await;
    }
    let server = serve_later(server, 1, &[]).await;
    visit(&server, "sale1", 16).await;
    visit(&server, "other", 32).await;
    server
}

#[tokio::test]
async fn report_sums_a_month_up_by_each_dimension() {
    let server = serve_two_owners().await;
    let database = server.database();
    let by_owner = [
        json!({"owner_id": 2, "owner_name": "acme", "clicks": 23}),
        json!({"owner_id": 1, "owner_name": "default", "clicks": 40}),
    ];
    assert_eq!(report(database, &[], 2), by_owner);
    assert_eq!(report(database, &["--by", "owner"], 2), by_owner);
    let by_campaign = [
        json!({"campaign": null, "clicks": 4}),
        json!({"campaign": "=1+1", "clicks": 40}),
        json!({"campaign": "spring", "clicks": 19}),
    ];
    assert_eq!(report(database, &["--by", "campaign"], 2), by_campaign);
    let by_link: Vec<Value> = [("other", 40), ("plain", 4), ("sale1", 17), ("sale2", 2)]
        .map(|(code, clicks)| json!({"short_code": code, "clicks": clicks}))
        .to_vec();
    assert_eq!(report(database, &["--by", "link"], 2), by_link);
    let all = [
        json!({"owner_id": 2, "owner_name": "acme", "campaign": null, "short_code": "plain", "clicks": 4}),
        json!({"owner_id": 2, "owner_name": "acme", "campaign": "spring", "short_code": "sale1", "clicks": 17}),
        json!({"owner_id": 2, "owner_name": "acme", "campaign": "spring", "short_code": "sale2", "clicks": 2}),
        json!({"owner_id": 1, "owner_name": "default", "campaign": "=1+1", "short_code": "other", "clicks": 40}),
    ];
    assert_eq!(report(database, &["--by", "owner,campaign,link"], 2), all);
    assert_eq!(report(database, &["--by", "link,owner,campaign"], 2), all);

    let past = ["report", "--month", "2001-02"];
    assert_eq!(server.terse(&[&past[..], &["--json"]].concat()).json(), json!([]));
    assert_eq!(server.terse(&[&past[..], &["--csv"]].concat()).done().stdout, "owner,clicks\n");
    for arguments in [
        &[][..],
        &["--month", "2026-13"],
        &["--month", "2026"],
        &["--month", "2026-01", "--by", ""],
        &["--month", "2026-01", "--by", "day"],
        &["--month", "2026-01", "--csv", "--json"],
    ] {
        server.terse(&[&["report"], arguments].concat()).misused();
    }
}

#[tokio::test]
async fn report_is_a_table_or_csv() {
    let server = Server::start();
    import(server.database(), "default", &[("aaa", "\"x, y\"", 0), ("bbb", "", 0)]);
    visit(&server, "aaa", 1).await;
    visit(&server, "bbb", 2).await;
    let month = &date(0)[..7];
    let report = |arguments: &[&str]| {
        server.terse(&[&["report", "--month", month], arguments].concat()).done().stdout
    };
    assert_eq!(report(&[]), "OWNER    CLICKS\ndefault  3\n");
    let by = ["--by", "owner,campaign,link"];
    assert_eq!(
        report(&by),
        "OWNER    CAMPAIGN  CODE  CLICKS\ndefault  -         bbb   2\ndefault  x, y      aaa   1\n"
    );
    assert_eq!(
        report(&[&by[..], &["--csv"]].concat()),
        "owner,campaign,short_code,clicks\ndefault,,bbb,2\ndefault,\"x, y\",aaa,1\n"
    );
    let csv = server.terse(&["export", "--days"]).done().stdout;
    assert_eq!(csv, format!("short_code,day,clicks\naaa,{0},1\nbbb,{0},2\n", date(0)));
}

#[tokio::test]
async fn csv_report_has_no_formulas() {
    let server = Server::start();
    let database = server.database();
    database.owner("=acme", "unlimited");
    let rows = [
        ("-aa", "=1+1", 0),
        ("bbb", "+1", 0),
        ("ccc", "-1", 0),
        ("ddd", "@SUM(A1)", 0),
        ("eee", "f=1", 0),
    ];
    import(database, "=acme", &rows);
    for (code, ..) in rows {
        visit(&server, code, 1).await;
    }
    let report = ["report", "--month", &date(0)[..7], "--by", "owner,campaign,link", "--csv"];
    assert_eq!(
        server.terse(&report).done().stdout,
        "owner,campaign,short_code,clicks\n'=acme,'+1,bbb,1\n'=acme,'-1,ccc,1\n'=acme,'=1+1,'-aa,1\n\
         '=acme,'@SUM(A1),ddd,1\n'=acme,f=1,eee,1\n"
    );
    let exported = server.terse(&["export"]).done().stdout;
    assert!(exported.contains(",=1+1,"), "an import reads the export: {exported}");
}

#[tokio::test]
async fn export_of_an_owner_has_its_days_alone() {
    let server = serve_two_owners().await;
    let mine = exported(server.database(), &["--owner", "acme"]);
    assert_eq!(mine.keys().collect::<Vec<_>>(), ["idle", "plain", "sale1", "sale2"]);
    let sale1 = [(None, 100), (Some(date(1)), 1), (Some(date(0)), 16)];
    assert_eq!(mine["sale1"], sale1);
    assert_eq!(exported(server.database(), &[]).len(), 5);
    server.terse(&["export", "--days", "--owner", "none"]).failed();
}

#[tokio::test]
async fn days_of_deleted_links_are_gone() {
    let server = serve_two_owners().await;
    let database = Arc::clone(server.database());
    let days_of = async |code: &str| {
        let sql = format!(
            "SELECT COUNT(*) FROM click_days
             WHERE link_id = (SELECT id FROM links WHERE short_code = '{code}')"
        );
        database.number(&sql).await
    };
    assert_eq!(days_of("sale1").await, 1);
    server.terse(&["link", "delete", "sale1"]).done();
    assert_eq!(days_of("sale1").await, 0);
    let with_deleted = [
        json!({"owner_id": 2, "owner_name": "acme", "clicks": 23}),
        json!({"owner_id": 1, "owner_name": "default", "clicks": 40}),
    ];
    assert_eq!(report(&database, &[], 2), with_deleted);
    let delete = ["owner", "delete", "acme", "--confirm", "acme"];
    let dry = database.terse(&[&delete[..], &["--dry-run", "--json"]].concat()).json();
    assert_eq!(dry["deleted"]["click_days"], 2, "{dry}");
    let outcome = database.terse(&delete).done();
    assert!(outcome.stderr.contains(" 2 click days, "), "{outcome:?}");
    assert_eq!(days_of("sale2").await, 0);
    assert_eq!(days_of("other").await, 1);
    assert_eq!(report(&database, &[], 2), with_deleted);
    // An operator may delete the row by hand.
    eventually(TIMEOUT, "no clicks are pending", async || {
        database.number("SELECT COUNT(*) FROM pending_clicks").await == 0
    })
    .await;
    let id = database.number("SELECT id FROM links WHERE short_code = 'other'").await;
    database.execute("DELETE FROM links WHERE short_code = 'other'").await;
    database.execute("UPDATE owners SET link_count = 0 WHERE name = 'default'").await;
    let left = format!("SELECT COUNT(*) FROM click_days WHERE link_id = {id}");
    assert_eq!(database.number(&left).await, 0);
    assert_eq!(server.terse(&["check", "--json"]).json(), json!([]));
}

#[tokio::test]
async fn days_are_copied() {
    let targets = match Store::chosen() {
        Store::Sqlite => &[Store::Sqlite][..],
        Store::Postgres => &[Store::Sqlite, Store::Postgres],
    };
    let from = serve_two_owners().await.terminate().database;
    from.execute("UPDATE day_close SET position = 1").await;
    let state = "SELECT closed_day * 1000000 + closed_until * 10 + position FROM day_close";
    for &store in targets {
        let to = Database::of(store);
        let copied = run(&["copy", "--from", &from.url(), "--to", &to.url(), "--json"]).json();
        assert_eq!(copied["click_days"], 4, "{copied}");
        assert_eq!(exported(&to, &[]), exported(&from, &[]));
        assert_eq!(clicks(&to, "other", 3), [0, 8, 32]);
        assert_eq!(to.number(state).await, from.number(state).await);
        assert_eq!(to.terse(&["check", "--json"]).json(), json!([]));
    }
    let Store::Postgres = Store::chosen() else { return };
    let to = Database::of(Store::Sqlite);
    run(&["copy", "--from", &from.url(), "--to", &to.url()]).done();
    let back = Database::of(Store::Postgres);
    run(&["copy", "--from", &to.url(), "--to", &back.url()]).done();
    assert_eq!(exported(&back, &[]), exported(&from, &[]));
}

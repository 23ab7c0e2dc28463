//! Usage and reports of the operator's programs.

use serde_json::{Value, json};

use super::{Month, URL, report, usage};
use crate::click_days::visit;
use crate::harness::Server;

#[tokio::test]
async fn programs_read_the_usage_that_the_command_shows() {
    let server = Server::with_operator();
    let database = std::sync::Arc::clone(server.database());
    let acme = server.api_of("acme", "unlimited");
    for (code, campaign) in [("one", "spring"), ("two", "autumn")] {
        acme.create_from(&json!({"url": URL, "custom_code": code, "campaign": campaign})).await;
        visit(&server, code, 3).await;
    }
    server.terse(&["link", "delete", "two"]).done();
    let auditor = server.operator("auditor");
    let get =
        async |path: &str| auditor.get(&format!("/api/operator/v1{path}")).await.expect(200).json();
    let month = Month::current().text();
    let found = get(&format!("/usage?month={month}")).await;
    assert_eq!(found["is_final"], 0);
    let mut rows = usage(&database, Month::current(), &[]);
    for row in &mut rows {
        row.as_object_mut().unwrap().remove("is_final");
        // They may have been stored in between.
        row["requests"] = found["data"][usize::from(row["owner"] != "acme")]["requests"].clone();
    }
    assert_eq!(found["data"], Value::from(rows));
    assert_eq!(get("/usage").await["data"][0]["clicks"], 6);
    let past = get(&format!("/usage?month={}", Month::current().before(24).text())).await;
    assert_eq!(past, json!({"data": [], "is_final": 1}));

    for (query, options) in [
        ("", &[][..]),
        ("?by=owner", &["--by", "owner"]),
        ("?by=owner,campaign,link", &["--by", "owner,campaign,link"]),
        ("?by=link&owner=acme", &["--by", "link", "--owner", "acme"]),
        ("?by=campaign&owner=default", &["--by", "campaign", "--owner", "default"]),
    ] {
        let found = get(&format!("/reports/clicks{query}")).await;
        assert_eq!(found["data"], report(&database, Month::current(), options), "{query}");
    }
    assert_eq!(get("/reports/clicks?owner=nothing").await["data"], json!([]));
    for path in [
        "/usage?month=2026-13",
        "/reports/clicks?by=day",
        "/reports/clicks?by=",
        "/reports/clicks?owner=a%00b",
    ] {
        let response = auditor.get(&format!("/api/operator/v1{path}")).await;
        response.problem(400, "malformed-request");
    }
}

//! Usage and reports of the operator's programs.

use serde_json::{Value, json};

use super::{Month, URL, usage};
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
    assert_eq!((&found["is_final"], &found["month"]), (&json!(false), &json!(month)));
    let mut rows = usage(&database, Month::current(), &[]);
    for row in &mut rows {
        row.as_object_mut().unwrap().remove("is_final");
        // They may have been stored in between.
        row["requests"] =
            found["data"][usize::from(row["owner_name"] != "acme")]["requests"].clone();
    }
    assert_eq!(found["data"], Value::from(rows));
    assert_eq!(get("/usage").await["data"][0]["clicks"], 6);
    let month = Month::current().before(24).text();
    let past = get(&format!("/usage?month={month}")).await;
    assert_eq!(past, json!({"data": [], "month": month, "is_final": true}));

    let rows = async |query: &str| get(&format!("/reports/clicks{query}")).await["data"].clone();
    let acme = json!([{"owner_id": 2, "owner_name": "acme", "clicks": 6}]);
    assert_eq!(rows("?by=owner").await, acme);
    assert_eq!(rows("?by=owner&owner_id=2").await, acme);
    assert_eq!(rows("?by=owner&owner_id=1").await, json!([]));
    let links = json!([
        {"short_code": null, "external_id": null, "title": null, "clicks": 3},
        {"short_code": "one", "external_id": null, "title": null, "clicks": 3},
    ]);
    let mut found = rows("?by=link&owner_id=2").await;
    found.as_array_mut().unwrap().sort_by_key(|row| row["short_code"].to_string().len());
    assert_eq!(found.as_array().unwrap().len(), 2);
    assert!(links.as_array().unwrap().iter().all(|row| found.as_array().unwrap().contains(row)));
    assert_eq!(
        rows("?by=campaign&campaign=spring").await,
        json!([{"campaign": "spring", "clicks": 3}])
    );
    // A deleted owner keeps the clicks, under the last name.
    server.terse(&["owner", "delete", "acme", "--confirm", "acme"]).done();
    assert_eq!(rows("?by=owner").await, acme);
    assert_eq!(rows("?by=owner&owner_id=2").await, acme);
    let unknown = auditor.get("/api/operator/v1/reports/clicks?owner_id=999").await;
    unknown.problem(404, "owner-not-found");
    for path in ["/usage?month=2026-13", "/reports/clicks?by=", "/reports/clicks?owner_id=acme"] {
        let response = auditor.get(&format!("/api/operator/v1{path}")).await;
        response.problem(400, "malformed-request");
    }
}

//! Deletion of plans.

use serde_json::json;
use tokio::task::JoinSet;

use super::{all, delete, done, get, send};
use crate::harness::Server;

#[tokio::test]
async fn only_a_plan_without_owners_is_deleted() {
    let server = Server::with_operator();
    let api = server.operator("admin");
    done(&api, "POST", "/plans", &json!({ "name": "gold/1" })).await;
    done(&api, "POST", "/owners", &json!({ "name": "acme", "plan_name": "gold/1" })).await;
    let problem = delete(&api, "/plans/gold%2F1").await.problem(409, "plan-in-use").json();
    assert_eq!(problem["detail"], "1 owner has the plan 'gold/1'.");
    let line = server.terse(&["plan", "remove", "gold/1"]).failed();
    assert!(line.contains("1 owner has the plan"), "{line}");
    get(&api, "/plans/gold%2F1").await.expect(200);
    server.terse(&["owner", "plan", "acme", "free"]).done();
    delete(&api, "/plans/gold%2F1?reason=other&note=no%20longer%20sold").await.expect(204);
    get(&api, "/plans/gold%2F1").await.problem(404, "plan-not-found");
    for path in ["/plans/gold%2F1", "/plans/none", "/plans/%00"] {
        delete(&api, path).await.problem(404, "plan-not-found");
    }
    let body = json!({ "name": "late", "plan_name": "gold/1" });
    send(&api, "POST", "/owners", &body).await.problem(404, "plan-not-found");
    let history = server.terse(&["history", "--json", "--limit", "1"]).json();
    assert_eq!(
        (&history["action"], &history["subject"]),
        (&json!("plan remove"), &json!("gold/1"))
    );
    done(&api, "POST", "/plans", &json!({ "name": "gold/1" })).await;
    let removed = server.terse(&["plan", "remove", "gold/1", "--json"]).json();
    assert_eq!((&removed["name"], &removed["changed"]), (&json!("gold/1"), &json!(1)));
    server.terse(&["plan", "remove", "gold/1"]).failed();
}

/// Deletions of a plan, and owners who get it at the same time.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_owner_has_a_deleted_plan() {
    let server = Server::with_operator();
    let api = server.operator("admin");
    for round in 0..8 {
        let plan = format!("plan{round}");
        done(&api, "POST", "/plans", &json!({ "name": plan })).await;
        let mut clients = JoinSet::new();
        for number in 0..6 {
            let (api, plan) = (api.clone(), plan.clone());
            clients.spawn(async move {
                if number % 3 == 2 {
                    return (number, delete(&api, &format!("/plans/{plan}")).await.status);
                }
                let body = json!({ "name": format!("{plan} {number}"), "plan_name": plan });
                (number, send(&api, "POST", "/owners", &body).await.status)
            });
        }
        let results = clients.join_all().await;
        let exists = get(&api, &format!("/plans/{plan}")).await.status == 200;
        let created = results.iter().filter(|(number, status)| number % 3 < 2 && *status == 201);
        assert_eq!(created.count() > 0, exists, "{results:?}");
        let allowed = |(number, status): &(i32, u16)| match number % 3 {
            2 => [204, 404, 409].contains(status),
            _ => [201, 404].contains(status),
        };
        assert!(results.iter().all(allowed), "{results:?}");
        let owners = all(&api, &format!("/owners?plan_name={plan}")).await.len();
        assert_eq!(owners > 0, exists, "{results:?}");
    }
}

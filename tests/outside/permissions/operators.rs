//! Operations for operator keys.

use reqwest::Method;

use super::{Operation, operations};
use crate::harness::Server;

const ROLES: [&str; 4] = ["auditor", "provisioner", "moderator", "admin"];

/// Roles whose keys may call an operation.
fn roles_of(operation: &Operation) -> &'static [&'static str] {
    if operation.method == Method::GET {
        return &ROLES;
    }
    panic!("no roles are known for {}", operation.id)
}

#[tokio::test]
async fn every_operation_accepts_exactly_the_roles_that_it_should() {
    let server = Server::with_operator();
    let database = server.database();
    let revoked = database.operator_key("revoked", "admin");
    server.terse(&["operator", "revoke", "revoked"]).done();
    let owners = server.terse(&["key", "add", "default", "--scope", "manage"]).key();
    let by_role = ROLES.map(|role| (role, server.operator(role)));
    for operation in operations(true) {
        let (id, allowed) = (&operation.id, roles_of(&operation));
        for api in [
            server.operator_anyone(),
            server.with_operator_key("terse_op_unknownunknownunknown1"),
            server.with_operator_key(&revoked),
            server.with_operator_key(&owners),
            server.with_operator_key(server.key()),
        ] {
            let tried = operation.attempt(operation.template.clone(), operation.body());
            tried.send(&api).await.problem(401, "unauthorized");
        }
        for (role, api) in &by_role {
            let tried = operation.attempt(operation.template.clone(), operation.body());
            let response = tried.send(api).await;
            if allowed.contains(role) {
                assert!(response.status < 300, "{id} with {role}: {response:#?}");
            } else {
                response.problem(403, "operator-role");
            }
        }
    }
}

#[tokio::test]
async fn unknown_paths_and_methods_come_before_keys() {
    let server = Server::with_operator();
    let anyone = server.operator_anyone();
    for path in ["/api/operator", "/api/operator/v1", "/api/operator/v1/", "/api/operator/v1/x"] {
        anyone.get(path).await.problem(404, "not-found");
    }
    for Operation { template, method, .. } in operations(true) {
        let path = template.replace("{code}", "abcdefg").replace("{id}", "7");
        anyone.ask(Method::PUT, &path).send().await.problem(405, "method-not-allowed");
        if method == Method::GET {
            anyone.head(&path).await.expect(401);
        }
    }
}

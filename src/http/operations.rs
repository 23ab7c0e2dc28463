//! Runs the operations of all interfaces: finds the operation of a request, authenticates its
//! caller, and converts errors into problems.

use std::sync::Arc;

use poem::endpoint::{BoxEndpoint, DynEndpoint};
use poem::http::{HeaderValue, Method, StatusCode, header};
use poem::{Request, Response};
use poem_openapi::OperationId;
use poem_openapi::error::ParsePathError;

use super::caller::{AuthenticationFacts, Caller, OperatorCaller};
use super::openapi::headers::ACCEPT_PATCH;
use super::openapi::if_match::unevaluated;
use super::openapi::interface::{Found, Interface, Operation, PathOperation, Paths};
use super::openapi::json_body::Refusal;
use super::openapi::parameter::unknown;
use super::problem::Problem;
use super::problem_examples::ProblemExample;
use super::problem_type::ProblemType;
use super::rate_limit;
use super::request_id::RequestId;
use super::route::ServedRoutes;
use super::state::AppState;
use crate::values::Permission;

/// The operations of all interfaces.
pub struct Operations(Vec<ServedInterface>);

struct ServedInterface {
    interface: &'static Interface,
    paths: Paths,
    endpoint: BoxEndpoint<'static, Response>,
}

impl Operations {
    /// Collects the operations of the interfaces.
    pub fn from_interfaces(interfaces: &[&'static Interface]) -> Self {
        let serve = |interface: &&'static Interface| ServedInterface {
            interface,
            paths: Paths::from_interface(interface),
            endpoint: (interface.operations.endpoint)(),
        };
        Self(interfaces.iter().map(serve).collect())
    }

    /// Responds to a request under `/api` on a listener that serves these routes.
    pub async fn respond(
        &self,
        app: &Arc<AppState>,
        routes: ServedRoutes,
        request: Request,
        id: RequestId,
    ) -> Response {
        let path = request.uri().path();
        let is_for_operator = routes.is_for_operator();
        let mut served =
            self.0.iter().filter(|served| served.interface.is_for_operator == is_for_operator);
        let interface = served.find(|served| path.starts_with(served.interface.prefix));
        let found = interface.map(|served| (served, served.paths.find(request.method(), path)));
        let exists =
            |operation: &PathOperation| app.webhooks.is_some() || !operation.is_of_webhooks;
        let problem = match found {
            Some((served, Found::Operation(operation))) if exists(operation) => {
                return served.run(operation, app, request, id).await;
            }
            Some((_, Found::OtherMethods(allowed))) => {
                let problem = ProblemExample::METHOD_NOT_ALLOWED.problem();
                let mut response = problem.into_response(&app.base_url, &id);
                if let Ok(allowed) = HeaderValue::try_from(allowed) {
                    response.headers_mut().insert(header::ALLOW, allowed);
                }
                return response;
            }
            Some((_, Found::Operation(_) | Found::Nothing)) | None => {
                let mut documents = self.0.iter().map(|served| served.interface).filter(|one| {
                    one.is_for_operator == is_for_operator
                        && interface.is_none_or(|found| std::ptr::eq(found.interface, *one))
                });
                let first = documents.next().map_or("", |interface| interface.document_path);
                let (documents, list) = match documents.next() {
                    None => (first.to_owned(), "lists"),
                    Some(other) => (format!("{first} and {}", other.document_path), "list"),
                };
                let detail = format!("No operation has this path; {documents} {list} them all.");
                Problem::new(ProblemType::NOT_FOUND, detail)
            }
        };
        problem.into_response(&app.base_url, &id)
    }
}

/// Converts an error of an operation, which has declared its problems.
fn problem(declared: &[&ProblemExample], error: poem::Error) -> Problem {
    // What the path names is not UTF-8, so it does not exist.
    let is_missing = |one: &&&ProblemExample| one.problem_type.status == StatusCode::NOT_FOUND;
    match declared.iter().find(is_missing) {
        Some(missing) if error.is::<ParsePathError>() => missing.problem(),
        Some(_) | None => error.into(),
    }
}

/// Authenticates the caller of an operation, and adds the caller to the request. Returns the caller
/// if the key is an owner's.
async fn authenticate(
    app: &Arc<AppState>,
    request: &mut Request,
    id: RequestId,
    operation: &Operation,
    facts: &mut AuthenticationFacts,
) -> Result<Option<Caller>, Problem> {
    if let Permission::Operator(permission) = operation.permission {
        let caller = OperatorCaller::authenticate(app, request, permission, facts).await?;
        request.set_data(caller);
        return Ok(None);
    }
    let caller = Caller::authenticate(app, request, id, operation.permission, facts).await?;
    request.set_data(caller.clone());
    Ok(Some(caller))
}

impl ServedInterface {
    /// Authenticates the caller and runs an operation. All responses forbid caching, and carry what
    /// the log reports.
    async fn run(
        &self,
        PathOperation { operation, problems, query, has_body, has_if_match, .. }: &PathOperation,
        app: &Arc<AppState>,
        mut request: Request,
        id: RequestId,
    ) -> Response {
        let Self { interface, paths: _, endpoint } = self;
        let is_patch = request.method() == Method::PATCH;
        let mut facts = AuthenticationFacts::default();
        let caller = authenticate(app, &mut request, id, operation, &mut facts).await;
        let result = match caller {
            Ok(owners) => {
                request.set_data(Arc::clone(app));
                let unknown = || unknown(&request, query).filter(|_| interface.is_strict);
                let refused = unevaluated(&request, *has_if_match).or_else(unknown);
                let result = match refused {
                    Some(refused) if !has_body => Err(refused),
                    refused => {
                        if let Some(refused) = refused {
                            request.set_data(Refusal(refused));
                        }
                        let result = DynEndpoint::call(&**endpoint, request).await;
                        result.map_err(|error| problem(problems, error))
                    }
                };
                match (result, owners) {
                    (Err(problem), Some(caller)) if problem.is_owner_unavailable => {
                        Err(caller.check_again().await.err().unwrap_or(problem))
                    }
                    (result, _) => result,
                }
            }
            Err(problem) => Err(problem),
        };
        let mut response = match result {
            Ok(mut response) => {
                let uncached = HeaderValue::from_static("private, no-store");
                response.headers_mut().insert(header::CACHE_CONTROL, uncached);
                response
            }
            Err(problem) => {
                debug_assert!(
                    problems.iter().any(|declared| declared.problem_type == problem.problem_type),
                    "{operation:?} does not declare {problem:?}"
                );
                problem.into_response(&app.base_url, &id)
            }
        };
        if is_patch && response.status() == StatusCode::UNSUPPORTED_MEDIA_TYPE {
            let accepted = HeaderValue::from_static(ACCEPT_PATCH);
            response.headers_mut().insert("accept-patch", accepted);
        }
        let AuthenticationFacts { caller, limit } = facts;
        if let Some((name, decision)) = limit {
            rate_limit::write_headers(name, &decision, response.headers_mut());
        }
        if let Some(caller) = caller {
            response.set_data(caller);
        }
        response.set_data(OperationId(operation.id));
        response
    }
}

//! HTTP interfaces: their operations and paths.

use poem::endpoint::BoxEndpoint;
use poem::http::Method;
use poem::{IntoEndpoint, Response};
use poem_openapi::registry::{MetaOperation, MetaParamIn, MetaPath};
use poem_openapi::{ContactObject, LicenseObject, OpenApi, OpenApiService, ServerObject};
use serde_json::Value;

use super::{idempotency, if_match};
use crate::http::problem_examples::ProblemExample;
use crate::http::problem_type::ProblemType;
use crate::values::{BaseUrl, Permission};

/// Operations under one prefix, which one document describes.
#[derive(Debug)]
pub struct Interface {
    /// Beginning of all its paths.
    pub prefix: &'static str,
    /// Path of its document.
    pub document_path: &'static str,
    /// Whether the operator's listener serves it, and no other one.
    pub is_for_operator: bool,
    /// Whether unknown query parameters are errors; otherwise they are ignored.
    pub is_strict: bool,
    /// Title of its document.
    pub title: &'static str,
    /// Description of the interface for its document.
    pub description: &'static str,
    /// Description of API keys for its document.
    pub keys: &'static str,
    /// Names and descriptions of parameters that several operations have. An operation may describe its
    /// own otherwise.
    pub parameters: &'static [(&'static str, &'static str)],
    /// Adds to the document what poem-openapi cannot express.
    pub extend: fn(&mut Value),
    /// The operations, and what poem-openapi generates from them.
    pub operations: OperationSet,
}

/// An operation, apart from what its annotations say.
#[derive(Debug)]
pub struct Operation {
    /// The `operationId`.
    pub id: &'static str,
    /// The permission that it needs.
    pub permission: Permission,
    /// Description of its successful response.
    pub success: &'static str,
    /// Groups of the problems that it names itself.
    problems: [&'static [ProblemExample]; 2],
}

impl Operation {
    /// Declares an operation.
    pub(in crate::http) const fn new(
        id: &'static str,
        permission: Permission,
        success: &'static str,
    ) -> Self {
        Self { id, permission, success, problems: [&[]; 2] }
    }

    /// Adds problems that do not follow from the permission, the path, the parameters and the body, or
    /// that replace those of the same type.
    pub(in crate::http) const fn with(self, problems: &'static [ProblemExample]) -> Self {
        let [first, _] = self.problems;
        Self { problems: [first, problems], ..self }
    }

    /// Adds the conflicts of an operation that creates links.
    pub(in crate::http) const fn creating_links(self) -> Self {
        let [_, second] = self.problems;
        Self { problems: [ProblemExample::OF_NEW_LINKS, second], ..self }
    }
}

/// Operations, and what poem-openapi generates from their annotations.
#[derive(Debug, Clone, Copy)]
pub struct OperationSet {
    /// A table per resource.
    tables: &'static [&'static [Operation]],
    paths: fn() -> Vec<MetaPath>,
    /// Returns the endpoint that runs the operations.
    pub endpoint: fn() -> BoxEndpoint<'static, Response>,
    /// Returns the document without the additions of Terse.
    pub document: fn(&Interface, &BaseUrl) -> String,
}

impl OperationSet {
    /// Returns the operations of `A`, of which each is in one of the tables.
    pub const fn new<A: OpenApi + Default + 'static>(
        tables: &'static [&'static [Operation]],
    ) -> Self {
        Self {
            tables,
            paths: || A::meta().into_iter().flat_map(|api| api.paths).collect(),
            endpoint: || OpenApiService::new(A::default(), "", "").into_endpoint(),
            document: |interface, base_url| {
                let licence = LicenseObject::new("MIT OR Apache-2.0");
                OpenApiService::new(A::default(), interface.title, env!("CARGO_PKG_VERSION"))
                    .description(interface.description)
                    .contact(ContactObject::new().name("The operator of this service"))
                    .license(licence.url("https://spdx.org/licenses/"))
                    .server(
                        ServerObject::new(interface.server(base_url)).description("This service"),
                    )
                    .spec()
            },
        }
    }
}

/// Collects the operations of modules: a type with the annotated ones, and the table `OPERATIONS` of its module.
macro_rules! operations {
    ($($module:ident::$api:ident,)+) => {
        $crate::http::openapi::interface::OperationSet::new::<($($module::$api,)+)>(
            &[$($module::OPERATIONS,)+],
        )
    };
}

pub(in crate::http) use operations;

impl Interface {
    /// Returns the URL of the server in the document. The operator's listener may have any address, so
    /// that its URL is relative to that of the document.
    fn server<'a>(&self, base_url: &'a BaseUrl) -> &'a str {
        if self.is_for_operator { "/" } else { base_url.as_str() }
    }

    /// Returns the operation with this `operationId`.
    fn operation(&self, id: &str) -> Option<&'static Operation> {
        self.operations.tables.iter().copied().flatten().find(|operation| operation.id == id)
    }

    /// Returns the problems of an operation at `path`, in the order of their examples in the document. They
    /// follow from the permission, the path, the parameters and the body, except those that the operation
    /// names. One that it names replaces those of the same type that follow from the request.
    fn problems(
        &self,
        operation: &'static Operation,
        path: &str,
        MetaOperation { method, params, request, .. }: &MetaOperation,
    ) -> Vec<&'static ProblemExample> {
        let has = |name: &str| params.iter().any(|parameter| parameter.name == name);
        let of_type = match *method {
            Method::PATCH => &ProblemExample::NOT_A_PATCH,
            _ => &ProblemExample::NOT_JSON,
        };
        let of_body = [
            &ProblemExample::MALFORMED_BODY,
            &ProblemExample::UNREADABLE_NUMBER,
            &ProblemExample::TOO_LARGE,
            of_type,
            &ProblemExample::CONTENT_ENCODED,
        ];
        let of_body = request.iter().flat_map(|_| of_body);
        // One example of a malformed parameter is enough.
        let malformed = match request {
            _ if has(if_match::HEADER) => Some(&ProblemExample::MALFORMED_IF_MATCH),
            Some(_) => has(idempotency::HEADER).then_some(&ProblemExample::MALFORMED_KEY),
            None if has("limit") => Some(&ProblemExample::MALFORMED_LIMIT),
            None if has("reason") => Some(&ProblemExample::MALFORMED_REASON),
            None => None,
        };
        let of_parameters = [
            (idempotency::HEADER, &ProblemExample::KEY_REUSED),
            (if_match::HEADER, &ProblemExample::PRECONDITION_FAILED),
            ("cursor", &ProblemExample::CURSOR_NOT_FOUND),
        ];
        let of_parameters = of_parameters.into_iter().filter(|(name, _)| has(name));
        let named = operation.problems.into_iter().flatten();
        let is_inferred = |inferred: &&ProblemExample| {
            named.clone().all(|named| named.problem_type != inferred.problem_type)
        };
        let of_key = ProblemExample::of_permission(operation.permission);
        [of_key, ProblemExample::OF_OPERATIONS]
            .into_iter()
            .flatten()
            .chain(of_body.chain(malformed).chain(missing(path)).filter(is_inferred))
            .chain(named.clone())
            .chain(of_parameters.map(|(_, problem)| problem).filter(is_inferred))
            .chain(self.is_strict.then_some(&ProblemExample::UNKNOWN_PARAMETER))
            .collect()
    }
}

/// Returns the problem of a path with a parameter that names nothing.
fn missing(path: &str) -> Option<&'static ProblemExample> {
    let (collection, _) = path.split_once("/{")?;
    match collection.rsplit('/').next()? {
        "links" | "external-links" | "stats" => Some(&ProblemExample::LINK_NOT_FOUND),
        "keys" => Some(&ProblemExample::KEY_NOT_FOUND),
        "owners" => Some(&ProblemExample::OWNER_NOT_FOUND),
        "plans" => Some(&ProblemExample::PLAN_NOT_FOUND),
        "operator-keys" => Some(&ProblemExample::OPERATOR_KEY_NOT_FOUND),
        "domains" => Some(&ProblemExample::DOMAIN_NOT_FOUND),
        "events" => Some(&ProblemExample::EVENT_NOT_FOUND),
        "webhooks" => Some(&ProblemExample::WEBHOOK_NOT_FOUND),
        _ => None,
    }
}

/// The paths of an interface.
#[derive(Debug)]
pub struct Paths(Vec<Path>);

/// A path of an interface, and its operations by method.
#[derive(Debug)]
struct Path {
    template: String,
    operations: Vec<PathOperation>,
}

/// An operation of a path.
#[derive(Debug)]
pub struct PathOperation {
    /// The method.
    pub method: Method,
    /// The operation.
    pub operation: &'static Operation,
    /// The problems that it returns.
    pub problems: Vec<&'static ProblemExample>,
    /// Names of its query parameters.
    pub query: Vec<String>,
    /// Whether requests have a body.
    pub has_body: bool,
    /// Whether it evaluates `If-Match`.
    pub has_if_match: bool,
    /// Whether it only exists if the service has webhooks.
    pub is_of_webhooks: bool,
}

/// Result of the search for the operation of a request.
#[derive(Debug)]
pub enum Found<'a> {
    /// The operation.
    Operation(&'a PathOperation),
    /// The path has only other methods: the value of the header `Allow`.
    OtherMethods(String),
    /// No operation has the path.
    Nothing,
}

impl Paths {
    /// Collects the paths of an interface.
    pub fn from_interface(interface: &Interface) -> Self {
        let path = |MetaPath { path: template, operations }: MetaPath| {
            let is_of_webhooks = template.split('/').any(|segment| segment == "webhooks");
            let operations = operations.into_iter().filter_map(|described| {
                let operation = interface.operation(described.operation_id?)?;
                let problems = interface.problems(operation, &template, &described);
                let MetaOperation { method, params, request, .. } = described;
                let has_if_match = params.iter().any(|one| one.name == if_match::HEADER);
                let in_query = params.into_iter().filter(|one| one.in_type == MetaParamIn::Query);
                let query = in_query.map(|parameter| parameter.name).collect();
                let has_body = request.is_some();
                Some(PathOperation {
                    method,
                    operation,
                    problems,
                    query,
                    has_body,
                    has_if_match,
                    is_of_webhooks,
                })
            });
            let operations = operations.collect();
            Path { template, operations }
        };
        let mut paths: Vec<Path> = (interface.operations.paths)().into_iter().map(path).collect();
        // A fixed segment precedes a parameter, because letters precede braces.
        paths.sort_by(|a, b| a.template.cmp(&b.template));
        Self(paths)
    }

    fn operations(&self) -> impl Iterator<Item = &PathOperation> {
        self.0.iter().flat_map(|path| &path.operations)
    }

    /// Returns the operation with this `operationId`.
    pub fn operation(&self, id: &str) -> Option<&PathOperation> {
        self.operations().find(|known| known.operation.id == id)
    }

    /// Returns whether a response of the interface, also to unknown paths and methods, may be a
    /// problem of this type.
    pub fn declare(&self, problem_type: &ProblemType) -> bool {
        [ProblemType::NOT_FOUND, ProblemType::METHOD_NOT_ALLOWED].contains(&problem_type)
            || self
                .operations()
                .flat_map(|operation| &operation.problems)
                .any(|problem| problem.problem_type == problem_type)
    }

    /// Finds the operation for a method and a path. HEAD finds the operation of GET.
    pub fn find(&self, method: &Method, path: &str) -> Found<'_> {
        let Some(path) = self.0.iter().find(|known| known.matches(path)) else {
            return Found::Nothing;
        };
        let method = if *method == Method::HEAD { &Method::GET } else { method };
        let found = path.operations.iter().find(|known| known.method == *method);
        found.map_or_else(|| Found::OtherMethods(path.methods()), Found::Operation)
    }
}

impl Path {
    fn matches(&self, path: &str) -> bool {
        let (parts, segments) = (self.template.split('/'), path.split('/'));
        parts.clone().count() == segments.clone().count()
            && parts.zip(segments).all(|(part, segment)| {
                part == segment || (part.starts_with('{') && !segment.is_empty())
            })
    }

    fn methods(&self) -> String {
        let mut methods: Vec<_> =
            self.operations.iter().map(|known| known.method.as_str()).collect();
        if methods.contains(&"GET") {
            methods.push("HEAD");
        }
        methods.sort_unstable();
        methods.join(", ")
    }
}

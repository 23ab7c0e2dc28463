//! A client of one server with one set of credentials.

use std::collections::BTreeSet;

use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Body, Client, Method, RequestBuilder, redirect};
use serde_json::{Value, json};

use super::{Response, SentRequest};

/// Sends requests to one server with the same headers, and follows no redirect.
#[derive(Clone)]
pub(crate) struct Api {
    http: Client,
    origin: String,
    base_url: String,
    headers: HeaderMap,
}

impl Api {
    /// Creates a client of the server at `origin` with this base URL.
    pub(crate) fn new(origin: String, base_url: String) -> Self {
        let http = Client::builder()
            .redirect(redirect::Policy::none())
            .no_proxy()
            .build()
            .expect("reqwest creates a client");
        Self { http, origin, base_url, headers: HeaderMap::new() }
    }

    /// Returns a client that sends one more header.
    pub(crate) fn with(&self, name: &str, value: &str) -> Self {
        let mut api = self.clone();
        let name: HeaderName = name.parse().expect("a header name");
        api.headers.append(name, HeaderValue::from_str(value).expect("a header value"));
        api
    }

    /// Returns a request, to which the caller can add headers and a body.
    pub(crate) fn ask(&self, method: Method, target: &str) -> Ask {
        let request = self
            .http
            .request(method.clone(), format!("{}{target}", self.origin))
            .headers(self.headers.clone());
        let sent = SentRequest {
            method: method.to_string(),
            target: target.to_owned(),
            base_url: self.base_url.clone(),
        };
        Ask { request, sent }
    }

    /// Sends `GET target`.
    pub(crate) async fn get(&self, target: &str) -> Response {
        self.ask(Method::GET, target).send().await
    }

    /// Sends `HEAD target`.
    pub(crate) async fn head(&self, target: &str) -> Response {
        self.ask(Method::HEAD, target).send().await
    }

    /// Sends `POST /api/v1/shorten` with this body.
    pub(crate) async fn shorten(&self, body: &Value) -> Response {
        let ask = self.ask(Method::POST, "/api/v1/shorten");
        ask.json(body).send().await
    }

    /// Creates a link to `url`, which must succeed, and returns its short code.
    pub(crate) async fn create(&self, url: &str) -> String {
        self.create_from(&json!({ "url": url })).await
    }

    /// Creates a link from this body, which must succeed, and returns its short code.
    pub(crate) async fn create_from(&self, body: &Value) -> String {
        self.shorten(body).await.expect(201).code()
    }

    /// Sends `GET /api/v1/links`.
    pub(crate) async fn links(&self) -> Response {
        self.get("/api/v1/links").await
    }

    /// Returns the codes of all links; panics if one is listed twice.
    pub(crate) async fn listed(&self) -> BTreeSet<String> {
        let codes = self.links().await.expect(200).codes();
        let distinct: BTreeSet<String> = codes.iter().cloned().collect();
        assert_eq!(distinct.len(), codes.len(), "some are listed twice: {codes:?}");
        distinct
    }

    /// Sends `GET /api/v1/stats/{code}`.
    pub(crate) async fn stats(&self, code: &str) -> Response {
        self.get(&format!("/api/v1/stats/{code}")).await
    }

    /// Returns the number of clicks in the statistics of `code`.
    pub(crate) async fn clicks(&self, code: &str) -> u64 {
        let response = self.stats(code).await.expect(200);
        let clicks = response.data()["clicks"].as_u64();
        clicks.expect("clicks is a whole number")
    }

    /// Sends `POST /api/v1/qrcodes` with this body.
    pub(crate) async fn qr(&self, body: &Value) -> Response {
        let ask = self.ask(Method::POST, "/api/v1/qrcodes");
        ask.json(body).send().await
    }

    /// Sends `GET /api/v1/qrcodes`.
    pub(crate) async fn qr_list(&self) -> Response {
        self.get("/api/v1/qrcodes").await
    }
}

/// A request before it is sent.
pub(crate) struct Ask {
    request: RequestBuilder,
    sent: SentRequest,
}

impl Ask {
    /// Adds a header.
    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.request = self.request.header(name, value);
        self
    }

    /// Sets this value as an `application/json` body.
    pub(crate) fn json(self, body: &Value) -> Self {
        self.body("application/json", body.to_string())
    }

    /// Sets these bytes as the body with that content type.
    pub(crate) fn body(mut self, content_type: &str, body: impl Into<Body>) -> Self {
        self.request = self.request.header(CONTENT_TYPE, content_type).body(body);
        self
    }

    /// Sets these bytes as the body without a content type.
    pub(crate) fn untyped(mut self, body: impl Into<Body>) -> Self {
        self.request = self.request.body(body);
        self
    }

    /// Sends the request, and returns the status, or `None` if the server ends before its response.
    pub(crate) async fn try_send(self) -> Option<u16> {
        let response = self.request.send().await.ok()?;
        let status = response.status().as_u16();
        response.bytes().await.ok().map(|_| status)
    }

    /// Sends the request, and checks the response.
    pub(crate) async fn send(self) -> Response {
        let sent = self.sent.clone();
        let response = self.send_or_fail().await;
        response.unwrap_or_else(|error| panic!("{sent:?} has no whole response: {error:?}"))
    }

    /// Sends the request, and checks the response unless the connection ends before its end.
    pub(crate) async fn send_or_fail(self) -> reqwest::Result<Response> {
        let response = self.request.send().await?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let body = response.bytes().await?;
        Ok(Response::checked(self.sent, status, headers, body.to_vec()))
    }
}

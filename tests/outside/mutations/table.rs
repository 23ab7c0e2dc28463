//! The table: one change of one response per row.

use serde_json::{Value, json};

use super::request::MutatedRequest::{
    Conflict, Head, Invalid, List, Malformed, NoKey, Part, QrCode, QrList, Shorten, Stats,
    UnknownCode, UnknownPath, WrongMethod,
};
use super::{Row, row};

/// Changes of successful responses.
pub(super) const SUCCESSES: &[Row] = &[
    row(Shorten, "`short_url` is called `shortUrl`", "'shortUrl' not allowed", |reply| {
        reply.body(|body| {
            body["shortUrl"] = body["short_url"].take();
            remove(body, "short_url");
        });
    }),
    row(Shorten, "`short_code` is missing", "missing properties 'short_code'", |reply| {
        reply.body(|body| remove(body, "short_code"));
    }),
    row(Shorten, "`short_code` is `null`", "at '/short_code': want string", |reply| {
        reply.body(|body| body["short_code"] = Value::Null);
    }),
    row(Shorten, "`short_code` is a number", "at '/short_code': want string", |reply| {
        reply.body(|body| body["short_code"] = json!(1_234_567));
    }),
    row(Shorten, "`short_code` holds a space", "at '/short_code': ", |reply| {
        reply.body(|body| body["short_code"] = json!("spring sale"));
    }),
    row(Shorten, "`short_code` is empty", "at '/short_code': ", |reply| {
        reply.body(|body| body["short_code"] = json!(""));
    }),
    row(Shorten, "`short_url` is a path", "at '/short_url': ", |reply| {
        reply.body(|body| body["short_url"] = json!("/abcdefg/abc"));
    }),
    row(Shorten, "`destination_url` has 8,193 characters", "at '/destination_url': ", |reply| {
        reply.body(|body| body["destination_url"] = json!("x".repeat(8_193)));
    }),
    row(Shorten, "a field `id` that is not declared", "'id' not allowed", |reply| {
        reply.body(|body| body["id"] = json!(7));
    }),
    row(List, "`data` is an object", "at '/data': want array", |reply| {
        reply.body(|body| body["data"] = json!({}));
    }),
    row(List, "the list comes without `data`", "want object", |reply| {
        reply.body(|body| *body = body["data"].take());
    }),
    row(List, "an item's `campaign` is missing", "at '/data/0': missing properties", |reply| {
        reply.body(|body| remove(&mut body["data"][0], "campaign"));
    }),
    row(List, "an item's `campaign` has 101 characters", "at '/data/1/campaign': ", |reply| {
        reply.body(|body| body["data"][1]["campaign"] = json!("x".repeat(101)));
    }),
    row(List, "an item's `destination_url` is `null`", "at '/data/1/destination_url': ", |reply| {
        reply.body(|body| body["data"][1]["destination_url"] = Value::Null);
    }),
    row(List, "an item's `destination_url` is a path", "at '/data/1/destination_url'", |reply| {
        reply.body(|body| body["data"][1]["destination_url"] = json!("/somewhere"));
    }),
    row(List, "an item has a field `title`", "'title' not allowed", |reply| {
        reply.body(|body| body["data"][1]["title"] = json!("x"));
    }),
    row(List, "`clicks` is a string", "at '/data/0/clicks': want integer", |reply| {
        reply.body(|body| body["data"][0]["clicks"] = json!("3"));
    }),
    row(Stats, "`clicks` is −1", "at '/data/clicks': ", |reply| {
        reply.body(|body| body["data"]["clicks"] = json!(-1));
    }),
    row(Stats, "`clicks` is 1.5", "at '/data/clicks': want integer", |reply| {
        reply.body(|body| body["data"]["clicks"] = json!(1.5));
    }),
    row(Stats, "`clicks` is 2⁵³", "at '/data/clicks': ", |reply| {
        reply.body(|body| body["data"]["clicks"] = json!(1_u64 << 53));
    }),
    row(Stats, "`is_active` is `true`", "at '/data/is_active': want integer", |reply| {
        reply.body(|body| body["data"]["is_active"] = json!(true));
    }),
    row(Stats, "`is_active` is 2", "at '/data/is_active': ", |reply| {
        reply.body(|body| body["data"]["is_active"] = json!(2));
    }),
    row(Stats, "the link comes without `data`", "missing properties 'data'", |reply| {
        reply.body(|body| *body = body["data"].take());
    }),
    row(QrCode, "`has_qr` is 2", "at '/has_qr': ", |reply| {
        reply.body(|body| body["has_qr"] = json!(2));
    }),
    row(QrCode, "`message` is empty", "at '/message': ", |reply| {
        reply.body(|body| body["message"] = json!(""));
    }),
    row(QrList, "an item's `title` is missing", "missing properties 'title'", |reply| {
        reply.body(|body| remove(&mut body["data"][0], "title"));
    }),
    row(QrList, "an item's `title` is a number", "at '/data/0/title': ", |reply| {
        reply.body(|body| body["data"][0]["title"] = json!(5));
    }),
    row(QrList, "the body breaks off", "the body is not JSON", |reply| {
        reply.body.truncate(reply.body.len() - 1);
    }),
    row(QrList, "the body is empty", "the body is not JSON", |reply| reply.body.clear()),
    row(QrList, "the body is there twice", "the body is not JSON", |reply| {
        reply.body.extend_from_within(..);
    }),
];

/// Changes of statuses and headers.
pub(super) const HEADS: &[Row] = &[
    row(Shorten, "the status is 200", "declares no 200", |reply| reply.status = 200),
    row(Shorten, "the status is 202", "declares no 202", |reply| reply.status = 202),
    row(List, "the status is 206", "declares no 206", |reply| reply.status = 206),
    row(List, "the status is 409", "declares no 409", |reply| reply.status = 409),
    row(Stats, "the status is 402", "declares no 402", |reply| reply.status = 402),
    row(Stats, "the status is 500", "the status is 500", |reply| reply.status = 500),
    row(NoKey, "the status is 402", "declares no 402", |reply| reply.status = 402),
    row(UnknownCode, "the status is 410", "declares no 410", |reply| reply.status = 410),
    row(UnknownPath, "the status is 400", "declares no 400", |reply| reply.status = 400),
    row(UnknownCode, "the status is 405", "declares no 405", |reply| reply.status = 405),
    row(WrongMethod, "the status is 404", "declares no 404", |reply| reply.status = 404),
    row(WrongMethod, "the status is 501", "declares no 501", |reply| reply.status = 501),
    row(Shorten, "`Location` is missing", "the header Location is missing", |reply| {
        reply.without("location");
    }),
    row(Shorten, "`Location` is a path", "the header Location: ", |reply| {
        reply.with("location", "/api/v1/stats/abc");
    }),
    row(Shorten, "`Location` leads to no statistics", "the header Location: ", |reply| {
        reply.with("location", "http://127.0.0.1:8080/api/v1/links/abc");
    }),
    row(List, "there is a `Location`", "the header location is not declared", |reply| {
        reply.with("location", "https://example.com/");
    }),
    row(List, "there is a `Set-Cookie`", "the header set-cookie is not declared", |reply| {
        reply.with("set-cookie", "a=b");
    }),
    row(Part, "`Link` leads backwards", "the header Link: ", |reply| {
        reply.with("link", "<https://example.com/>; rel=\"prev\"");
    }),
    row(Part, "`Link` is a bare URL", "the header Link: ", |reply| {
        reply.with("link", "https://example.com/");
    }),
    row(Stats, "there is a `Link`", "the header link is not declared", |reply| {
        reply.with("link", "<https://example.com/>; rel=\"next\"");
    }),
    row(Stats, "`X-Request-Id` is missing", "the header X-Request-Id is missing", |reply| {
        reply.without("x-request-id");
    }),
    row(Stats, "`X-Request-Id` has 8 digits", "the header X-Request-Id: ", |reply| {
        reply.with("x-request-id", "0a1b2c3d");
    }),
    row(Stats, "the content type is `text/html`", "text/html is not declared", |reply| {
        reply.with("content-type", "text/html; charset=utf-8");
    }),
    row(Stats, "there is no content type", "the content type none is not declared", |reply| {
        reply.without("content-type");
    }),
    row(Head, "`X-Request-Id` is missing", "the header X-Request-Id is missing", |reply| {
        reply.without("x-request-id");
    }),
    row(Head, "the content type is `text/plain`", "text/plain is not declared", |reply| {
        reply.with("content-type", "text/plain");
    }),
    row(Head, "the status is 204", "declares no 204", |reply| reply.status = 204),
    row(NoKey, "`WWW-Authenticate` is missing", "WWW-Authenticate is missing", |reply| {
        reply.without("www-authenticate");
    }),
    row(
        NoKey,
        "`WWW-Authenticate` is of another scheme",
        "the header WWW-Authenticate: ",
        |reply| {
            reply.with("www-authenticate", "Basic realm=\"terse\"");
        },
    ),
    row(
        UnknownCode,
        "there is a `Retry-After`",
        "the header retry-after is not declared",
        |reply| {
            reply.with("retry-after", "5");
        },
    ),
    row(WrongMethod, "`Allow` is missing", "the header Allow is missing", |reply| {
        reply.without("allow");
    }),
    row(WrongMethod, "`Allow` names a method too many", "and the methods are", |reply| {
        reply.with("allow", "DELETE, GET, HEAD");
    }),
    row(WrongMethod, "`Allow` is in small letters", "the header Allow: ", |reply| {
        reply.with("allow", "get, head");
    }),
    row(WrongMethod, "`Allow` lacks a method", "and the methods are", |reply| {
        reply.with("allow", "HEAD");
    }),
];

/// Changes of problems.
pub(super) const PROBLEMS: &[Row] = &[
    row(NoKey, "the problem is `application/json`", "application/json is not declared", |reply| {
        reply.with("content-type", "application/json");
    }),
    row(Stats, "the link is `application/problem+json`", "is not declared", |reply| {
        reply.with("content-type", "application/problem+json");
    }),
    row(UnknownCode, "`title` is missing", "missing properties 'title'", |reply| {
        reply.body(|body| remove(body, "title"));
    }),
    row(UnknownCode, "`detail` is empty", "at '/detail': ", |reply| {
        reply.body(|body| body["detail"] = json!(""));
    }),
    row(UnknownCode, "`status` is another", "the problem has another status", |reply| {
        reply.body(|body| body["status"] = json!(405));
    }),
    row(UnknownCode, "`status` is a string", "at '/status': want integer", |reply| {
        reply.body(|body| body["status"] = json!("404"));
    }),
    row(UnknownCode, "`type` is of another host", "the problem has another type", |reply| {
        reply.body(|body| body["type"] = json!("https://example.com/problems/link-not-found"));
    }),
    row(UnknownCode, "`type` is `about:blank`", "at '/type': ", |reply| {
        reply.body(|body| body["type"] = json!("about:blank"));
    }),
    row(UnknownCode, "`request_id` is another", "the problem has another request_id", |reply| {
        reply.body(|body| body["request_id"] = json!("0123456789abcdef"));
    }),
    row(UnknownCode, "a member that is not declared", "'instance' not allowed", |reply| {
        reply.body(|body| body["instance"] = json!("/api/v1/stats/x"));
    }),
    row(UnknownCode, "there are `errors`", "invalid input, and only that, has errors", |reply| {
        reply.body(|body| {
            body["errors"] = json!([{"pointer": "/url", "code": "too-long", "detail": "is long"}])
        });
    }),
    row(
        UnknownCode,
        "`code` is another operation's",
        "the code \"code-in-use\" is not declared",
        |reply| {
            reply.body(|body| body["code"] = json!("code-in-use"));
        },
    ),
    row(Conflict, "`code` is `null`", "at '/code': want string", |reply| {
        reply.body(|body| body["code"] = Value::Null);
    }),
    row(Conflict, "`code` is of another status", "is not declared", |reply| {
        reply.body(|body| body["code"] = json!("link-not-found"));
    }),
    row(
        Malformed,
        "`code` is a word of its own",
        "the code \"bad-json\" is not declared",
        |reply| {
            reply.body(|body| body["code"] = json!("bad-json"));
        },
    ),
    row(
        UnknownPath,
        "`code` is of a link",
        "the code \"link-not-found\" is not declared",
        |reply| {
            reply.body(|body| body["code"] = json!("link-not-found"));
        },
    ),
    row(Invalid, "`errors` is missing", "invalid input, and only that, has errors", |reply| {
        reply.body(|body| remove(body, "errors"));
    }),
    row(Invalid, "`errors` is empty", "at '/errors': ", |reply| {
        reply.body(|body| body["errors"] = json!([]));
    }),
    row(Invalid, "a pointer is no JSON pointer", "at '/errors/0/pointer': ", |reply| {
        reply.body(|body| body["errors"][0]["pointer"] = json!("url"));
    }),
    row(Invalid, "an error has no place", "an error has a pointer or a parameter", |reply| {
        reply.body(|body| remove(&mut body["errors"][0], "pointer"));
    }),
    row(Invalid, "an error has no code", "missing properties 'code'", |reply| {
        reply.body(|body| remove(&mut body["errors"][0], "code"));
    }),
    row(Invalid, "an error says nothing", "missing properties 'detail'", |reply| {
        reply.body(|body| remove(&mut body["errors"][0], "detail"));
    }),
];

/// Changes of responses during an outage.
pub(super) const OUTAGES: &[Row] = &[
    row(Shorten, "`Retry-After` is missing", "the header Retry-After is missing", |reply| {
        reply.without("retry-after");
    }),
    row(Shorten, "`Retry-After` is a word", "the header Retry-After: ", |reply| {
        reply.with("retry-after", "soon");
    }),
    row(Shorten, "`Retry-After` is a day", "the header Retry-After: ", |reply| {
        reply.with("retry-after", "86400");
    }),
    row(Shorten, "the status is 502", "the status is 502", |reply| reply.status = 502),
];

fn remove(object: &mut Value, name: &str) {
    let object = object.as_object_mut().expect("an object");
    object.remove(name).expect("the server sends this field");
}

//! The pages that visitors see if a link does not redirect, and those of the operator.

use std::path::Path;
use std::sync::Arc;

use reqwest::Method;
use serde_json::json;

use crate::harness::{Database, Response, Server};

/// A link in a state, and what its page says.
struct Example {
    code: &'static str,
    owner: &'static str,
    /// The statement that brings the link into the state.
    statement: &'static str,
    status: u16,
    heading: &'static str,
    sentence: &'static str,
}

const EXAMPLES: [Example; 12] = [
    Example {
        code: "deleted",
        owner: "default",
        statement: "UPDATE links SET owner_id = NULL, deleted_event = 1, destination_url = '',
                    destination_host = '' WHERE short_code = 'deleted'",
        status: 410,
        heading: "This link was deleted",
        sentence: "The link existed, but was deleted for good.",
    },
    Example {
        code: "expired",
        owner: "default",
        statement: "UPDATE links SET expires_at = 1 WHERE short_code = 'expired'",
        status: 410,
        heading: "This link has expired",
        sentence: "The link was valid for a limited time",
    },
    Example {
        code: "paused",
        owner: "default",
        statement: "UPDATE links SET is_paused = 1 WHERE short_code = 'paused'",
        status: 410,
        heading: "This link is paused",
        sentence: "The owner of the link has paused it.",
    },
    Example {
        code: "disabled",
        owner: "default",
        statement: "UPDATE links SET disabled_reason = 'other' WHERE short_code = 'disabled'",
        status: 410,
        heading: "This link is disabled",
        sentence: "The operator of this service has disabled the link.",
    },
    Example {
        code: "unwanted",
        owner: "default",
        statement: "UPDATE links SET disabled_reason = 'owner-request'
                    WHERE short_code = 'unwanted'",
        status: 410,
        heading: "This link is disabled",
        sentence: "The owner asked for this.",
    },
    Example {
        code: "spam",
        owner: "default",
        statement: "UPDATE links SET disabled_reason = 'spam' WHERE short_code = 'spam'",
        status: 410,
        heading: "This link is disabled",
        sentence: "It was advertised by spam.",
    },
    Example {
        code: "phishing",
        owner: "default",
        statement: "UPDATE links SET disabled_reason = 'phishing' WHERE short_code = 'phishing'",
        status: 410,
        heading: "Warning: suspected phishing",
        sentence: "If it was a password, change it now",
    },
    Example {
        code: "malware",
        owner: "default",
        statement: "UPDATE links SET disabled_reason = 'malware' WHERE short_code = 'malware'",
        status: 410,
        heading: "Warning: suspected malware",
        sentence: "If you opened a download",
    },
    Example {
        code: "legal",
        owner: "default",
        statement: "UPDATE links SET disabled_reason = 'legal' WHERE short_code = 'legal'",
        status: 451,
        heading: "Unavailable for legal reasons",
        sentence: "A legal demand is the reason.",
    },
    Example {
        code: "suspended",
        owner: "spammer",
        // The owner's state precedes the link's.
        statement: "UPDATE owners SET suspended_reason = 'other' WHERE name = 'spammer';
                    UPDATE links SET disabled_reason = 'legal', expires_at = 1
                    WHERE short_code = 'suspended'",
        status: 410,
        heading: "This link is not available",
        sentence: "has suspended the account",
    },
    Example {
        code: "phisher",
        owner: "phisher",
        statement: "UPDATE owners SET suspended_reason = 'phishing' WHERE name = 'phisher'",
        status: 410,
        heading: "Warning: suspected phishing",
        sentence: "has suspended the account",
    },
    Example {
        code: "outlaw",
        owner: "outlaw",
        statement: "UPDATE owners SET suspended_reason = 'legal' WHERE name = 'outlaw'",
        status: 451,
        heading: "Unavailable for legal reasons",
        sentence: "has suspended the account",
    },
];

/// Returns a database with the links of the examples and an active link, `active`.
async fn examples() -> Arc<Database> {
    let server = Server::start();
    let database = Arc::clone(server.database());
    server
        .api()
        .create_from(&json!({ "url": "https://example.org/", "custom_code": "active" }))
        .await;
    for Example { code, owner, .. } in EXAMPLES {
        let api = match owner {
            "default" => server.api(),
            owner => server.api_of(owner, "unlimited"),
        };
        api.create_from(&json!({ "url": "https://example.org/", "custom_code": code })).await;
        api.qr(&json!({ "short_code": code })).await.expect(201);
    }
    server.terminate();
    for Example { statement, .. } in EXAMPLES {
        database.execute(statement).await;
    }
    database
}

#[track_caller]
fn check_headers(response: &Response, base_url: &str) {
    assert_eq!(response.header("content-type"), Some("text/html; charset=utf-8"), "{response:#?}");
    assert_eq!(response.header("cache-control"), Some("no-store"), "{response:#?}");
    assert_eq!(response.header("x-robots-tag"), Some("noindex"), "{response:#?}");
    let policy = response.header("content-security-policy").unwrap_or_default();
    assert!(policy.starts_with("default-src 'none'; style-src 'sha256-"), "{response:#?}");
    assert!(!policy.contains("unsafe") && !policy.contains("data:"), "{response:#?}");
    let blocked_by = format!("<{base_url}>; rel=\"blocked-by\"");
    let expected = (response.status == 451).then_some(&*blocked_by);
    assert_eq!(response.header("link"), expected, "{response:#?}");
}

#[tokio::test]
async fn link_that_does_not_redirect_has_a_page_for_its_state() {
    let database = examples().await;
    let base_url = "https://go.example.test";
    let server = Server::on_with_base_url(&database, base_url);
    for Example { code, status, heading, sentence, .. } in EXAMPLES {
        for path in [format!("/{code}"), format!("/{code}/qr.svg"), format!("/{code}/qr.png")] {
            let page = server.anyone().get(&path).await.expect(status);
            check_headers(&page, base_url);
            let text = page.text();
            assert!(text.contains(&format!("<h1>{heading}</h1>")), "{path}: {text}");
            assert!(text.contains(sentence), "{path}: {text}");
            assert!(!text.contains("mailto:") && !text.contains("<footer"), "{path}: {text}");
            let head = server.anyone().head(&path).await.expect(status);
            let without_id = |response: &Response| {
                let mut headers = response.headers.clone();
                headers.remove("x-request-id");
                headers.remove("date");
                headers
            };
            assert_eq!(without_id(&head), without_id(&page), "{path}");
            assert!(head.body.is_empty(), "{path}");
        }
    }
    server.anyone().get("/active").await.expect(302);
    let unknown = server.anyone().get("/unknown").await.expect(404);
    check_headers(&unknown, base_url);
    assert!(unknown.text().contains("<h1>There is no such link</h1>"));
}

#[tokio::test]
async fn advice_is_for_phishing_and_malware_alone() {
    let database = examples().await;
    let server = Server::on(&database);
    for Example { code, heading, .. } in EXAMPLES {
        let text = server.anyone().get(&format!("/{code}")).await.text();
        assert_eq!(text.contains("IT department"), heading.starts_with("Warning"), "{text}");
    }
}

#[tokio::test]
async fn contact_is_a_link_on_every_page() {
    let database = examples().await;
    for (contact, link) in [
        ("abuse@example.org", "<a href=\"mailto:abuse@example.org\">abuse@example.org</a>"),
        (
            "o'neil&co@example.org",
            "<a href=\"mailto:o%27neil%26co@example.org\">o&#39;neil&amp;co@example.org</a>",
        ),
        (
            "https://example.org/report?a=1&b=\"><script>alert(1)</script>",
            "<a href=\"https://example.org/report?a=1&amp;b=%22%3E%3Cscript%3Ealert(1)%3C/script%3E\">\
             https://example.org/report?a=1&amp;b=&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;</a>",
        ),
    ] {
        let server = Server::with(&database, &["--contact", contact]);
        let codes = EXAMPLES.iter().map(|example| example.code);
        let others = ["", "unknown", "active/qr.svg", "problems/unauthorized"];
        for path in codes.chain(others) {
            let text = server.anyone().get(&format!("/{path}")).await.text();
            assert!(text.contains(link), "{path}: {text}");
            assert!(!text.contains("<script"), "{path}: {text}");
        }
        let response = server.anyone().ask(Method::POST, "/active").send().await.expect(405);
        assert!(response.text().contains(link), "{response:#?}");
    }
}

#[tokio::test]
async fn base_url_is_escaped() {
    let database = Arc::new(Database::new().with_default_owner());
    let base_url = "http://a\"b'c&d.example";
    let server = Server::on_with_base_url(&database, base_url);
    let text = server.anyone().get("/").await.expect(200).text();
    assert!(text.contains("<code>http://a&quot;b&#39;c&amp;d.example</code>"), "{text}");
}

#[tokio::test]
async fn every_response_with_a_body_forbids_sniffing() {
    let server = Server::start();
    let code = server.api().create("https://example.com/").await;
    server.api().qr(&json!({ "short_code": code })).await.expect(201);
    let image = format!("/{code}/qr.svg");
    let paths = [
        "/",
        "/docs",
        "/docs/start.js",
        "/openapi.json",
        "/health/live",
        "/metrics",
        "/robots.txt",
        "/favicon.ico",
        "/unknown",
        "/problems/not-found",
        "/api/v1/links",
        "/api/v1/stats/x",
        "/api/other",
        &image,
    ];
    for client in [server.api(), server.anyone()] {
        for path in paths {
            let response = client.get(path).await;
            assert_eq!(response.header("x-content-type-options"), Some("nosniff"), "{path}");
        }
    }
}

#[test]
fn contact_must_be_a_mail_address_or_a_web_page() {
    let database = Database::new();
    for contact in
        ["", "abuse", "a@b@c", "ftp://example.org", "javascript:alert(1)", "a b@c.example"]
    {
        let outcome = database.terse(&["serve", "--listen", "127.0.0.1:0", "--contact", contact]);
        assert_eq!(outcome.code, Some(2), "{outcome:#?}");
        assert!(outcome.stderr.contains("must be a mail address"), "{outcome:#?}");
    }
    assert!(database.is_untouched());
}

/// Writes templates into a new directory, and returns its path.
fn write_pages(database: &Database, files: &[(&str, &str)]) -> String {
    let directory = tempfile::tempdir_in(database.directory()).expect("a directory").keep();
    for (name, text) in files {
        std::fs::write(directory.join(name), text).expect("a file");
    }
    directory.to_str().expect("a path in UTF-8").to_owned()
}

#[tokio::test]
async fn operators_templates_replace_pages() {
    let database = examples().await;
    let directory = write_pages(
        &database,
        &[
            (
                "base.html",
                "\u{feff}<!doctype html>\r\n<title>{{ title }}</title>\r\n<style>\r\n\
                 p { margin: 0 }\r\n</style>{% block main %}{% endblock %}\
                 {% if contact %}<a href=\"{{ contact_url }}\">{{ contact }}</a>{% endif %}",
            ),
            (
                "410.html",
                "{% extends \"base.html\" %}{% block main %}Acme {{ status }} {{ status_text }} \
                 {{ state }} {{ reason or \"-\" }} {{ advice|length }} {{ message }}{% endblock %}",
            ),
            ("404.html", "Acme {{ status }} {{ is_qr_code }} {{ base_url }}"),
            ("home.html", "Acme {{ title|upper }} <img src=\"data:image/gif;base64,\" alt=\"\">"),
            ("notes.txt", "{{ not a template"),
        ],
    );
    let server = Server::with(&database, &["--pages", &directory, "--contact", "a&b@example.org"]);
    let get = async |path: &str| server.anyone().get(path).await;
    let expired = get("/expired").await.expect(410).text();
    assert!(expired.contains("Acme 410 Gone expired - 0 The link was valid"), "{expired}");
    let contact = "<a href=\"mailto:a%26b@example.org\">a&amp;b@example.org</a>";
    assert!(expired.contains(contact), "{expired}");
    let phisher = get("/phisher/qr.png").await.expect(410);
    assert!(phisher.text().contains("Acme 410 Gone owner-suspended phishing 5 "), "{phisher:#?}");
    let policy = phisher.header("content-security-policy").unwrap_or_default();
    // The hash of "\np { margin: 0 }\n".
    let hash = "'sha256-yMnvG/MwhOsh/X85RpwcgEUCik/xyewbAG00GaWmiOE='";
    assert!(policy.contains(hash), "{policy}");
    assert!(policy.contains("img-src 'self' data:") && !policy.contains("unsafe"), "{policy}");
    assert_eq!(
        get("/unknown").await.expect(404).text(),
        format!("Acme 404 False {}", server.base_url())
    );
    assert!(get("/active/qr.svg").await.expect(404).text().starts_with("Acme 404 True "));
    assert!(get("/").await.expect(200).text().starts_with("Acme SHORT LINKS "));
    // Pages without a template stay the built-in ones.
    let legal = get("/legal").await.expect(451);
    assert!(legal.text().contains("<h1>Unavailable for legal reasons</h1>"), "{legal:#?}");
    assert!(get("/problems/not-found").await.text().contains("<h1>Unknown path</h1>"));
    server.wait_for_log("404.html 410.html base.html home.html");
}

/// An operator begins with a copy of a built-in page and its layout, and with the variables that the documents list.
#[tokio::test]
async fn built_in_pages_and_documented_variables_are_valid_templates() {
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |file: &str| std::fs::read_to_string(sources.join(file)).expect("a file");
    let documents = read("docs/pages.md");
    let rows = documents.lines().filter_map(|line| {
        let mut cells = line.strip_prefix("| `")?.split(" | ");
        Some((cells.next()?.replace('`', ""), cells.next()?))
    });
    let rows: Vec<(String, &str)> = rows.collect();
    assert!(rows.len() > 5, "{rows:?}");
    let layout = read("src/http/public/pages/layout.html");
    for name in ["home.html", "404.html", "410.html", "451.html"] {
        let status = name.trim_end_matches(".html");
        let variables = rows.iter().filter(|(_, pages)| *pages == "all" || pages.contains(status));
        let variables = variables.flat_map(|(names, _)| names.split(", "));
        let documented: String = variables.map(|name| format!("{{{{ {name} }}}}")).collect();
        for text in [read(&format!("src/http/public/pages/{name}")), documented] {
            let database = Arc::new(Database::new().with_default_owner());
            // A file that no page uses is an error.
            let is_used = text.contains("layout.html");
            let files = [(name, &*text), ("layout.html", &*layout)];
            let directory = write_pages(&database, &files[..1 + usize::from(is_used)]);
            let server = Server::with(&database, &["--pages", &directory]);
            server.anyone().get("/").await.expect(200);
        }
    }
}

#[test]
fn invalid_templates_stop_the_start_before_the_database_is_touched() {
    let database = Database::new();
    let serve = |directory: &str, contact: &[&str]| {
        let arguments = [&["serve", "--listen", "127.0.0.1:0", "--pages", directory], contact];
        database.terse(&arguments.concat()).failed()
    };
    for (name, text, expected) in [
        ("410.html", "<p>\n{{ reson }}", "410.html, line 2: unknown variable reson; "),
        ("404.html", "\n\n{{ state }}", "404.html, line 3: unknown variable state; "),
        ("404.html", "{% if false %}\n{{ stat }}{% endif %}", "404.html, line 2: unknown variable"),
        ("410.html", "\n{% if state %}", "410.html, line 2: syntax error"),
        ("410.html", "\n{{ title|nothing }}", "410.html, line 2: filter nothing is unknown"),
        ("451.html", "\n{{ reason.x }}", "451.html, line 2: "),
        ("451.html", "{% include \"x.html\" %}", "451.html, line 1: "),
        // Only with a contact, and only without one.
        ("410.html", "{% if contact %}\n{{ title.x }}{% endif %}", "410.html, line 2: "),
        ("410.html", "{% if not contact %}\n{{ title.x }}{% endif %}", "410.html, line 2: "),
        // Only in one state.
        ("410.html", "{% if state == \"expired\" %}\n{{ title.x }}{% endif %}", "line 2: "),
        ("503.html", "", "503.html: no page uses it; the pages are home.html, 404.html, "),
    ] {
        let directory = write_pages(&database, &[(name, text)]);
        for contact in [&[][..], &["--contact", "abuse@example.org"]] {
            let line = serve(&directory, contact);
            assert!(line.starts_with(&format!("terse: --pages: {directory}/{name}")), "{line}");
            assert!(line.contains(expected), "{line}");
        }
        std::fs::remove_dir_all(&directory).expect("the directory is there");
    }
    let broken = write_pages(
        &database,
        &[("404.html", "{% include \"x.html\" %}"), ("x.html", "\n{{ y }}")],
    );
    let line = serve(&broken, &[]);
    assert!(line.contains("x.html, line 2: "), "{line}");
    std::fs::remove_dir_all(&broken).expect("the directory is there");
    let line = serve("missing", &[]);
    assert!(line.contains("--pages: cannot read missing: "), "{line}");
    assert!(database.is_untouched());
}

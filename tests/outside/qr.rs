//! QR codes: enabling, settings, images.

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::{Value, json};

use crate::harness::{Response, Server, assert_within_a_second};
use crate::qr_reader::{Reading, read};

const URL: &str = "https://example.com/";
const BLACK: [u8; 3] = [0; 3];
pub(crate) const WHITE: [u8; 3] = [255; 3];
const RED: [u8; 3] = [0x80, 0, 0];
pub(crate) const BLUE: [u8; 3] = [0, 0, 0x80];

async fn png(server: &Server, code: &str) -> Response {
    let image = server.anyone().get(&format!("/{code}/qr.png")).await;
    let image = image.expect(200);
    assert_eq!(image.media_type(), "image/png");
    image
}

async fn svg(server: &Server, code: &str) -> Response {
    let image = server.anyone().get(&format!("/{code}/qr.svg")).await;
    let image = image.expect(200);
    assert_eq!(image.media_type(), "image/svg+xml");
    assert!(image.text().contains("<svg"), "{image:#?}");
    image
}

/// Reads the PNG image of a code, and checks that it has this margin.
///
/// The requested size fits all modules exactly, so that a wider or narrower margin is detected.
pub(crate) async fn read_png(
    server: &Server,
    code: &str,
    margin: usize,
    [dark, light]: [[u8; 3]; 2],
) -> Reading {
    let of_any_size = read(&png(server, code).await.body, dark, light);
    assert!(of_any_size.margin >= margin, "{of_any_size:?}");
    let size = 8 * (of_any_size.modules + 2 * margin);
    let image = server.anyone().get(&format!("/{code}/qr.png?size={size}")).await;
    let reading = read(&image.expect(200).body, dark, light);
    assert_eq!(reading.text, format!("{}/{code}", server.base_url()));
    assert_eq!((reading.width, reading.margin), (size, margin));
    reading
}

/// Creates a link, and enables its QR code with these settings.
async fn create_with_qr_code(server: &Server, settings: &Value) -> String {
    let api = server.api();
    let code = api.create(URL).await;
    set_qr_code(server, &code, settings).await.expect(201);
    code
}

async fn set_qr_code(server: &Server, code: &str, settings: &Value) -> Response {
    let mut body = settings.clone();
    body["short_code"] = json!(code);
    server.api().qr(&body).await
}

#[tokio::test]
async fn enable_response_has_exactly_the_specified_fields() {
    let server = Server::start();
    let api = server.api();
    let code = api.create_from(&json!({"url": URL, "title": "Poster"})).await;
    let response = api.qr(&json!({"short_code": code})).await.expect(201).json();
    let members = response.as_object().unwrap();
    let names: BTreeSet<&str> = members.keys().map(String::as_str).collect();
    assert_eq!(names, BTreeSet::from(["short_code", "has_qr", "message"]));
    assert_eq!((&response["short_code"], &response["has_qr"]), (&json!(code), &json!(1)));
    assert!(!response["message"].as_str().unwrap().is_empty());
    assert_eq!(
        api.qr_list().await.expect(200).json(),
        json!({"data": [
            {"short_code": code, "destination_url": URL, "title": "Poster", "has_qr": 1},
        ]})
    );
}

#[tokio::test]
async fn only_enabled_links_are_listed_newest_link_first() {
    let server = Server::start();
    let api = server.api();
    let first = api.create(URL).await;
    api.create(URL).await;
    let third = api.create(URL).await;
    for code in [&third, &first, &first] {
        api.qr(&json!({"short_code": code})).await.expect(201);
    }
    let other = server.api_of("other", "pro");
    let theirs = other.create(URL).await;
    other.qr(&json!({"short_code": theirs})).await.expect(201);
    let list = api.qr_list().await;
    assert_eq!(list.codes(), [third, first]);
    assert_eq!(list.data()[0]["title"], Value::Null);
}

#[tokio::test]
async fn image_exists_after_the_qr_code_is_enabled() {
    let server = Server::start();
    let code = server.api().create(URL).await;
    for kind in ["svg", "png"] {
        server.anyone().get(&format!("/{code}/qr.{kind}")).await.expect(404);
        server.anyone().get(&format!("/unknown/qr.{kind}")).await.expect(404);
    }
    set_qr_code(&server, &code, &json!({})).await.expect(201);
    png(&server, &code).await;
    svg(&server, &code).await;
    for other in ["qr.gif", "qr", "qr.png/", "QR.png", "qr.svgz"] {
        server.anyone().get(&format!("/{code}/{other}")).await.expect(404);
    }
    assert_eq!(server.api().clicks(&code).await, 0, "an image is no click");
}

#[tokio::test]
async fn image_encodes_the_short_url() {
    let server = Server::start();
    let code = create_with_qr_code(&server, &json!({})).await;
    let reading = read(&png(&server, &code).await.body, BLACK, WHITE);
    assert_eq!(reading.text, format!("{}/{code}", server.base_url()));
    let server = Server::with_base_url("https://go.example.test");
    let code = create_with_qr_code(&server, &json!({})).await;
    let reading = read(&png(&server, &code).await.body, BLACK, WHITE);
    assert_eq!(reading.text, format!("https://go.example.test/{code}"));
}

#[tokio::test]
async fn settings_change_the_image() {
    let server = Server::start();
    for level in ['L', 'M', 'Q', 'H'] {
        let settings = json!({
            "error_correction": level,
            "margin": 1,
            "foreground": "#102030",
            "background": "#FFEEdd",
        });
        let code = create_with_qr_code(&server, &settings).await;
        let colours = [[0x10, 0x20, 0x30], [0xff, 0xee, 0xdd]];
        let reading = read_png(&server, &code, 1, colours).await;
        assert_eq!(reading.level, level);
        let image = svg(&server, &code).await.text().to_ascii_lowercase();
        assert!(image.contains("#102030") && image.contains("#ffeedd"), "{image}");
    }
    for margin in [0, 1, 4, 16] {
        let code = create_with_qr_code(&server, &json!({"margin": margin})).await;
        read_png(&server, &code, margin, [BLACK, WHITE]).await;
    }
}

#[tokio::test]
async fn absent_settings_keep_their_last_value() {
    let server = Server::start();
    let settings = json!({"error_correction": "H", "margin": 2, "foreground": "#800000"});
    let code = create_with_qr_code(&server, &settings).await;
    set_qr_code(&server, &code, &json!({})).await.expect(201);
    let reading = read_png(&server, &code, 2, [RED, WHITE]).await;
    assert_eq!(reading.level, 'H');
    set_qr_code(&server, &code, &json!({"margin": 3})).await.expect(201);
    let reading = read_png(&server, &code, 3, [RED, WHITE]).await;
    assert_eq!(reading.level, 'H');
    let settings = json!({"error_correction": "L", "background": "#ffff80"});
    set_qr_code(&server, &code, &settings).await.expect(201);
    let reading = read_png(&server, &code, 3, [RED, [0xff, 0xff, 0x80]]).await;
    assert_eq!(reading.level, 'L');
}

/// Enabling a QR code and changing its settings are changes of the link, as `PATCH` makes them.
#[tokio::test]
async fn every_change_is_recorded_once_and_can_be_undone() {
    let server = Server::start();
    let (api, code) = (server.api(), server.api().create(URL).await);
    let link = async || api.get(&format!("/api/manage/v1/links/{code}")).await.expect(200).json();
    let events = async || {
        let list = api.get(&format!("/api/manage/v1/links/{code}/events")).await.expect(200).data();
        list.as_array().unwrap().clone()
    };
    let enable = async |key: &str, settings: Value| {
        let ask = api.ask(Method::POST, "/api/v1/qrcodes").header("Idempotency-Key", key);
        let mut body = settings;
        body["short_code"] = json!(code);
        ask.json(&body).send().await.expect(201)
    };
    let new = link().await;
    enable("one", json!({"margin": 2})).await;
    let enabled = link().await;
    let event = events().await.pop().unwrap();
    assert_eq!(
        (&event["action"], &event["actor"]["type"], &event["audit"]["reason"]),
        (&json!("link edit"), &json!("owner_key"), &json!("other"))
    );
    let details = api.get(&format!("/api/manage/v1/events/{}", event["id"])).await.expect(200);
    let changes = json!([{
        "subject": code,
        "before": {"has_qr": false, "qr_margin": 4},
        "after": {"has_qr": true, "qr_margin": 2},
    }]);
    assert_eq!(details.json()["changes"], changes);

    // Neither a repetition nor what changes nothing is another event.
    assert_eq!(enable("one", json!({"margin": 2})).await.header("event-id"), None);
    enable("two", json!({"margin": 2})).await;
    set_qr_code(&server, &code, &json!({})).await.expect(201);
    assert_eq!((events().await.len(), link().await), (1, enabled.clone()));
    // The repetition of what has changed nothing changes nothing either.
    set_qr_code(&server, &code, &json!({"margin": 8})).await.expect(201);
    let again = enable("two", json!({"margin": 2})).await;
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    assert_eq!((events().await.len(), &link().await["qr_margin"]), (2, &json!(8)));

    for (event, former) in events().await.iter().zip([&enabled, &new]) {
        let undone = server.terse(&["undo", &event["id"].to_string(), "--yes", "--json"]).json();
        assert_eq!((&undone["changed"], &undone["skipped"]), (&json!(1), &json!([])));
        assert_eq!(link().await["etag"], former["etag"]);
    }
}

#[tokio::test]
async fn settings_survive_a_restart() {
    let server = Server::start();
    let settings = json!({"error_correction": "Q", "margin": 7, "foreground": "#000080"});
    let code = create_with_qr_code(&server, &settings).await;
    let server = Server::on(&server.terminate().database);
    let reading = read_png(&server, &code, 7, [BLUE, WHITE]).await;
    assert_eq!(reading.level, 'Q');
}

#[tokio::test]
async fn all_invalid_settings_are_reported_together() {
    let server = Server::start();
    let code = server.api().create(URL).await;
    for (field, values) in [
        ("error_correction", json!(["l", "", "X", "LM", 1, ["L"]])),
        ("margin", json!([-1, 17, 1.5, "4", true, 1e9, 99_999_999_999_999_999_u64, [4]])),
        (
            "foreground",
            json!(["", "red", "#fff", "000000", "#00000", "#0000000", "#gggggg", "#00 000", 0]),
        ),
        ("background", json!(["#ffffff ", "#ffffffff", "rgb(0,0,0)", "#ａａａａａａ", {}])),
    ] {
        for value in values.as_array().unwrap() {
            let mut settings = json!({});
            settings[field] = value.clone();
            let pointer = format!("/{field}");
            set_qr_code(&server, &code, &settings).await.invalid(&[&pointer]);
        }
    }
    let body = json!({
        "error_correction": "X",
        "margin": 17,
        "foreground": "red",
        "background": 5,
    });
    let fields = ["/error_correction", "/margin", "/foreground", "/background"];
    set_qr_code(&server, &code, &body).await.invalid(&fields);
    let without_code = [&fields[..], &["/short_code"]].concat();
    server.api().qr(&body).await.invalid(&without_code);
    for code in [json!(5), json!(null), json!([code]), json!({})] {
        let body = json!({"short_code": code});
        server.api().qr(&body).await.invalid(&["/short_code"]);
    }
    server.anyone().get(&format!("/{code}/qr.png")).await.expect(404);
}

#[tokio::test]
async fn unknown_link_has_no_qr_code() {
    let server = Server::start();
    for code in ["unknown", "api", "UNKNOWN", "---", &"x".repeat(64)] {
        let body = json!({"short_code": code, "custom_code": "ignored"});
        let response = server.api().qr(&body).await;
        response.problem(404, "link-not-found");
    }
    for code in ["", "a b", "😀", "../links", "a.b", &"x".repeat(5_000)] {
        let response = server.api().qr(&json!({"short_code": code})).await;
        if response.status == 422 {
            response.invalid(&["/short_code"]);
        } else {
            response.problem(404, "link-not-found");
        }
    }
}

#[tokio::test]
async fn similar_colours_are_rejected_without_change() {
    let server = Server::start();
    let code = server.api().create(URL).await;
    for (foreground, background) in [
        ("#777777", "#777777"),
        ("#000000", "#000000"),
        ("#ffffff", "#fefefe"),
        ("#ff0000", "#fe0101"),
    ] {
        let settings = json!({"foreground": foreground, "background": background, "margin": 9});
        let refused = set_qr_code(&server, &code, &settings).await;
        refused.problem(409, "qr-colours-too-close");
    }
    server.anyone().get(&format!("/{code}/qr.png")).await.expect(404);
    assert_eq!(server.api().qr_list().await.data(), json!([]));

    let stored = json!({"foreground": "#000080", "margin": 1});
    set_qr_code(&server, &code, &stored).await.expect(201);
    let with_stored = json!({"background": "#000080", "margin": 9});
    let refused = set_qr_code(&server, &code, &with_stored).await;
    refused.problem(409, "qr-colours-too-close");
    let with_default = set_qr_code(&server, &code, &json!({"foreground": "#ffffff"})).await;
    with_default.problem(409, "qr-colours-too-close");
    read_png(&server, &code, 1, [BLUE, WHITE]).await;
}

#[tokio::test]
async fn matching_etag_of_an_image_returns_304() {
    let server = Server::start();
    let code = create_with_qr_code(&server, &json!({})).await;
    for kind in ["svg", "png"] {
        let path = format!("/{code}/qr.{kind}");
        let image = server.anyone().get(&path).await.expect(200);
        let tag = image.header("etag").expect("an ETag").to_owned();
        let again = server.anyone().get(&path).await.expect(200);
        assert_eq!((again.header("etag"), &again.body), (Some(tag.as_str()), &image.body));
        let with = |tags: String| {
            let ask = server.anyone().ask(Method::GET, &path);
            ask.header("If-None-Match", &tags).send()
        };
        for known in [
            tag.clone(),
            "*".to_owned(),
            format!("\"other\", {tag}"),
            format!("W/{}", tag.trim_start_matches("W/")),
        ] {
            let response = with(known).await.expect(304);
            assert_eq!(response.header("etag"), Some(tag.as_str()));
            assert_eq!(response.body, b"");
        }
        with("\"other\"".to_owned()).await.expect(200);
        with("nonsense".to_owned()).await.expect(200);
        let head = server.anyone().head(&path).await.expect(200);
        assert_eq!(head.header("etag"), Some(tag.as_str()));
        assert_eq!(head.header("content-type"), image.header("content-type"));
        assert_eq!(head.body, b"");
    }
}

#[tokio::test]
async fn changed_image_has_another_etag() {
    let server = Server::start();
    let code = create_with_qr_code(&server, &json!({})).await;
    let mut tags = BTreeSet::new();
    for settings in [
        json!({}),
        json!({"margin": 8}),
        json!({"error_correction": "H"}),
        json!({"foreground": "#101010"}),
    ] {
        set_qr_code(&server, &code, &settings).await.expect(201);
        for image in [png(&server, &code).await, svg(&server, &code).await] {
            let tag = image.header("etag").expect("an ETag").to_owned();
            assert!(tags.insert(tag), "{settings}");
        }
    }
}

#[tokio::test]
async fn image_size_is_a_query_parameter() {
    let server = Server::start();
    let code = create_with_qr_code(&server, &json!({})).await;
    let mut widths = Vec::new();
    for size in [200, 400, 800] {
        let path = format!("/{code}/qr.png?size={size}");
        let image = server.anyone().get(&path).await.expect(200);
        let reading = read(&image.body, BLACK, WHITE);
        assert_eq!(reading.text, format!("{}/{code}", server.base_url()));
        assert!(reading.width <= size, "{size} was asked for: {reading:?}");
        widths.push(reading.width);
        let path = format!("/{code}/qr.svg?size={size}");
        server.anyone().get(&path).await.expect(200);
    }
    assert!(widths.is_sorted_by(|small, large| small < large), "{widths:?}");
}

#[tokio::test]
async fn image_size_out_of_bounds_is_rejected() {
    let server = Server::start();
    let code = create_with_qr_code(&server, &json!({})).await;
    for size in ["0", "-1", "abc", "", "1e9", "99999999", "99999999999999999999999", "1.5", "%ff"] {
        for kind in ["svg", "png"] {
            let path = format!("/{code}/qr.{kind}?size={size}");
            let response = server.anyone().get(&path).await;
            assert_eq!(response.status, 400, "{path}: {:?}", response.headers);
        }
    }
}

#[tokio::test]
async fn duplicate_size_parameter_is_rejected() {
    let server = Server::start();
    let code = create_with_qr_code(&server, &json!({})).await;
    for query in
        ["size=400&size=800", "size=400&size=400", "size=400&x&%73ize=400", "size=400&size"]
    {
        for kind in ["svg", "png"] {
            server.anyone().get(&format!("/{code}/qr.{kind}?{query}")).await.expect(400);
        }
    }
    server.anyone().get(&format!("/{code}/qr.png?x=1&x=2&size=400")).await.expect(200);
}

#[tokio::test]
async fn image_of_a_disabled_link_is_gone_within_a_second() {
    let server = Server::start();
    let code = create_with_qr_code(&server, &json!({})).await;
    for kind in ["svg", "png"] {
        let path = format!("/{code}/qr.{kind}");
        let anyone = server.anyone();
        anyone.get(&path).await.expect(200);
        server.terse(&["link", "disable", &code]).done();
        assert_within_a_second("the image is gone", async || anyone.get(&path).await.status == 410)
            .await;
        anyone.head(&path).await.expect(410);
        server.terse(&["link", "enable", &code]).done();
        assert_within_a_second("the image is back", async || anyone.get(&path).await.status == 200)
            .await;
    }
}

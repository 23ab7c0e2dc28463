//! GET and HEAD of short URLs.

use std::sync::Arc;

use reqwest::Method;
use serde_json::json;

use crate::harness::{Api, Database, Response, Server, assert_within_a_second, field};

const URL: &str = "https://example.com/landing?a=1";

/// User agents of link previews, whose requests are not clicks.
const PREVIEWS: [&str; 24] = [
    "XenForo/2.x (https://forum.example)",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_10_5) AppleWebKit/537.36 (KHTML, like Gecko) \
     Chrome/51.0.2704.84 Safari/537.36 Rocket.Chat/7.10.0",
    "Nextcloud Server Crawler",
    "Nextcloud-Server-Crawler/34.0.1",
    "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
    "Slack-ImgProxy (+https://api.slack.com/robots)",
    "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
    "facebookexternalhit/1.1",
    "Twitterbot/1.0",
    "TelegramBot (like TwitterBot)",
    "Mastodon/4.3.0 (http.rb/5.2.0; +https://mastodon.social/)",
    "http.rb/5.1.1 (Mastodon/4.2.10; +https://mastodon.example/) Bot",
    "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)",
    "LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)",
    "WhatsApp/2.23.20.0",
    "Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) \
     Version/9.0.1 Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0",
    "SLACKBOT-LINKEXPANDING 1.0 (+https://api.slack.com/robots)",
    "Mozilla/5.0 (compatible; ZulipURLPreview/9.0; +https://zulip.example)",
    "Akkoma 3.13.2; https://social.example <admin@social.example>",
    "Discourse Forum Onebox v3.3.0",
    "Mozilla/5.0 (compatible; Yahoo Link Preview; https://help.yahoo.com/kb/mail/SLN23615.html)",
    "Mozilla/5.0 (Windows NT 6.1; WOW64) AppleWebKit/534+ (KHTML, like Gecko) BingPreview/1.0b",
    "Sharkey/2024.8.1 (https://social.example)",
];

/// User agents of robots, whose requests are clicks only with `--count-robots`.
const ROBOTS: [&str; 10] = [
    "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
    "Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)",
    "Mozilla/5.0 (compatible; YandexBot/3.0; +http://yandex.com/bots)",
    "Mozilla/5.0 (compatible; AhrefsBot/7.0; +http://ahrefs.com/robot/)",
    "Mozilla/5.0+(compatible; UptimeRobot/2.0; http://www.uptimerobot.com/)",
    "Pingdom.com_bot_version_1.4_(http://www.pingdom.com/)",
    "W3C-checklink/5.0.0 libwww-perl/6.67",
    "Mozilla/5.0 (compatible; LinkChecker/10.4; +https://linkchecker.github.io/linkchecker/)",
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/120.0 Safari/537.36",
];

/// User agents whose requests are clicks.
const VISITORS: [&str; 38] = [
    "curl/8.5.0",
    "",
    "Wget/1.21",
    "python-requests/2.32",
    "Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0",
    "Wget/1.21.3 (linux-gnu)",
    "Go-http-client/1.1",
    "Java/17.0.9",
    "okhttp/4.12.0",
    "axios/1.7.2",
    "node-fetch",
    "python-httpx/0.27.0",
    "Mozilla/5.0 (Linux; Android 10; CUBOT_X30) AppleWebKit/537.36 (KHTML, like Gecko) \
     Chrome/120.0.0.0 Mobile Safari/537.36",
    "Mozilla/5.0 (Linux; Android 9; CUBOT P30 Build/PPR1) AppleWebKit/537.36 Chrome/96.0 Mobile \
     Safari/537.36",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) \
     Chrome/130.0.0.0 Safari/537.36",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) \
     Chrome/130.0.0.0 Safari/537.36 Edg/130.0.0.0",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) \
     Version/18.0 Safari/605.1.15",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like \
     Gecko) CriOS/130.0 Mobile/15E148 Safari/604.1",
    "Mozilla/5.0 (iPad; CPU OS 17_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) \
     Version/17.6 Mobile/15E148 Safari/604.1",
    "Mozilla/5.0 (Linux; Android 14; SM-S921B) AppleWebKit/537.36 (KHTML, like Gecko) \
     SamsungBrowser/26.0 Chrome/122.0.0.0 Mobile Safari/537.36",
    "Mozilla/5.0 (Android 14; Mobile; rv:131.0) Gecko/131.0 Firefox/131.0",
    "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 Chrome/130.0 Safari/537.36",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/129.0 Safari/537.36 \
     OPR/115.0.0.0",
    "Mozilla/5.0 (Linux; Android 11; KFTRWI) AppleWebKit/537.36 Silk/130.1 like Chrome/130.0 \
     Safari/537.36",
    "Mozilla/5.0 (Windows NT 6.1; WOW64; Trident/7.0; rv:11.0) like Gecko",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.0 \
     Safari/605.1.15 Epiphany/605.1.15",
    "Mozilla/5.0 (Linux; U; Android 12; zh-cn) AppleWebKit/537.36 Chrome/100.0 Quark/6.5 Mobile \
     Safari/537.36",
    "Mozilla/5.0 (Linux; Android 13; wv) AppleWebKit/537.36 Version/4.0 Chrome/130.0 Mobile \
     Safari/537.36 Instagram 350.0.0.0 Android",
    "Mozilla/5.0 (Linux; Android 13; wv) AppleWebKit/537.36 Chrome/130.0 Mobile Safari/537.36 \
     musical_ly_2023 BytedanceWebview/d8a21c6",
    "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 coc_coc_browser/120.0 Chrome/114.0 Safari/537.36",
    "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/49.0 Safari/537.36 SE 2.X MetaSr 1.0",
    "Mozilla/5.0 (PlayStation 5/SmartTV) AppleWebKit/605.1.15 (KHTML, like Gecko)",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like \
     Gecko) Mobile/15E148 [FBAN/FBIOS;FBAV/440.0.0.1;FBDV/iPhone14,5;FBLC/en_US]",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like \
     Gecko) Mobile/15E148 Twitter for iPhone/10.1",
    "Mozilla/5.0 (Macintosh) AppleWebKit/537.36 Chrome/120.0 Electron/27.1 Safari/537.36 \
     Slack_SSB/4.36.134",
    "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/120.0 Mobile Safari/537.36 \
     LinkedInApp/9.29",
    "x",
    "bot",
];

async fn create_link(server: &Server) -> String {
    server.api().create(URL).await
}

fn assert_redirect(response: Response) -> Response {
    let response = response.expect(302);
    assert_eq!(response.header("location"), Some(URL));
    assert_eq!(response.header("cache-control"), Some("private, no-store"));
    response
}

fn assert_small_page(response: &Response) {
    assert_eq!(response.media_type(), "text/html", "{response:#?}");
    let cached = response.header("cache-control").unwrap_or_default();
    assert!(cached.contains("no-store"), "{response:#?}");
    let robots = response.header("x-robots-tag").unwrap_or_default();
    assert!(robots.contains("noindex") || response.text().contains("noindex"), "{response:#?}");
    assert!(response.text().contains("<html"), "{response:#?}");
}

#[tokio::test]
async fn get_redirects_and_counts_one_click() {
    let server = Server::start();
    let code = create_link(&server).await;
    for clicks in 1..=20 {
        assert_redirect(server.anyone().get(&format!("/{code}")).await);
        assert_eq!(server.api().clicks(&code).await, clicks);
    }
    assert_eq!(server.api().links().await.data()[0]["clicks"], 20);
}

#[tokio::test]
async fn clicks_are_counted_per_link() {
    let server = Server::start();
    let (first, second) = (create_link(&server).await, create_link(&server).await);
    for code in [&first, &second, &first] {
        assert_redirect(server.anyone().get(&format!("/{code}")).await);
    }
    assert_eq!(server.api().clicks(&first).await, 2);
    assert_eq!(server.api().clicks(&second).await, 1);
}

#[tokio::test]
async fn head_returns_the_same_headers_and_counts_no_click() {
    let server = Server::start();
    let code = create_link(&server).await;
    let path = format!("/{code}");
    let head = assert_redirect(server.anyone().head(&path).await);
    assert_eq!(head.body, b"");
    assert_eq!(server.api().clicks(&code).await, 0);
    let get = assert_redirect(server.anyone().get(&path).await);
    let fields = |response: &Response| {
        let mut names: Vec<String> = response.headers.keys().map(ToString::to_string).collect();
        names.retain(|name| name != "content-length");
        names.sort();
        names
    };
    assert_eq!(fields(&head), fields(&get));
}

async fn clicks_after(server: &Server, code: &str, header: (&str, &str)) -> u64 {
    let before = server.api().clicks(code).await;
    let ask = server.anyone().ask(Method::GET, &format!("/{code}"));
    assert_redirect(ask.header(header.0, header.1).send().await);
    server.api().clicks(code).await - before
}

#[tokio::test]
async fn prefetch_counts_no_click() {
    let server = Server::start();
    let code = create_link(&server).await;
    for header in [
        ("Sec-Purpose", "prefetch;prerender"),
        ("Sec-Purpose", "prefetch;anonymous-client-ip"),
        ("Sec-Purpose", "prefetch; prerender"),
    ] {
        assert_eq!(clicks_after(&server, &code, header).await, 0, "{header:?}");
    }
    for name in ["Sec-Purpose", "Purpose", "X-Purpose", "X-Moz"] {
        for purpose in ["prefetch", "prerender", "preview", "instant"] {
            assert_eq!(clicks_after(&server, &code, (name, purpose)).await, 0, "{name}: {purpose}");
        }
    }
    for header in [
        ("Sec-Purpose", ""),
        ("Sec-Purpose", "something-else"),
        ("Purpose", "navigation"),
        ("Sec-Fetch-Mode", "navigate"),
        ("Referer", "https://example.com/prefetch"),
    ] {
        assert_eq!(clicks_after(&server, &code, header).await, 1, "{header:?}");
    }
}

#[tokio::test]
async fn link_preview_counts_no_click() {
    let server = Server::start();
    let code = create_link(&server).await;
    for agent in PREVIEWS {
        let clicks = clicks_after(&server, &code, ("User-Agent", agent)).await;
        assert_eq!(clicks, 0, "{agent}");
    }
}

#[tokio::test]
async fn robots_count_only_if_the_operator_wants_it() {
    let database = Arc::new(Database::new().with_default_owner());
    let counting = [Server::on(&database), Server::with(&database, &["--count-robots"])];
    let code = create_link(&counting[0]).await;
    for (server, expected) in counting.iter().zip([0, 1]) {
        for agent in ROBOTS {
            let clicks = clicks_after(server, &code, ("User-Agent", agent)).await;
            assert_eq!(clicks, expected, "{agent}");
        }
        let clicks = clicks_after(server, &code, ("User-Agent", PREVIEWS[0])).await;
        assert_eq!(clicks, 0, "a preview never counts");
    }
}

#[tokio::test]
async fn other_user_agents_count_as_clicks() {
    let server = Server::start();
    let code = create_link(&server).await;
    for agent in VISITORS {
        let clicks = clicks_after(&server, &code, ("User-Agent", agent)).await;
        assert_eq!(clicks, 1, "{agent}");
    }
    let before = server.api().clicks(&code).await;
    let target = format!("/{code}");
    let mut connection = server.connect();
    let without = connection.exchange("GET", target.as_bytes(), &[], b"");
    assert_redirect(without.unwrap());
    let unreadable = [field("User-Agent", "").into_iter().chain([0xff, 0xfe]).collect()];
    let response = connection.exchange("GET", target.as_bytes(), &unreadable, b"");
    assert_redirect(response.unwrap());
    assert_eq!(server.api().clicks(&code).await, before + 2);
}

#[tokio::test]
async fn location_ignores_the_request() {
    let server = Server::start();
    let code = create_link(&server).await;
    for query in ["?", "?a=2", "?url=https://evil.example/", "?utm_source=x&%ff", "?code=other"] {
        assert_redirect(server.anyone().get(&format!("/{code}{query}")).await);
    }
    for (name, value) in [
        ("X-Forwarded-Host", "evil.example"),
        ("X-Forwarded-Proto", "https"),
        ("Forwarded", "host=evil.example"),
        ("Accept-Language", "de"),
        ("Accept", "application/json"),
        ("If-None-Match", "*"),
        ("If-Modified-Since", "Tue, 01 Jan 2030 00:00:00 GMT"),
        ("Range", "bytes=0-1"),
        ("X-HTTP-Method-Override", "DELETE"),
    ] {
        let ask = server.anyone().ask(Method::GET, &format!("/{code}"));
        assert_redirect(ask.header(name, value).send().await);
    }
    assert_eq!(server.api().clicks(&code).await, 14);
}

#[tokio::test]
async fn redirect_ignores_the_host_header() {
    let server = Server::start();
    let code = create_link(&server).await;
    let ask = server.anyone().ask(Method::GET, &format!("/{code}"));
    assert_redirect(ask.header("Host", "other.example").send().await);
    let ask = server.api().ask(Method::POST, "/api/v1/shorten");
    let ask = ask.header("Host", "evil.example").json(&json!({"url": URL}));
    let short_url = ask.send().await.expect(201).json()["short_url"].clone();
    let short_url = short_url.as_str().unwrap();
    assert!(short_url.starts_with(server.base_url()), "{short_url}");
}

#[tokio::test]
async fn codes_are_case_sensitive() {
    let server = Server::start();
    let api = server.api();
    for (code, url) in [("Case", "https://example.com/1"), ("case", "https://example.com/2")] {
        api.create_from(&json!({"url": url, "custom_code": code})).await;
        let response = server.anyone().get(&format!("/{code}")).await;
        assert_eq!(response.expect(302).header("location"), Some(url));
    }
    server.anyone().get("/CASE").await.expect(404);
}

#[tokio::test]
async fn unknown_code_returns_a_small_page() {
    let server = Server::start();
    let long = format!("/{}", "x".repeat(3_000));
    for path in [
        "/unknown",
        "/abcdefg",
        "/a",
        "/a.b",
        "/%20",
        "/%ff",
        "/%00",
        "/%F0%9F%98%80",
        "/a%2Fb",
        "/<script>alert(1)<%2Fscript>",
        &long,
    ] {
        let page = server.anyone().get(path).await.expect(404);
        assert_small_page(&page);
        assert!(!page.text().contains("<script>alert"), "{path}");
        server.anyone().head(path).await.expect(404);
    }
}

#[tokio::test]
async fn code_redirects_after_it_returned_404() {
    let server = Server::start();
    server.anyone().get("/soon").await.expect(404);
    let body = json!({"url": URL, "custom_code": "soon"});
    server.api().create_from(&body).await;
    assert_redirect(server.anyone().get("/soon").await);
}

async fn status(api: &Api, path: &str) -> u16 {
    api.get(path).await.status
}

#[tokio::test]
async fn disabling_and_enabling_a_link_takes_effect_within_a_second() {
    let server = Server::start();
    let code = create_link(&server).await;
    let (path, anyone) = (format!("/{code}"), server.anyone());
    assert_redirect(anyone.get(&path).await);
    server.terse(&["link", "disable", &code]).done();
    assert_within_a_second("the link is gone", async || status(&anyone, &path).await == 410).await;
    let counted = server.api().clicks(&code).await;
    let page = anyone.get(&path).await.expect(410);
    assert_small_page(&page);
    assert!(!page.text().contains("example.com/landing"), "it does not name the destination");
    anyone.head(&path).await.expect(410);
    let stats = server.api().stats(&code).await.expect(200).data();
    assert_eq!(stats["is_active"], 0);
    assert_eq!(stats["clicks"], counted, "a 410 is no click");
    server.terse(&["link", "enable", &code]).done();
    assert_within_a_second("the link is back", async || status(&anyone, &path).await == 302).await;
    assert_eq!(server.api().stats(&code).await.data()["is_active"], 1);
}

#[tokio::test]
async fn short_url_rejects_other_methods() {
    let server = Server::start();
    let code = create_link(&server).await;
    for method in [Method::POST, Method::PUT, Method::DELETE, Method::PATCH] {
        let response = server.anyone().ask(method, &format!("/{code}")).send().await;
        assert_eq!(response.status, 405, "{response:#?}");
    }
    assert_eq!(server.api().clicks(&code).await, 0);
}

#[tokio::test]
async fn path_below_a_short_url_returns_404() {
    let server = Server::start();
    let code = create_link(&server).await;
    for path in [format!("/{code}/x"), format!("/x/{code}"), format!("/{code}/qr.svg/x")] {
        assert_eq!(server.anyone().get(&path).await.status, 404, "{path}");
    }
    assert_eq!(server.api().clicks(&code).await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_clicks_are_all_counted() {
    let server = Server::start();
    let code = create_link(&server).await;
    let path = format!("/{code}");
    let mut visitors = tokio::task::JoinSet::new();
    for _ in 0..32 {
        let (anyone, path) = (server.anyone(), path.clone());
        visitors.spawn(async move {
            for _ in 0..25 {
                anyone.get(&path).await.expect(302);
            }
        });
    }
    while let Some(visitor) = visitors.join_next().await {
        visitor.unwrap();
    }
    assert_eq!(server.api().clicks(&code).await, 800);
}

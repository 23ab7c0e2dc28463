//! Requests for a link that do not count as clicks.

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use poem::http::{HeaderMap, header};

/// Parts of the `User-Agent` of programs that fetch links for previews, from the documentation of
/// these programs.
const PREVIEW_AGENTS: &[&str] = &[
    "bluesky cardyb",
    "cardyb/",
    "discordbot",
    "embedly",
    "facebookexternalhit",
    "facebot",
    "friendica",
    "google-pagerenderer",
    "googlemessages",
    "iframely",
    "kakaotalk-scrap",
    "lemmy/",
    "line-poker",
    "linkedinbot",
    "mastodon/",
    "mattermost-bot",
    "meta-externalfetcher",
    "misskey/",
    "pinterest.com/bot",
    "pinterestbot",
    "pleroma",
    "redditbot",
    "skypeuripreview",
    "slack-imgproxy",
    "slackbot",
    "snap url preview",
    "summalybot",
    "synapse (bot",
    "teamsbot",
    "telegrambot",
    "twitterbot",
    "vkshare",
    "whatsapp",
    "xing-contenttabreceiver",
    "zoombot",
];

static PREVIEWS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    AhoCorasick::builder().ascii_case_insensitive(true).build(PREVIEW_AGENTS).ok()
});

/// Returns whether a GET request for a link is a click. A prefetch
/// ([Sec-Purpose](https://fetch.spec.whatwg.org/#sec-purpose-header), or the older `Purpose`) and a
/// request for a link preview are not.
pub(super) fn is_click(headers: &HeaderMap) -> bool {
    !is_prefetch(headers) && !is_preview(headers)
}

fn is_prefetch(headers: &HeaderMap) -> bool {
    ["sec-purpose", "purpose"].into_iter().flat_map(|name| headers.get_all(name)).any(|value| {
        // The header is a structured field with parameters, such as `prefetch;prerender`.
        let mut items = value.as_bytes().split(|byte| matches!(byte, b';' | b','));
        items.any(|item| item.trim_ascii().eq_ignore_ascii_case(b"prefetch"))
    })
}

fn is_preview(headers: &HeaderMap) -> bool {
    headers
        .get(header::USER_AGENT)
        .zip(PREVIEWS.as_ref())
        .is_some_and(|(agent, previews)| previews.is_match(agent.as_bytes()))
}

#[cfg(test)]
mod tests {
    use poem::http::HeaderValue;

    use super::*;

    fn is_counted(name: &'static str, value: &'static str) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(name, HeaderValue::from_static(value));
        is_click(&headers)
    }

    #[test]
    fn browsers_and_programs_are_clicks() {
        for agent in [
            "curl/8.5.0",
            "Mozilla/5.0 (X11; Linux x86_64; rv:135.0) Gecko/20100101 Firefox/135.0",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 [FBAN/FBIOS]",
            "python-requests/2.32.0",
            "Googlebot/2.1 (+http://www.google.com/bot.html)",
        ] {
            assert!(is_counted("user-agent", agent), "{agent}");
        }
        assert!(is_click(&HeaderMap::new()));
        assert!(is_counted("purpose", "something"));
    }

    #[test]
    fn previews_and_prefetches_are_not_clicks() {
        for agent in [
            "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)",
            "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)",
            "Twitterbot/1.0",
            "TelegramBot (like TwitterBot)",
            "Mastodon/4.3.0 (http.rb/5.2.0; +https://mastodon.example/) Bot",
            "WhatsApp/2.23.20.0",
            "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)",
            "LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)",
        ] {
            assert!(!is_counted("user-agent", agent), "{agent}");
        }
        assert!(!is_counted("sec-purpose", "prefetch;prerender"));
        assert!(!is_counted("sec-purpose", "prefetch"));
        assert!(!is_counted("purpose", "Prefetch"));
    }
}

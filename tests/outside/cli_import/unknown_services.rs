//! Made-up files of services that Terse does not know. The names of their columns come from public
//! documentation and code of URL shorteners, and some from nowhere.

use std::collections::HashMap;

use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Map, Value, json};

use super::{database, exported, file};

const FILES: usize = 200;
const CODES: [&str; 31] = [
    "code",
    "short_id",
    "slug",
    "short_code",
    "customShortcode",
    "CustomizeUrl",
    "RowKey",
    "ShortCode",
    "short",
    "urlID",
    "alias",
    "Slashtag",
    "Back-half",
    "Short URL Path",
    "shortPath",
    "vanity",
    "ending",
    "keyword",
    "key",
    "tail",
    "handle",
    "Kürzel",
    "Kurzname",
    "Kurzlink",
    "mnemonic",
    "短縮",
    "peg",
    "customSlug",
    "short_url",
    "shortUrl",
    "Short Link",
];
const DESTINATIONS: [&str; 18] = [
    "url",
    "destination",
    "destination_url",
    "original_url",
    "OriginalUrl",
    "EndpointUrl",
    "fullUrl",
    "long_url",
    "Long URL",
    "Destination URL",
    "target_url",
    "originUrl",
    "redirect_to",
    "goes_to",
    "Ziel",
    "target",
    "longUrl",
    "original",
];
/// Names that occur together.
const PAIRS: [(&str, &str); 6] = [
    ("keyword", "url"),
    ("slug", "url"),
    ("short_code", "destination_url"),
    ("shortUrl", "longUrl"),
    ("Slashtag", "Destination URL"),
    ("alias", "long_url"),
];
/// Columns that close a link: name, and values of an open and a closed link.
const RESTRICTIONS: [(&str, &str, &str); 34] = [
    ("password", "", "s3cret"),
    ("passwords", "", "x"),
    ("has_password", "false", "true"),
    ("isPasswordProtected", "false", "true"),
    ("expires_at", "", "2020-01-01T00:00:00Z"),
    ("expired_at", "", "2020-01-01T00:00:00Z"),
    ("ExpiresOn", "", "2020-01-01"),
    ("expiryDate", "", "2020-01-01 10:00:00"),
    ("ExpireDate", "", "1577836800"),
    ("expire_at_datetime", "", "2020-01-01T00:00:00Z"),
    ("expire_at_views", "", "1"),
    ("validityMinutes", "", "30"),
    ("delete_after", "", "2020-01-01"),
    ("IsActive", "true", "false"),
    ("enabled", "1", "0"),
    ("is_disabled", "0", "1"),
    ("deletedAt", "", "2020-01-01T00:00:00Z"),
    ("status", "active", "paused"),
    ("state", "live", "trashed"),
    ("max_clicks", "", "1"),
    ("Click Cap", "", "1"),
    ("clicksLimit", "0", "10"),
    ("UniqueAccess", "false", "true"),
    ("one_time", "no", "yes"),
    ("starts_at", "", "2999-01-01T00:00:00Z"),
    ("activation_date", "", "2999-01-01"),
    ("archived", "false", "true"),
    ("visibility", "public", "private"),
    ("Sperrvermerk", "", "gesperrt"),
    ("gueltig_bis", "", "2020-01-01"),
    ("retired", "false", "true"),
    ("kill", "0", "1"),
    ("embargo", "", "2999-01-01"),
    ("phase", "run", "halt"),
];
const OTHERS: [(&str, &str); 9] = [
    ("notes", "a few words"),
    ("createdAt", "2024-05-06T07:08:09Z"),
    ("clicks", "5"),
    ("owner", "me@example.com"),
    ("updated_at", "2024-05-06T07:08:09Z"),
    ("title", "A title"),
    ("tags", "sale"),
    ("ip", "192.0.2.1"),
    ("Bemerkung", "ein paar Worte"),
];

/// What a service did for a code.
struct Truth {
    destination: String,
    is_closed: bool,
}

/// Makes up a file. Adds what is true of its links.
fn made_up(rng: &mut StdRng, number: usize, truth: &mut HashMap<String, Truth>) -> String {
    let (code_name, destination_name) = if number.is_multiple_of(4) {
        *PAIRS.choose(rng).unwrap()
    } else {
        (*CODES.choose(rng).unwrap(), *DESTINATIONS.choose(rng).unwrap())
    };
    let restrictions: Vec<_> = RESTRICTIONS.sample(rng, number % 3).copied().collect();
    let others: Vec<_> = OTHERS.sample(rng, number % 4).copied().collect();
    let rows: Vec<Vec<(&str, String)>> = (0..4)
        .map(|row| {
            let code = format!("f{number}r{row}");
            let destination = format!("https://example.com/{number}/{row}");
            let closed = (row > 0 && !restrictions.is_empty())
                .then(|| rng.random_range(0..restrictions.len()));
            let is_closed = closed.is_some();
            truth.insert(code.clone(), Truth { destination: destination.clone(), is_closed });
            let is_url = rng.random_bool(0.5)
                && ["short", "kurzlink"].iter().any(|part| code_name.to_lowercase().contains(part));
            let code = if is_url && row < 9 { format!("https://go.example/{code}") } else { code };
            let restricted = restrictions.iter().enumerate().map(|(index, (name, open, shut))| {
                (*name, (if closed == Some(index) { *shut } else { *open }).to_owned())
            });
            let others = others.iter().map(|(name, value)| (*name, (*value).to_owned()));
            [(code_name, code), (destination_name, destination)]
                .into_iter()
                .chain(restricted)
                .chain(others)
                .collect()
        })
        .collect();
    if number.is_multiple_of(2) {
        let header: Vec<&str> = rows[0].iter().map(|(name, _)| *name).collect();
        let line = |row: &Vec<(&str, String)>| {
            row.iter().map(|(_, value)| value.as_str()).collect::<Vec<_>>().join(",")
        };
        let lines: Vec<String> = rows.iter().map(line).collect();
        return format!("{}\n{}\n", header.join(","), lines.join("\n"));
    }
    let object = |row: &Vec<(&str, String)>| {
        let mut object = Map::new();
        for (name, value) in row {
            let value = match value.as_str() {
                "" => Value::Null,
                "true" => json!(true),
                "false" => json!(false),
                text => json!(text),
            };
            // Some services put restrictions into an object.
            if number.is_multiple_of(5) && RESTRICTIONS.iter().any(|(known, ..)| known == name) {
                let settings = object.entry("settings").or_insert_with(|| json!({}));
                settings[*name] = value;
            } else {
                object.insert((*name).to_owned(), value);
            }
        }
        Value::Object(object)
    };
    json!({"items": rows.iter().map(object).collect::<Vec<_>>()}).to_string()
}

/// No file changes a code or opens a closed link, and no row is lost without a word.
#[test]
fn made_up_files_change_no_code_and_open_no_closed_link() {
    let mut rng = StdRng::seed_from_u64(47);
    let database = database();
    let (mut truth, mut accepted) = (HashMap::new(), 0);
    for number in 0..FILES {
        let content = made_up(&mut rng, number, &mut truth);
        file(&database, "in", &content);
        let outcome = database.terse(&["import", "in", "--owner", "me"]);
        if outcome.code == Some(0) {
            accepted += 1;
            let links = exported(&database);
            let is_there = |row: &usize| {
                let code = format!("f{number}r{row}");
                links.iter().any(|link| link["short_code"] == code.as_str())
            };
            assert!((0..4).all(|row| is_there(&row)), "{content}\n{outcome:?}");
        } else {
            assert_eq!(outcome.code, Some(1), "{content}\n{outcome:?}");
        }
    }
    assert!(accepted >= 5, "{accepted} files are accepted");
    let now = "2026";
    for link in exported(&database) {
        let code = link["short_code"].as_str().unwrap();
        let Truth { destination, is_closed } =
            truth.get(code).unwrap_or_else(|| panic!("a code that no file has: {link}"));
        assert_eq!(link["destination_url"], destination.as_str());
        let expiry = link["expires_at"].as_str();
        let is_open = link["is_active"] == 1 && expiry.is_none_or(|expiry| expiry > now);
        assert!(!is_closed || !is_open, "a closed link is open: {link}");
    }
}

//! Made-up files of services that Terse does not know. The names of their columns come from public
//! documentation and code of URL shorteners, and some from nowhere.

use std::collections::HashMap;

use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::{Map, Value, json};

use super::{database, exported, file};

mod names;

const FILES: usize = 200;
const ROWS: usize = 4;

/// What columns may be called, and what is in them.
pub struct Names {
    /// Columns with codes, and what precedes the code in them.
    codes: &'static [(&'static str, &'static str)],
    destinations: &'static [&'static str],
    /// Columns that occur together: codes, what precedes them, and destinations.
    pairs: &'static [(&'static str, &'static str, &'static str)],
    /// Columns that close a link: name, and values of an open and a closed link.
    restrictions: &'static [(&'static str, &'static str, &'static str)],
    others: &'static [(&'static str, &'static str)],
}

/// What a service did for a code.
struct Truth {
    destination: String,
    is_closed: bool,
}

/// A value of a row: the name of its column, the value, and whether it may close the link.
type Field = (&'static str, String, bool);

/// Makes up a file. Adds what is true of its links.
fn made_up(
    names: &Names,
    rng: &mut StdRng,
    number: usize,
    truth: &mut HashMap<String, Truth>,
) -> String {
    let (code_name, prefix, destination_name) = if !number.is_multiple_of(4) {
        *names.pairs.choose(rng).unwrap()
    } else {
        let (code, prefix) = *names.codes.choose(rng).unwrap();
        (code, prefix, *names.destinations.choose(rng).unwrap())
    };
    let restrictions: Vec<_> = names.restrictions.sample(rng, number % 3).copied().collect();
    let others: Vec<_> = names.others.sample(rng, number % 4).copied().collect();
    let rows: Vec<Vec<Field>> = (0..ROWS)
        .map(|row| {
            let code = format!("f{number}r{row}");
            let destination = format!("https://example.com/{number}/{row}");
            let closed = (row > 0 && !restrictions.is_empty())
                .then(|| rng.random_range(0..restrictions.len()));
            let is_closed = closed.is_some();
            truth.insert(code.clone(), Truth { destination: destination.clone(), is_closed });
            let restricted = restrictions.iter().enumerate().map(|(index, (name, open, shut))| {
                (*name, (if closed == Some(index) { *shut } else { *open }).to_owned(), true)
            });
            let others = others.iter().map(|(name, value)| (*name, (*value).to_owned(), false));
            [(code_name, format!("{prefix}{code}"), false), (destination_name, destination, false)]
                .into_iter()
                .chain(restricted)
                .chain(others)
                .collect()
        })
        .collect();
    match number % 6 {
        0 | 2 => table(&rows, ","),
        4 => table(&rows, [";", "\t"].choose(rng).unwrap()),
        1 => {
            let objects: Vec<_> = rows.iter().map(|row| object(row, false).to_string()).collect();
            objects.join("\n")
        }
        // Some services put restrictions into an object.
        other => {
            let objects: Vec<_> = rows.iter().map(|row| object(row, other == 5)).collect();
            json!({"items": objects}).to_string()
        }
    }
}

fn table(rows: &[Vec<Field>], separator: &str) -> String {
    let header: Vec<&str> = rows[0].iter().map(|(name, ..)| *name).collect();
    let lines = rows.iter().map(|row| {
        row.iter().map(|(_, value, _)| value.as_str()).collect::<Vec<_>>().join(separator)
    });
    let lines: Vec<String> = lines.collect();
    format!("{}\n{}\n", header.join(separator), lines.join("\n"))
}

fn object(row: &[Field], nest: bool) -> Value {
    let mut object = Map::new();
    for (name, value, restricts) in row {
        let value = match value.as_str() {
            "" => Value::Null,
            "true" => json!(true),
            "false" => json!(false),
            text => json!(text),
        };
        if nest && *restricts {
            let settings = object.entry("settings").or_insert_with(|| json!({}));
            settings[*name] = value;
        } else {
            object.insert((*name).to_owned(), value);
        }
    }
    Value::Object(object)
}

/// Imports made-up files. None changes a code or opens a closed link, and no row is lost without a
/// word.
fn import_made_up_files(names: &Names, least_accepted: usize) {
    let mut rng = StdRng::seed_from_u64(47);
    let database = database();
    let (mut truth, mut accepted) = (HashMap::new(), 0);
    let mut contents = Vec::new();
    for number in 0..FILES {
        let content = made_up(names, &mut rng, number, &mut truth);
        file(&database, "in", &content);
        let outcome = database.terse(&["import", "in", "--owner", "me"]);
        if outcome.code == Some(0) {
            accepted += 1;
            let links = exported(&database);
            let is_there = |row: &usize| {
                let code = format!("f{number}r{row}");
                links.iter().any(|link| link["short_code"] == code.as_str())
            };
            assert!((0..ROWS).all(|row| is_there(&row)), "{content}\n{outcome:?}");
        } else {
            assert_eq!(outcome.code, Some(1), "{content}\n{outcome:?}");
        }
        contents.push(content);
    }
    assert!(accepted >= least_accepted, "{accepted} files are accepted");
    let now = "2026";
    for link in exported(&database) {
        let code = link["short_code"].as_str().unwrap();
        let Truth { destination, is_closed } =
            truth.get(code).unwrap_or_else(|| panic!("a code that no file has: {link}"));
        assert_eq!(link["destination_url"], destination.as_str());
        let expiry = link["expires_at"].as_str();
        let is_open = link["is_active"] == 1 && expiry.is_none_or(|expiry| expiry > now);
        let number: usize = code[1..code.find('r').unwrap()].parse().unwrap();
        assert!(!is_closed || !is_open, "a closed link is open: {link}\n{}", contents[number]);
    }
}

#[test]
fn made_up_files_change_no_code_and_open_no_closed_link() {
    import_made_up_files(&names::FIRST, 5);
}

#[test]
fn made_up_files_with_other_names_change_no_code_and_open_no_closed_link() {
    import_made_up_files(&names::SECOND, 3);
}

/// Every column that may close a link does so, or its row or file is refused, in each kind of file
/// that is accepted without the column.
#[test]
fn each_restriction_is_kept_or_refused() {
    let rng = &mut StdRng::seed_from_u64(48);
    let database = database();
    let mut number = 0;
    let mut write =
        |(code, prefix, destination), restriction: Option<(&'static str, &str)>, nest| {
            number += 1;
            let place = format!("https://example.com/{number}");
            let mut row: Vec<Field> =
                vec![(code, format!("{prefix}f{number}"), false), (destination, place, false)];
            row.extend(restriction.map(|(name, value)| (name, value.to_owned(), true)));
            match nest {
                None => table(&[row], ","),
                Some(nest) => object(&row, nest).to_string(),
            }
        };
    let pairs = [names::FIRST.pairs, names::SECOND.pairs].concat();
    let mut kinds: Vec<_> = pairs
        .into_iter()
        .flat_map(|pair| [None, Some(false), Some(true)].map(|nest| (pair, nest)))
        .collect();
    kinds.retain(|(pair, nest)| {
        file(&database, "in", write(*pair, None, *nest));
        database.terse(&["import", "in", "--owner", "me"]).code == Some(0)
    });
    assert!(kinds.len() >= 10, "{kinds:?}");
    let (before, mut contents) = (exported(&database).len(), Vec::new());
    for (restriction, _, shut) in [names::FIRST.restrictions, names::SECOND.restrictions].concat() {
        for (pair, nest) in kinds.sample(rng, 3) {
            let content = write(*pair, Some((restriction, shut)), *nest);
            file(&database, "in", &content);
            let outcome = database.terse(&["import", "in", "--owner", "me"]);
            contents.push(format!("{content} {:?}", outcome.stderr));
        }
    }
    // An import changes no link that is there, so that one export shows what each of them did.
    let links = exported(&database);
    let is_open = |link: &&Value| {
        let is_future = link["expires_at"].as_str().is_none_or(|expiry| expiry > "2026");
        is_future && link["is_active"] == 1
    };
    let mut open = Vec::new();
    for link in links.iter().skip(before).filter(is_open) {
        let destination = link["destination_url"].as_str().unwrap();
        let files = contents.iter().filter(|content| content.contains(destination));
        open.push(format!("{link} {}", files.cloned().collect::<String>()));
    }
    assert!(open.is_empty(), "{} closed links are open:\n{}", open.len(), open.join("\n"));
}

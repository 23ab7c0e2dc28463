//! A model of imports of two domains that ignore letter case, compared with the program.

use std::collections::HashMap;
use std::sync::Arc;

use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use serde_json::json;

use super::{URL, learn, location};
use crate::harness::{Database, Server};

const LETTERS: &[char] = &['a', 'A', 'b', 'B', 'é', 'É', 'ß', 'ẞ', 'я', 'Я', '1', '/', '~'];
const ROWS: usize = 120;

/// The links that exist: their numbers by exact and by folded code.
#[derive(Default)]
struct Model {
    exact: HashMap<String, usize>,
    folded: HashMap<String, usize>,
}

/// What an import does, by the model.
#[derive(Default, Debug, PartialEq)]
struct Counts {
    imported: usize,
    existing: usize,
    rejected: usize,
    /// Links that existed and that begin to answer in any letter case.
    case_added: usize,
    without_case: Vec<String>,
}

fn fold(code: &str) -> String {
    code.to_lowercase().to_uppercase()
}

fn random_code(rng: &mut StdRng) -> String {
    loop {
        let length = rng.random_range(1..=4);
        let code: String = (0..length).map(|_| *LETTERS.choose(rng).unwrap()).collect();
        if code.split('/').all(|segment| !segment.is_empty()) {
            return code;
        }
    }
}

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

impl Model {
    fn import(&mut self, rows: &[(String, usize)], ignores_case: bool) -> Counts {
        let mut counts = Counts::default();
        for (code, number) in rows {
            let is_new = !self.exact.contains_key(code);
            counts.imported += usize::from(is_new);
            if *self.exact.entry(code.clone()).or_insert(*number) != *number {
                counts.rejected += 1;
                continue;
            }
            if !ignores_case {
                continue;
            }
            let is_free = !self.folded.contains_key(&fold(code));
            counts.case_added += usize::from(is_free && !is_new);
            if *self.folded.entry(fold(code)).or_insert(*number) != *number {
                counts.without_case.push(code.clone());
            }
        }
        counts.existing = rows.len() - counts.imported - counts.rejected;
        counts
    }

    fn find(&self, path: &str) -> Option<usize> {
        self.exact.get(path).or_else(|| self.folded.get(&fold(path))).copied()
    }
}

#[tokio::test]
async fn imports_of_two_domains_follow_the_model() {
    let seed =
        std::env::var("TEST_SEED").map_or_else(|_| rand::random(), |seed| seed.parse().unwrap());
    let rng = &mut StdRng::seed_from_u64(seed);
    let database = Arc::new(Database::new().with_default_owner());
    let server = Server::on(&database);
    let domains = ["a.example", "b.example"];
    let mut file = "Link,Long URL\n".to_owned();
    let mut rows = [Vec::new(), Vec::new()];
    let mut number = 0;
    while number < ROWS {
        let (domain, code) = (number % 2, random_code(rng));
        if rows[domain].iter().all(|(known, _)| *known != code) {
            let path = encoded(&code).replace("%2F", "/");
            file.push_str(&format!("https://{}/{path},{URL}{number}\n", domains[domain]));
            rows[domain].push((code, number));
            number += 1;
        }
    }
    std::fs::write(database.directory().join("two.csv"), file).unwrap();
    let mut model = Model::default();
    let first = rng.random_bool(0.5);
    // The last import changes letter case of links that exist.
    for (domain, ignores_case) in [(0, first), (1, true), (0, true)] {
        let expected = model.import(&rows[domain], ignores_case);
        let arguments =
            ["import", "two.csv", "--owner", "default", "--json", "--domain", domains[domain]];
        let case = if ignores_case { &["--ignore-case"][..] } else { &[] };
        for dry_run in [&["--dry-run"][..], &[]] {
            let outcome = database.terse(&[&arguments[..], case, dry_run].concat());
            let summary: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap();
            let Counts { imported, existing, rejected, case_added, without_case } = &expected;
            for (name, count) in [
                ("imported", *imported),
                ("existing", *existing),
                ("rejected", *rejected),
                ("case_added", *case_added),
                ("without_case", without_case.len()),
            ] {
                assert_eq!(summary[name], json!(count), "{name} TEST_SEED={seed} {outcome:?}");
            }
            for code in without_case {
                assert!(outcome.stderr.contains(&format!("'{code}' answers only")), "{outcome:?}");
            }
            let held = format!("has it of {}", domains[1 - domain]);
            let named = outcome.stderr.matches(&held);
            assert_eq!(named.count(), (*rejected).min(20), "TEST_SEED={seed} {outcome:?}");
        }
    }
    // A server finds an exact code without knowing that there are others.
    let cases = model.exact.keys().flat_map(|code| [code.to_uppercase(), code.to_lowercase()]);
    let mut cases = cases.filter(|path| !model.exact.contains_key(path));
    let folded = cases.find(|path| model.find(path).is_some()).unwrap();
    learn(&server, &format!("/{}", encoded(&folded))).await;
    let anyone = server.anyone();
    let mut paths: Vec<String> = (0..400).map(|_| random_code(rng)).collect();
    paths.extend(model.exact.keys().flat_map(|code| [code.to_uppercase(), code.to_lowercase()]));
    for path in paths {
        let found = location(&anyone, &format!("/{}", encoded(&path))).await;
        let expected = model.find(&path).map(|number| format!("{URL}{number}"));
        assert_eq!(found, expected, "{path:?} TEST_SEED={seed} {:?}", model.exact);
    }
}

//! A model of how a path finds a link, compared with the program after random codes, decorations and
//! look-alikes.

use std::collections::HashMap;

use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};

use super::{URL, learn, location};
use crate::harness::Server;

/// Characters of codes, among them what may also be a decoration.
const LETTERS: &[char] =
    &['a', 'B', '1', '-', '_', '.', '–', 'é', '日', '/', '!', '~', '*', '\u{200d}'];
/// Characters that may follow or begin a code, or stand in the place of another one.
const DECORATIONS: &[char] =
    &['.', ',', '!', ')', '_', '*', '"', '”', '–', '—', '\u{200b}', '\u{fe0f}', ' ', '/', '\u{a0}'];
const TRAILING: &str = ".,;:!?)]}>\"'*_”’»“–—";
const INVISIBLE: &str = "\u{200b}\u{200e}\u{feff}\u{2060}\u{fe0f}\u{200d}";

/// Returns the number of the link that a path finds: by the exact code, or else by the longest code
/// that remains without trailing decorations, and last with dashes as people type them.
fn expected(codes: &HashMap<String, usize>, path: &str) -> Option<usize> {
    if let Some(number) = codes.get(path) {
        return Some(*number);
    }
    let is_blank = |letter: char| letter == '/' || letter.is_whitespace();
    let mut rest = path.trim_start_matches(is_blank);
    let mut candidates = vec![path.to_owned()];
    loop {
        rest = rest.trim_end_matches(is_blank);
        let visible = rest.replace(|letter| INVISIBLE.contains(letter), "");
        let visible = visible.trim();
        let end = visible.trim_end_matches(['–', '—']).len();
        let plain = visible[..end].replace(['–', '—'], "-") + &visible[end..];
        if let Some(number) = [rest, visible, &plain].iter().find_map(|text| codes.get(*text)) {
            return Some(*number);
        }
        candidates.extend([rest, visible, &plain].map(str::to_owned));
        let last = rest.chars().next_back();
        let last = last.filter(|last| TRAILING.contains(*last) || INVISIBLE.contains(*last));
        let Some(last) = last else { break };
        rest = &rest[..rest.len() - last.len_utf8()];
    }
    // A code with a dash is found by any dash, and in any letter case.
    let dashed = codes.iter().filter(|(code, _)| code.trim_end_matches('–').contains('–'));
    let dashed: Vec<_> = dashed.map(|(code, number)| (*number, folded(code))).collect();
    candidates.iter().find_map(|path| {
        let path = path.to_uppercase();
        dashed.iter().filter(|(_, code)| *code == path).map(|(number, _)| *number).min()
    })
}

fn folded(code: &str) -> String {
    let end = code.trim_end_matches('–').len();
    (code[..end].replace('–', "-") + &code[end..]).to_uppercase()
}

fn random_text(rng: &mut StdRng, letters: &[char], max: usize) -> String {
    let length = rng.random_range(1..=max);
    (0..length).map(|_| *letters.choose(rng).unwrap()).collect()
}

fn is_code(text: &str) -> bool {
    !text.split('/').any(|segment| matches!(segment, "" | "." | ".."))
}

#[tokio::test]
async fn paths_find_the_links_of_the_model() {
    let seed =
        std::env::var("TEST_SEED").map_or_else(|_| rand::random(), |seed| seed.parse().unwrap());
    let rng = &mut StdRng::seed_from_u64(seed);
    let server = Server::start();
    let mut codes: HashMap<String, usize> = HashMap::from([("x.y".to_owned(), 0)]);
    let mut known = vec!["x.y".to_owned()];
    while codes.len() < 300 {
        let text = random_text(rng, LETTERS, 5);
        // No joiner has an effect among these letters, so that an import removes it.
        let code = text.replace('\u{200d}', "");
        if is_code(&code) && !codes.contains_key(&code) {
            codes.insert(code, known.len());
            known.push(text);
        }
    }
    let mut file = "short_code,destination_url\n".to_owned();
    for (number, text) in known.iter().enumerate() {
        file.push_str(&format!("\"{}\",{URL}{number}\n", text.replace('"', "\"\"")));
    }
    std::fs::write(server.database().directory().join("model.csv"), file).unwrap();
    server.database().terse(&["import", "model.csv", "--owner", "default"]).done();
    learn(&server, "/x.y").await;
    let anyone = server.anyone();
    for _ in 0..1_500 {
        let mut path = known.choose(rng).unwrap().clone();
        match rng.random_range(0..5) {
            0 => {}
            1 => path.push_str(&random_text(rng, DECORATIONS, 4)),
            2 => path.insert_str(0, &random_text(rng, &['/', ' ', '\u{a0}'], 2)),
            3 => path = path.replace('-', "–") + &random_text(rng, DECORATIONS, 2),
            _ => path = random_text(rng, LETTERS, 5) + &random_text(rng, DECORATIONS, 2),
        }
        // Clients leave these out before they send a path.
        if path == "." || path == ".." {
            continue;
        }
        let target: String = path.bytes().map(|byte| format!("%{byte:02X}")).collect();
        let target = format!("/{target}");
        let found = location(&anyone, &target).await;
        let expected = expected(&codes, &path).map(|number| format!("{URL}{number}"));
        assert_eq!(found, expected, "{path:?} of {codes:?}, TEST_SEED={seed}");
    }
}

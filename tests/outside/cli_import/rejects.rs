//! Rejected rows, corrected and imported.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;

use serde_json::{Value, json};

use super::{counts, database, exported, file, import_json};
use crate::harness::{Database, Outcome, Store};

fn import_with_rejects(database: &Database, from: &str, to: &str) -> Outcome {
    database.terse(&["import", from, "--owner", "me", "--json", "--rejects", to])
}

fn read_file(database: &Database, name: &str) -> String {
    std::fs::read_to_string(database.directory().join(name)).unwrap()
}

fn objects(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

const ROWS: &str = "destination_url,is_active,line\n\
    https://example.com/same,1,a\n\
    https://example.com/same,yes,b\n\
    ftp://example.com/4,1,c\n\
    https://example.com/same,maybe,d\n";

/// The import identifies rows without codes by their lines, which differ in the rejects file.
#[test]
fn corrected_row_without_code_creates_one_link_from_either_file() {
    let database = database();
    file(&database, "in", ROWS);
    assert_eq!(counts(&import_with_rejects(&database, "in", "out")), [1, 0, 3]);
    let rejected = read_file(&database, "out");
    assert_eq!(
        rejected,
        "line,reason,destination_url,is_active,line,record\n\
         3,is_active must be 0 or 1,https://example.com/same,yes,b,\n\
         4,the destination must start with http:// or https://,ftp://example.com/4,1,c,\n\
         5,is_active must be 0 or 1,https://example.com/same,maybe,d,\n"
    );
    let correct = |text: &str| {
        text.replace(",yes,", ",1,").replace(",maybe,", ",0,").replace("ftp:", "https:")
    };
    assert_eq!(counts(&import_json(&database, correct(&rejected)).done()), [3, 0, 0]);
    let links = exported(&database);
    assert_eq!(links.len(), 4);
    assert_eq!(counts(&import_json(&database, correct(&rejected)).done()), [0, 3, 0]);
    assert_eq!(counts(&import_json(&database, correct(ROWS)).done()), [0, 4, 0]);
    assert_eq!(counts(&import_json(&database, ROWS)), [0, 1, 3]);
    assert_eq!(exported(&database), links);
}

#[test]
fn rejects_option_refuses_standard_output() {
    let database = database();
    file(&database, "in", ROWS);
    let outcome = import_with_rejects(&database, "in", "-");
    assert_eq!(outcome.code, Some(2), "{outcome:?}");
    assert!(!database.directory().join("-").exists() && exported(&database).is_empty());
    assert_eq!(counts(&import_with_rejects(&database, "in", "./-")), [1, 0, 3]);
    assert_eq!(read_file(&database, "-").lines().count(), 4);
    let mode = std::fs::metadata(database.directory().join("-")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "other users cannot read destinations");
}

#[test]
fn rejects_option_refuses_a_file_in_use() {
    let database = database();
    file(&database, "in", ROWS);
    let import = |from: &str, to: &str| {
        let mut command = database.command();
        command.args(["import", from, "--owner", "me", "--rejects", to]);
        command.stdin(std::fs::File::open(database.directory().join("in")).unwrap());
        let status = command.stderr(Stdio::null()).status().unwrap();
        assert_eq!(status.code(), Some(2), "{from} to {to}");
        assert_eq!(read_file(&database, "in"), ROWS);
    };
    let link = database.directory().join("link");
    std::os::unix::fs::symlink("in", link).unwrap();
    for (from, to) in [("in", "in"), ("in", "link"), ("link", "./in"), ("-", "in"), ("-", "link")] {
        import(from, to);
    }
    if database.store() == Store::Sqlite {
        let name = database.file().file_name().unwrap().to_str().unwrap().to_owned();
        let elsewhere = database.directory().join("elsewhere");
        std::fs::create_dir(&elsewhere).unwrap();
        std::os::unix::fs::symlink(database.file(), elsewhere.join("link.db")).unwrap();
        for suffix in ["", "-wal", "-shm", "-journal"] {
            import("in", &format!("{name}{suffix}"));
            import("-", &format!("./{name}{suffix}"));
            let url = format!("sqlite://{}", elsewhere.join("link.db").display());
            let rejects = format!("{name}{suffix}");
            let through_a_link =
                ["--database-url", &url, "import", "in", "--owner", "me", "--rejects", &rejects];
            assert_eq!(database.terse(&through_a_link).code, Some(2), "{rejects}");
        }
    }
    assert!(exported(&database).is_empty());
}

#[test]
fn row_can_be_rejected_and_corrected_twice() {
    let database = database();
    file(&database, "in", ROWS);
    assert_eq!(counts(&import_with_rejects(&database, "in", "out")), [1, 0, 3]);
    file(&database, "again", read_file(&database, "out").replace(",maybe,", ",0,"));
    let outcome = import_with_rejects(&database, "again", "out");
    assert_eq!(counts(&outcome), [1, 0, 2]);
    let error = outcome.stderr.lines().next().unwrap();
    assert!(error.starts_with("line 2: is_active"), "the new line: {outcome:?}");
    let rejected = read_file(&database, "out");
    assert_eq!(
        rejected,
        "line,reason,destination_url,is_active,line,record\n\
         3,is_active must be 0 or 1,https://example.com/same,yes,b,\n\
         4,the destination must start with http:// or https://,ftp://example.com/4,1,c,\n"
    );
    let corrected = rejected.replace(",yes,", ",1,").replace("ftp:", "https:");
    assert_eq!(counts(&import_json(&database, &corrected).done()), [2, 0, 0]);
    let without = corrected.replace("3,is_active", ",is_active");
    let outcome = import_json(&database, without);
    assert_eq!(counts(&outcome), [0, 1, 1]);
    assert!(
        outcome.stderr.contains("line 2: without a short code, it must keep its original line")
    );
}

#[test]
fn broken_row_is_corrected_in_its_text_or_in_the_columns() {
    let database = database();
    let rows = "short_code;destination_url;title\n\
        one;https://example.com/1\n\
        two;https://example.com/2;a \"quote\"\n\
        ;https://example.com/3;x;y\n";
    file(&database, "in", rows);
    assert_eq!(counts(&import_with_rejects(&database, "in", "out")), [0, 0, 3]);
    let rejected = read_file(&database, "out");
    let lines: Vec<&str> = rejected.lines().collect();
    assert_eq!(lines[0], "line,reason,short_code,destination_url,title,record");
    assert_eq!(lines[1], "2,\"there are 2 fields, but 3 columns\",,,,one;https://example.com/1");
    assert!(lines[2].ends_with(",,,,\"two;https://example.com/2;a \"\"quote\"\"\""), "{lines:?}");
    let corrected = [
        lines[0],
        // A row corrected in its text, one in its columns, and one not corrected.
        &format!("{};One", lines[1]),
        &lines[2].replace(",,,,", ",two,https://example.com/2,Two,"),
        lines[3],
    ];
    file(&database, "corrected", corrected.join("\n"));
    let outcome = import_with_rejects(&database, "corrected", "again");
    assert_eq!(counts(&outcome), [2, 0, 1]);
    assert!(outcome.stderr.starts_with("line 4: there are 4 fields, but 3 columns\n"));
    assert_eq!(read_file(&database, "again").lines().nth(1), Some(lines[3]));
    let titles: Vec<Value> = exported(&database).iter().map(|link| link["title"].clone()).collect();
    assert_eq!(titles, ["One", "Two"]);
    let last = corrected.join("\n").replace(";x;y", ";Three");
    assert_eq!(counts(&import_json(&database, last).done()), [1, 2, 0]);
    let corrected =
        rows.replace("/1\n", "/1;\n").replace("a \"quote\"", "").replace(";x;y", ";Three");
    assert_eq!(counts(&import_json(&database, corrected).done()), [0, 3, 0]);
}

#[test]
fn rejects_of_json_are_json() {
    let database = database();
    let same = json!({"destination_url": "https://example.com/same"});
    let broken = "{\"destination_url\": \"https://example.com/6\"";
    let rows = [
        json!([same, {"destination_url": "https://example.com/same", "clicks": -1}, same])
            .to_string(),
        "{ \"destination_url\" : \"ftp://example.com/2\", \"line\" : 12345678901234567890123 }"
            .to_owned(),
        broken.to_owned(),
        "[17]".to_owned(),
    ];
    file(&database, "in", rows.join("\r\n"));
    let outcome = import_with_rejects(&database, "in", "out");
    assert_eq!(counts(&outcome), [2, 0, 4]);
    assert!(outcome.stderr.starts_with("line 1, object 2: the clicks must be"), "{outcome:?}");
    let rejected = read_file(&database, "out");
    assert!(rejected.contains("12345678901234567890123"), "{rejected}");
    let list = objects(&rejected);
    assert_eq!(list.len(), 4);
    assert_eq!([&list[0]["line"], &list[0]["object"]], [&json!(1), &json!(2)]);
    assert_eq!(list[0]["record"]["clicks"], -1);
    assert_eq!(list[1]["reason"], "the destination must start with http:// or https://");
    assert_eq!([&list[2]["line"], &list[2]["record"]], [&json!(3), &json!(broken)]);
    assert_eq!([&list[3]["line"], &list[3]["record"]], [&json!(4), &json!("17")]);

    // Uncorrected rows are rejected again.
    file(&database, "again", &rejected);
    assert_eq!(counts(&import_with_rejects(&database, "again", "second")), [0, 0, 4]);
    assert_eq!(objects(&read_file(&database, "second")), list);

    let mut corrected = list;
    corrected[0]["record"]["clicks"] = json!(7);
    corrected[1]["record"]["destination_url"] = json!("https://example.com/2");
    corrected[2]["record"] = json!(format!("{broken}}}"));
    corrected[3]["record"] = same.clone();
    let corrected: Vec<String> = corrected.iter().map(Value::to_string).collect();
    assert_eq!(counts(&import_json(&database, corrected.join("\n")).done()), [4, 0, 0]);
    let links = exported(&database);
    assert_eq!((links.len(), &links[2]["clicks"]), (6, &json!(7)));
    assert_eq!(counts(&import_json(&database, corrected.join("\n")).done()), [0, 4, 0]);
    let whole = rows.join("\n").replace("-1", "7").replace("ftp:", "https:");
    let whole = whole.replace(broken, &format!("{broken}}}")).replace("17", &same.to_string());
    assert_eq!(counts(&import_json(&database, whole).done()), [0, 6, 0]);
}

#[test]
fn rejects_file_is_not_created_if_the_import_fails_early() {
    let database = database();
    file(&database, "in", "destination_url\nnonsense\n");
    let out = database.directory().join("out");
    let run = |owner: &str| {
        let outcome = database.terse(&["import", "in", "--owner", owner, "--rejects", "out"]);
        assert_eq!(outcome.code, Some(1), "{outcome:?}");
    };
    run("missing");
    assert!(!out.exists());
    // A symbolic link that the user created is not replaced.
    std::os::unix::fs::symlink("elsewhere", &out).unwrap();
    run("missing");
    assert!(out.is_symlink());
    std::fs::remove_file(&out).unwrap();
    run("me");
    let list = std::fs::read_to_string(&out).unwrap();
    run("missing");
    assert_eq!(std::fs::read_to_string(&out).unwrap(), list, "what an earlier one left stays");
}

/// Another user may have placed the link in a shared directory.
#[test]
fn rejects_file_behind_a_symbolic_link_is_neither_overwritten_nor_created() {
    let database = database();
    file(&database, "in", "destination_url\nnonsense\n");
    file(&database, "precious", "kept\n");
    let path = |name: &str| database.directory().join(name);
    std::os::unix::fs::symlink("precious", path("link")).unwrap();
    std::os::unix::fs::symlink("nothing", path("dangling")).unwrap();
    for name in ["link", "dangling"] {
        for more in [&[][..], &["--dry-run"]] {
            let command = ["import", "in", "--owner", "me", "--rejects", name];
            let line = database.terse(&[&command[..], more].concat()).failed();
            assert_eq!(line, format!("terse: {name} cannot be written: it is a symbolic link"));
        }
    }
    assert_eq!(read_file(&database, "precious"), "kept\n");
    assert!(path("link").is_symlink() && !path("nothing").exists());

    let shared = tempfile::tempdir_in("/dev/shm").unwrap();
    let link = shared.path().join("link");
    std::os::unix::fs::symlink(path("precious"), &link).unwrap();
    let link = link.to_str().unwrap();
    let line = database.terse(&["import", "in", "--owner", "me", "--rejects", link]).failed();
    assert_eq!(line, format!("terse: {link} cannot be written: it is a symbolic link"));
    assert_eq!(read_file(&database, "precious"), "kept\n");
}

/// `/dev/stdout` is a link, too.
#[test]
fn rejects_go_to_a_stream_of_the_process() {
    let database = database();
    file(&database, "in", "destination_url\nnonsense\n");
    for name in ["/dev/stdout", "/dev/fd/1"] {
        let outcome = database.terse(&["import", "in", "--owner", "me", "--rejects", name]);
        assert!(outcome.stdout.contains("\n2,the destination must"), "{outcome:?}");
    }
}

/// The rejects file does not contain the original bytes.
#[test]
fn row_that_was_not_utf_8_is_rejected_until_corrected() {
    let database = database();
    let csv: &[u8] = b"short_code,destination_url\nfoo,ftp:\ncafe,https://example.org/caf\xe9\n";
    let json: &[u8] =
        b"{\"short_code\":\"bar\",\"destination_url\":\"https://example.org/b\xe4r\"}\n";
    let json = [br#"{"short_code":"foo","destination_url":"ftp:"}"#, json].join(&b'\n');
    for (rows, lost, found) in
        [(csv, "caf\u{fffd}", "caf\u{e9}"), (&json, "b\u{fffd}r", "b\u{e4}r")]
    {
        file(&database, "in", rows);
        assert_eq!(counts(&import_with_rejects(&database, "in", "out")), [0, 0, 2]);
        let rejected = read_file(&database, "out");
        assert!(rejected.contains(lost), "{rejected}");
        file(&database, "again", &rejected);
        let again = import_with_rejects(&database, "again", "second");
        assert_eq!(counts(&again), [0, 0, 2]);
        assert!(again.stderr.contains("it was not UTF-8, and has \u{fffd} in"), "{again:?}");
        let corrected = read_file(&database, "second").replace(lost, found);
        assert_eq!(counts(&import_json(&database, corrected)), [1, 0, 1]);
    }
}

#[test]
fn text_null_stays_a_text_in_rejects() {
    let database = database();
    let rows =
        "keyword,url,title\na b,https://example.com/1,\"NULL\"\nc d,https://example.com/2,NULL\n";
    file(&database, "in", rows);
    assert_eq!(counts(&import_with_rejects(&database, "in", "out")), [0, 0, 2]);
    let corrected = read_file(&database, "out").replace(",a b,", ",abc,").replace(",c d,", ",cde,");
    assert_eq!(counts(&import_json(&database, corrected).done()), [2, 0, 0]);
    let titles: Vec<Value> = exported(&database).iter().map(|link| link["title"].clone()).collect();
    assert_eq!(titles, [json!("NULL"), Value::Null]);
}

#[test]
fn rejects_file_can_be_corrected_and_imported() {
    let database = database();
    let mut rows = String::from("short_code,title,destination_url\n");
    for number in 0..25 {
        rows.push_str(&format!("code{number},\"a, b\",ftp://example.com/{number}\n"));
    }
    rows.push_str("broken,row\ngood,,https://example.com/\n");
    file(&database, "in", rows);
    let outcome = database.terse(&["import", "in", "--owner", "me", "--rejects", "out"]);
    assert_eq!(outcome.code, Some(1));
    let lines: Vec<&str> = outcome.stderr.lines().collect();
    assert_eq!(lines.len(), 22, "{outcome:#?}");
    assert_eq!(lines[20..], ["and 6 more", "terse: 26 of 27 rows were rejected"]);
    let rejects = std::fs::read_to_string(database.directory().join("out")).unwrap();
    let lines: Vec<&str> = rejects.lines().collect();
    assert_eq!(lines[0], "line,reason,short_code,title,destination_url,record");
    assert_eq!(
        lines[1],
        "2,the destination must start with http:// or https://,code0,\"a, b\",ftp://example.com/0,"
    );
    assert_eq!(lines[26], "27,\"there are 2 fields, but 3 columns\",,,,\"broken,row\"");
    assert_eq!(lines.len(), 27);
    let corrected: Vec<&str> = lines[..26].to_vec();
    let corrected = corrected.join("\n").replace("ftp:", "https:");
    assert_eq!(counts(&import_json(&database, corrected).done()), [25, 0, 0]);
}

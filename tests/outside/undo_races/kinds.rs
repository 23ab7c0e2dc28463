//! What the races change, undo and change again.

/// A change that an undo can revert, and a newer change of the same thing.
pub(super) struct Kind {
    /// Commands that make every round begin alike. Some have nothing to do.
    pub(super) prepare: &'static [&'static [&'static str]],
    /// The change that the undo reverts.
    pub(super) change: &'static [&'static str],
    /// The newer change. It may fail only if the undo has reverted the change before.
    pub(super) newer: &'static [&'static str],
    /// Command that shows the thing, alone or in a list, a member of the shown object, and its value
    /// after `newer`.
    pub(super) newest: (&'static [&'static str], &'static str, &'static str),
}

const SHOW_BLOCK: &[&str] = &["block", "check", "a.example"];
const SHOW_LINK: &[&str] = &["link", "show", "code"];
const SHOW_OWNERS: &[&str] = &["owner", "list"];
const SHOW_DOMAINS: &[&str] = &["domain", "list"];
const NO_DOMAINS: [&[&str]; 2] =
    [&["domain", "remove", "go.example"], &["domain", "remove", "first.example"]];
const TWO_DOMAINS: [&[&str]; 4] = [
    NO_DOMAINS[0],
    NO_DOMAINS[1],
    &["domain", "add", "first.example", "--owner", "acme"],
    &["domain", "add", "go.example", "--owner", "acme"],
];

/// One for each action that an undo can revert.
pub(super) const KINDS: [Kind; 14] = [
    Kind {
        prepare: &[&["block", "remove", "a.example"]],
        change: &["block", "add", "a.example", "--reason", "spam"],
        newer: &["block", "add", "a.example", "--reason", "phishing"],
        newest: (SHOW_BLOCK, "reason", "phishing"),
    },
    Kind {
        prepare: &[&["block", "remove", "a.example"]],
        change: &["block", "allow", "a.example"],
        newer: &["block", "add", "a.example", "--reason", "phishing"],
        newest: (SHOW_BLOCK, "reason", "phishing"),
    },
    Kind {
        prepare: &[&["block", "add", "a.example", "--reason", "spam"]],
        change: &["block", "remove", "a.example"],
        newer: &["block", "add", "a.example", "--reason", "phishing"],
        newest: (SHOW_BLOCK, "reason", "phishing"),
    },
    Kind {
        prepare: &[&["link", "enable", "code"]],
        change: &["link", "disable", "code", "--reason", "spam"],
        newer: &["link", "disable", "code", "--reason", "phishing"],
        newest: (SHOW_LINK, "disabled_reason", "phishing"),
    },
    Kind {
        prepare: &[&["link", "disable", "code", "--reason", "spam"]],
        change: &["link", "enable", "code"],
        newer: &["link", "disable", "code", "--reason", "phishing"],
        newest: (SHOW_LINK, "disabled_reason", "phishing"),
    },
    Kind {
        prepare: &[&["link", "enable", "code"], &["link", "unpause", "code"]],
        change: &["link", "pause", "code"],
        newer: &["link", "unpause", "code"],
        newest: (SHOW_LINK, "state", "active"),
    },
    Kind {
        prepare: &[&["link", "enable", "code"], &["link", "pause", "code"]],
        change: &["link", "unpause", "code"],
        newer: &["link", "pause", "code"],
        newest: (SHOW_LINK, "state", "paused"),
    },
    Kind {
        prepare: &[&["link", "edit", "code", "--title", ""]],
        change: &["link", "edit", "code", "--title", "first"],
        newer: &["link", "edit", "code", "--title", "second"],
        newest: (SHOW_LINK, "title", "second"),
    },
    Kind {
        prepare: &[&["owner", "resume", "acme"]],
        change: &["owner", "suspend", "acme", "--reason", "spam"],
        newer: &["owner", "suspend", "acme", "--reason", "phishing"],
        newest: (SHOW_OWNERS, "suspended_reason", "phishing"),
    },
    Kind {
        prepare: &[&["owner", "suspend", "acme", "--reason", "spam"]],
        change: &["owner", "resume", "acme"],
        newer: &["owner", "suspend", "acme", "--reason", "phishing"],
        newest: (SHOW_OWNERS, "suspended_reason", "phishing"),
    },
    Kind {
        prepare: &NO_DOMAINS,
        change: &["domain", "add", "go.example", "--owner", "acme"],
        newer: &["domain", "edit", "go.example", "--home", "https://example.net/"],
        newest: (SHOW_DOMAINS, "home_url", "https://example.net/"),
    },
    Kind {
        prepare: &TWO_DOMAINS,
        change: &["domain", "remove", "go.example"],
        newer: &["domain", "add", "go.example", "--owner", "globex"],
        newest: (SHOW_DOMAINS, "owner_name", "globex"),
    },
    Kind {
        prepare: &TWO_DOMAINS,
        change: &["domain", "default", "go.example"],
        newer: &["domain", "edit", "go.example", "--home", "https://example.net/"],
        newest: (SHOW_DOMAINS, "home_url", "https://example.net/"),
    },
    Kind {
        prepare: &TWO_DOMAINS,
        change: &["domain", "edit", "go.example", "--home", "https://example.org/"],
        newer: &["domain", "edit", "go.example", "--home", "https://example.net/"],
        newest: (SHOW_DOMAINS, "home_url", "https://example.net/"),
    },
];

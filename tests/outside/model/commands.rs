//! Operator commands, and their arguments.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;

/// Values of `--reason`.
pub(super) const REASONS: [&str; 6] =
    ["phishing", "malware", "spam", "legal", "owner-request", "other"];

/// A command of an operator.
#[derive(Clone, Debug)]
pub(super) enum Command {
    Link {
        verb: LinkVerb,
        selectors: Selectors,
    },
    /// Sets fields to new values; `Null` clears a field.
    Edit {
        code: String,
        edit: Vec<(&'static str, Value)>,
    },
    OwnerAdd {
        name: String,
        plan: &'static str,
    },
    Suspend {
        name: String,
    },
    Resume {
        name: String,
    },
    Rename {
        name: String,
        new: String,
    },
    OwnerDelete {
        name: String,
    },
    Block {
        verb: BlockVerb,
        patterns: Vec<String>,
        until: Option<&'static str>,
    },
    Undo {
        event: i64,
    },
    KeyAdd {
        owner: String,
    },
    KeyRevoke {
        ids: Vec<i64>,
    },
    KeyRevokeAll {
        owner: String,
    },
    Import {
        owner: String,
        rows: Vec<Row>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LinkVerb {
    Disable,
    Enable,
    Pause,
    Unpause,
    Delete,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockVerb {
    Add,
    Allow,
    Remove,
}

/// Selectors of links, all of which must match.
#[derive(Clone, Debug, Default)]
pub(super) struct Selectors {
    pub(super) codes: Vec<String>,
    /// Whether the codes are in a file.
    pub(super) is_from_file: bool,
    pub(super) owner: Option<String>,
    pub(super) campaign: Option<String>,
    pub(super) host: Option<String>,
    pub(super) destination: Option<String>,
}

/// A row of an imported file.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) code: String,
    pub(super) destination: String,
    pub(super) campaign: Option<String>,
    pub(super) clicks: u64,
    pub(super) is_active: bool,
    pub(super) expires_at: Option<String>,
}

/// The options that all changes have, and when the test kills the command.
#[derive(Clone, Debug)]
pub(super) struct Options {
    pub(super) case: String,
    pub(super) reason: Option<&'static str>,
    pub(super) note: Option<String>,
    pub(super) is_dry_run: bool,
    pub(super) kill_after: Option<Duration>,
}

impl LinkVerb {
    pub(super) fn action(self) -> &'static str {
        match self {
            Self::Disable => "link disable",
            Self::Enable => "link enable",
            Self::Pause => "link pause",
            Self::Unpause => "link unpause",
            Self::Delete => "link delete",
        }
    }
}

impl BlockVerb {
    pub(super) fn action(self) -> &'static str {
        match self {
            Self::Add => "block add",
            Self::Allow => "block allow",
            Self::Remove => "block remove",
        }
    }
}

impl Selectors {
    /// Returns the description in the history, which for a deletion contains no campaign and no
    /// host.
    pub(super) fn description(&self, is_deletion: bool) -> String {
        let Self { codes, is_from_file: _, owner, campaign, host, destination } = self;
        let codes = match codes.as_slice() {
            [] => None,
            [code] => Some(code.clone()),
            codes => Some(format!("{} codes", codes.len())),
        };
        let named =
            |name: &str, value: &Option<String>| Some(format!("{name} {}", value.as_ref()?));
        let erased = |name: &str, value: &Option<String>| match is_deletion {
            true => value.as_ref().map(|_| format!("one {name}")),
            false => named(name, value),
        };
        let parts = [
            codes,
            named("owner", owner),
            erased("campaign", campaign),
            erased("host", host),
            destination.as_ref().map(|_| "one destination".to_owned()),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// Returns the options, and the codes, which may begin with `-`.
    fn arguments(&self, file: &str) -> (Vec<String>, Vec<String>) {
        let Self { codes, is_from_file, owner, campaign, host, destination } = self;
        let options = [
            ("--codes-from", is_from_file.then(|| file.to_owned())),
            ("--owner", owner.clone()),
            ("--campaign", campaign.clone()),
            ("--host", host.clone()),
            ("--destination", destination.clone()),
        ];
        let options = options.into_iter().filter_map(|(name, value)| Some([name.into(), value?]));
        let codes = if *is_from_file { Vec::new() } else { codes.clone() };
        (options.flatten().collect(), codes)
    }
}

fn texts(arguments: &[&str]) -> Vec<String> {
    arguments.iter().map(|&text| text.to_owned()).collect()
}

impl Command {
    /// Returns the action of the event.
    pub(super) fn action(&self) -> &'static str {
        match self {
            Self::Link { verb, .. } => verb.action(),
            Self::Edit { .. } => "link edit",
            Self::OwnerAdd { .. } => "owner add",
            Self::Suspend { .. } => "owner suspend",
            Self::Resume { .. } => "owner resume",
            Self::Rename { .. } => "owner rename",
            Self::OwnerDelete { .. } => "owner delete",
            Self::Block { verb, .. } => verb.action(),
            Self::Undo { .. } => "undo",
            Self::KeyAdd { .. } => "key add",
            Self::KeyRevoke { .. } | Self::KeyRevokeAll { .. } => "key revoke",
            Self::Import { .. } => "import",
        }
    }

    /// Returns the arguments, with these options. `file` is a path for the command's input.
    pub(super) fn arguments(&self, options: &Options, file: &str) -> Vec<String> {
        let (mut arguments, positional) = self.own_arguments(file);
        if let Self::Import { .. } = self {
            // An import records no event.
            arguments.extend(options.is_dry_run.then(|| "--dry-run".to_owned()));
            return [arguments, texts(&["--json", file])].concat();
        }
        arguments.extend(texts(&["--json", "--yes", "--case", &options.case]));
        arguments.extend(options.reason.iter().flat_map(|reason| texts(&["--reason", reason])));
        arguments.extend(options.note.iter().flat_map(|note| texts(&["--note", note])));
        arguments.extend(options.is_dry_run.then(|| "--dry-run".to_owned()));
        if !positional.is_empty() {
            arguments.push("--".to_owned());
        }
        [arguments, positional].concat()
    }

    /// Returns the command with its options, and its other arguments.
    fn own_arguments(&self, file: &str) -> (Vec<String>, Vec<String>) {
        match self {
            Self::Link { verb, selectors } => {
                let command = verb.action().split(' ').map(str::to_owned);
                let (options, codes) = selectors.arguments(file);
                (command.chain(options).collect(), codes)
            }
            Self::Edit { code, edit } => {
                let edit = edit.iter().flat_map(|(field, value)| match *field {
                    "destination_url" => texts(&["--destination", value.as_str().unwrap()]),
                    "title" => texts(&["--title", value.as_str().unwrap_or("")]),
                    "campaign" => texts(&["--campaign", value.as_str().unwrap_or("")]),
                    _ => texts(&["--expires", value.as_str().unwrap_or("never")]),
                });
                let command = texts(&["link", "edit"]).into_iter();
                (command.chain(edit).collect(), vec![code.clone()])
            }
            Self::OwnerAdd { name, plan } => {
                (texts(&["owner", "add", "--plan", plan]), texts(&[name]))
            }
            Self::Suspend { name } => (texts(&["owner", "suspend"]), texts(&[name])),
            Self::Resume { name } => (texts(&["owner", "resume"]), texts(&[name])),
            Self::Rename { name, new } => (texts(&["owner", "rename"]), texts(&[name, new])),
            Self::OwnerDelete { name } => {
                (texts(&["owner", "delete", "--confirm", name]), texts(&[name]))
            }
            Self::Block { verb, patterns, until } => {
                let mut command: Vec<String> =
                    verb.action().split(' ').map(str::to_owned).collect();
                command.extend(until.iter().flat_map(|until| texts(&["--until", until])));
                (command, patterns.clone())
            }
            Self::Undo { event } => (texts(&["undo"]), texts(&[&event.to_string()])),
            Self::KeyAdd { owner } => {
                (texts(&["key", "add", "--label", "another"]), texts(&[owner]))
            }
            Self::KeyRevoke { ids } => {
                (texts(&["key", "revoke"]), ids.iter().map(i64::to_string).collect())
            }
            Self::KeyRevokeAll { owner } => {
                (texts(&["key", "revoke", "--owner", owner]), Vec::new())
            }
            Self::Import { owner, .. } => (texts(&["import", "--owner", owner]), Vec::new()),
        }
    }

    /// Writes the file that the command reads, if it reads one.
    pub(super) fn write_input(&self, file: &Path) {
        let content = if let Self::Link { selectors, .. } = self
            && selectors.is_from_file
        {
            selectors.codes.join("\n")
        } else if let Self::Import { rows, .. } = self {
            let head = "short_code,destination_url,title,campaign,clicks,is_active,expires_at";
            let lines = rows.iter().map(Row::line);
            std::iter::once(head.to_owned()).chain(lines).collect::<Vec<_>>().join("\n")
        } else {
            return;
        };
        std::fs::write(file, content).expect("the directory is writable");
    }
}

impl Row {
    /// The title of all imported links.
    pub(super) const TITLE: &str = "imported";

    fn line(&self) -> String {
        let Self { code, destination, campaign, clicks, is_active, expires_at } = self;
        let (campaign, expiry) = (campaign.as_deref(), expires_at.as_deref());
        let (campaign, expiry) = (campaign.unwrap_or_default(), expiry.unwrap_or_default());
        let (title, is_active) = (Self::TITLE, u8::from(*is_active));
        format!("{code},{destination},{title},{campaign},{clicks},{is_active},{expiry}")
    }
}

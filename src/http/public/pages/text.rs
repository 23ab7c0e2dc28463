//! Texts of the pages for visitors.

use crate::domain::links::LinkState;
use crate::values::Reason;

/// The text of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Text {
    /// The heading.
    pub title: &'static str,
    /// Explanation in one or two parts. The second one may be empty.
    pub message: [&'static str; 2],
    /// Advice for visitors whom the link may have harmed, if there is any.
    pub advice: Option<&'static Advice>,
}

/// Advice after a visit to a dangerous destination.
#[derive(Debug, PartialEq, Eq)]
pub struct Advice {
    /// Heading that says when the advice applies.
    pub title: &'static str,
    /// Steps for the visitor, the most urgent one first.
    pub steps: &'static [&'static str],
}

/// The start page.
pub const HOME: Text = Text::new(
    "Short links",
    "This is Terse, a URL shortener with a JSON API. Its links redirect visitors to longer addresses.",
);

/// The start page of a domain.
pub const DOMAIN_HOME: Text =
    Text::new("Short links", "The links at this address redirect visitors to longer addresses.");

/// 404 page for a link or a path that does not exist.
pub const NO_LINK: Text = Text::new(
    "There is no such link",
    "There is nothing at this address. The link may have been mistyped or cut off: compare it with \
     the original. Upper and lower case matter.",
);

/// 404 page of the operator's listener.
pub const NO_OPERATOR_PAGE: Text = Text::new(
    "There is no such page",
    "This address is for the operator: it serves health checks, metrics and the operator interface, \
     and no links.",
);

/// 404 page for a QR image that does not exist.
pub const NO_QR_CODE: Text = Text::new(
    "There is no such QR code",
    "The link may have been mistyped, or has no QR code. Upper and lower case matter.",
);

/// 400 page. Its message is the reason, so this text is empty.
pub const BAD_REQUEST: Text = Text::new("This request is not valid", "");

/// 405 page.
pub const BAD_METHOD: Text =
    Text::new("This method is not allowed", "Only GET and HEAD are supported here.");

/// Page of a problem type. Its title and explanation come from the type, so these texts are empty.
pub const PROBLEM: Text = Text::new("", "");

/// 503 page.
pub const UNAVAILABLE: Text = Text::new(
    "Please try again",
    "The service cannot reach its data at the moment. Please try again in a minute.",
);

/// 429 page.
pub const THROTTLED: Text = Text::new(
    "Too many requests",
    "Your network has sent too many requests for links or images that do not exist or have to be \
     drawn. Please try again in a moment. Links that exist still work.",
);

const PHISHING: Advice = Advice {
    title: "If you entered anything on that site",
    steps: &[
        "If it was a password, change it now on the real site, and wherever else you use it. Type \
         the address of the real site, or use a bookmark.",
        "If it was a card number or bank details, call your bank now, at the number on your card.",
        "On the real site, sign out all other sessions and turn on two-step verification.",
        "If it was an account of your employer, tell your IT department.",
        "Do not trust calls or messages that offer help or ask for a code.",
    ],
};

const MALWARE: Advice = Advice {
    title: "If you opened a download or installed something",
    steps: &[
        "Disconnect the device from the network, and enter no passwords on it.",
        "Delete the download, remove what you installed, and let an up-to-date virus scanner check \
         the whole device.",
        "From another device, change the passwords that you have used on this one, and watch your \
         bank account.",
        "If the device belongs to your employer, tell your IT department first.",
    ],
};

impl Text {
    const fn new(title: &'static str, message: &'static str) -> Self {
        Self { title, message: [message, ""], advice: None }
    }

    /// Returns the text of the page for a link that does not redirect.
    pub const fn from_state(state: LinkState) -> Self {
        match state {
            LinkState::Deleted => Self::new(
                "This link was deleted",
                "The link existed, but was deleted for good. Its address is not used again.",
            ),
            LinkState::Expired => Self::new(
                "This link has expired",
                "The link was valid for a limited time, which is over. Ask for a new one where you \
                 found it.",
            ),
            LinkState::OwnerSuspended(reason) => Self::new(
                "This link is not available",
                "The operator of this service has suspended the account that the link belongs to.",
            )
            .with_reason(reason),
            LinkState::Blocked(reason) => Self::new(
                "This link is blocked",
                "The operator of this service has blocked the site that the link leads to.",
            )
            .with_reason(reason),
            LinkState::Disabled(reason) => Self::new(
                "This link is disabled",
                "The operator of this service has disabled the link.",
            )
            .with_reason(reason),
            LinkState::Paused => Self::new(
                "This link is paused",
                "The owner of the link has paused it. It may work again later.",
            ),
            // Callers redirect active links instead of showing a page.
            LinkState::Active => NO_LINK,
        }
    }

    /// Adds the part that depends on the operator's reason.
    const fn with_reason(self, reason: Reason) -> Self {
        let (title, part, advice) = match reason {
            Reason::Phishing => (
                "Warning: suspected phishing",
                "The site may imitate another one to steal passwords or money. You have not been \
                 taken there; if you have never been, you need to do nothing.",
                Some(&PHISHING),
            ),
            Reason::Malware => (
                "Warning: suspected malware",
                "The site may spread harmful software. You have not been taken there; if you have \
                 never been, you need to do nothing.",
                Some(&MALWARE),
            ),
            Reason::Legal => {
                ("Unavailable for legal reasons", "A legal demand is the reason.", None)
            }
            Reason::Spam => (self.title, "It was advertised by spam.", None),
            Reason::OwnerRequest => (self.title, "The owner asked for this.", None),
            Reason::Other => (self.title, "", None),
        };
        Self { title, message: [self.message[0], part], advice }
    }

    /// Returns the whole message.
    pub fn message(&self) -> String {
        self.message.join(" ").trim_end().to_owned()
    }
}

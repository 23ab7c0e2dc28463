//! Messages that repeat texts of any length.

/// Shortens a message to at most `max` characters. The last one is then an ellipsis.
#[must_use]
pub fn shorten(mut message: String, max: usize) -> String {
    let mut last = message.char_indices().skip(max - 1);
    if let (Some((end, _)), Some(_)) = (last.next(), last.next()) {
        message.truncate(end);
        message.push('…');
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_has_at_most_the_maximum() {
        for (message, expected) in [("", ""), ("äöü", "äöü"), ("äöüß", "äö…"), ("äöüßa", "äö…")]
        {
            assert_eq!(shorten(message.to_owned(), 3), expected);
        }
    }
}

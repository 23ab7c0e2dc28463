//! Secrets and signatures of webhooks (Standard Webhooks, version 1).

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit as _, Mac as _};
use rand::Rng;
use sha2::Sha256;

const PREFIX: &str = "whsec_";
const SECRET_BYTES: usize = 32;

/// Generates a secret.
pub(super) fn new_secret(rng: &mut impl Rng) -> String {
    let mut bytes = [0; SECRET_BYTES];
    rng.fill_bytes(&mut bytes);
    format!("{PREFIX}{}", STANDARD.encode(bytes))
}

/// Returns the value of the header `webhook-signature` for these secrets.
pub(super) fn sign<'a>(
    secrets: impl Iterator<Item = &'a str>,
    id: &str,
    timestamp: i64,
    body: &str,
) -> String {
    let signature = |secret: &str| {
        let key = STANDARD.decode(secret.strip_prefix(PREFIX)?).ok()?;
        let mut mac = Hmac::<Sha256>::new_from_slice(&key).ok()?;
        mac.update(format!("{id}.{timestamp}.{body}").as_bytes());
        Some(format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes())))
    };
    secrets.filter_map(signature).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of the libraries of Standard Webhooks.
    #[test]
    fn signature_is_that_of_the_specification() {
        let secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
        let (id, body) = ("msg_p5jXN8AQM9LWM0D4loKWxJek", r#"{"test": 2432232314}"#);
        let expected = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
        assert_eq!(sign([secret].into_iter(), id, 1_614_265_330, body), expected);
        let both = sign([secret, secret].into_iter(), id, 1_614_265_330, body);
        assert_eq!(both, format!("{expected} {expected}"));
    }
}

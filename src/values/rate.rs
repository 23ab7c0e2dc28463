//! Rates of requests.

use std::fmt;
use std::num::NonZero;
use std::str::FromStr;
use std::time::Duration;

use strum_macros::{EnumString, IntoStaticStr};

use super::{ErrorCode, ValidationError};

/// Unit of time of a rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString, IntoStaticStr)]
#[strum(const_into_str)]
enum RatePeriod {
    #[strum(serialize = "s")]
    Second,
    #[strum(serialize = "min")]
    Minute,
    #[strum(serialize = "h")]
    Hour,
}

impl RatePeriod {
    const fn duration(self) -> Duration {
        Duration::from_secs(match self {
            Self::Second => 1,
            Self::Minute => 60,
            Self::Hour => 3600,
        })
    }
}

/// A number of requests per second, minute or hour, such as `20/s`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rate {
    requests: RequestCount,
    period: RatePeriod,
}

impl Rate {
    /// Returns the time after which another request is allowed, if requests are spread evenly.
    pub fn interval(self) -> Duration {
        self.period.duration() / self.requests.get()
    }

    /// Returns the number of requests per period.
    pub const fn requests(self) -> RequestCount {
        self.requests
    }
}

impl FromStr for Rate {
    type Err = ValidationError;

    fn from_str(text: &str) -> Result<Self, ValidationError> {
        let parse = || {
            let (requests, period) = text.split_once('/')?;
            Some(Self { requests: requests.parse().ok()?, period: period.parse().ok()? })
        };
        parse().ok_or(
            ErrorCode::OutOfRange.because(
                "must be a number from 1 to 1000000 per s, min or h, such as 20/s or 600/min",
            ),
        )
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.requests.get(), self.period.into_str())
    }
}

/// Maximum rate of requests, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestLimit {
    /// This rate.
    AtMost(Rate),
    /// Any number of requests.
    Unlimited,
}

impl RequestLimit {
    /// Returns the rate, or `None` if there is no limit.
    pub const fn rate(self) -> Option<Rate> {
        match self {
            Self::AtMost(rate) => Some(rate),
            Self::Unlimited => None,
        }
    }
}

impl FromStr for RequestLimit {
    type Err = ValidationError;

    fn from_str(text: &str) -> Result<Self, ValidationError> {
        if text == "unlimited" {
            return Ok(Self::Unlimited);
        }
        text.parse().map(Self::AtMost).map_err(|_| {
            ValidationError::because(
                "must be 'unlimited', or a number from 1 to 1000000 per s, min or h, such as 20/s or \
                 600/min",
            )
        })
    }
}

/// A number of requests, from 1 to 1,000,000.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RequestCount(NonZero<u32>);

impl RequestCount {
    /// Maximum number of requests in a rate, and of requests at once. The window of every limit thus
    /// fits into 64 bits of nanoseconds.
    pub const MAX: u32 = 1_000_000;

    /// Creates a number of requests.
    ///
    /// # Errors
    /// If the number is 0 or above 1,000,000.
    pub fn new(number: u32) -> Result<Self, ValidationError> {
        NonZero::new(number)
            .filter(|number| number.get() <= Self::MAX)
            .map(Self)
            .ok_or(ErrorCode::OutOfRange.because("must be a number from 1 to 1000000"))
    }

    /// Returns the number.
    pub const fn get(self) -> u32 {
        self.0.get()
    }

    /// Returns the number as a [`NonZero`].
    pub const fn non_zero(self) -> NonZero<u32> {
        self.0
    }
}

impl FromStr for RequestCount {
    type Err = ValidationError;

    fn from_str(text: &str) -> Result<Self, ValidationError> {
        let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
        Self::new(text.parse().ok().filter(|_| is_number).unwrap_or(0))
    }
}

/// A rate limit: a number of requests at once, which refills evenly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RateLimit {
    /// How fast the limit refills.
    pub rate: Rate,
    /// Maximum number of requests at once.
    pub burst: RequestCount,
}

impl RateLimit {
    /// Creates a limit that allows `burst` requests at once. Without `burst`, it allows as many at
    /// once as the rate allows per period.
    pub fn new(rate: Rate, burst: Option<RequestCount>) -> Self {
        Self { rate, burst: burst.unwrap_or(rate.requests()) }
    }

    /// Returns the time in which an exhausted limit refills completely.
    pub fn window(self) -> Duration {
        self.rate.interval() * self.burst.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_numbers_per_unit() {
        for (text, interval, window) in [
            ("20/s", Duration::from_millis(50), 1),
            ("600/min", Duration::from_millis(100), 60),
            ("2/h", Duration::from_secs(1_800), 3_600),
        ] {
            let rate: Rate = text.parse().unwrap();
            assert_eq!((rate.to_string().as_str(), rate.interval()), (text, interval));
            assert_eq!(RateLimit::new(rate, None).window(), Duration::from_secs(window));
        }
        let burst = RequestCount::new(100).ok();
        let limit = RateLimit::new("50/s".parse().unwrap(), burst);
        assert_eq!(limit.window(), Duration::from_secs(2));
    }

    #[test]
    fn invalid_rate_is_rejected() {
        for text in [
            "",
            "20",
            "20/",
            "/s",
            "0/s",
            "-1/s",
            "+1/s",
            "1.5/s",
            "20/sec",
            "20/S",
            "20/m",
            "20/d",
            " 20/s",
            "20 /s",
            "1000001/s",
            "unlimited",
        ] {
            assert!(text.parse::<Rate>().is_err(), "{text}");
        }
    }
}

//! The cookies of a customer's browser.
//!
//! The refresh token is for the sign-in calls alone, so its cookie has their path; a name that begins with `__Host-` would need the whole site
//! as its path, hence `__Secure-`. The calls also answer under `/en`, so the cookie is set for both roots, always with one
//! value. Beside it stands a cookie that says no more than that it exists and that a page may read: a page that starts
//! knows by it whether there is a session to be restored.

use crate::api::Cookie;
use crate::customers::CustomerSignedIn;

/// The roots of the sign-in calls.
const PATHS: [&str; 2] = ["/front-api/auth", "/en/front-api/auth"];

/// The cookie a page reads to know whether there is a session to be restored.
const MARKER: &str = "agio_session";

/// How long a browser stays known.
const DEVICE_SECONDS: u64 = 365 * 24 * 60 * 60;

/// Names and attributes, which follow from whether visitors come over HTTPS.
#[derive(Clone, Copy, Debug)]
pub struct Cookies {
    secure: bool,
}

impl Cookies {
    /// For the site at this address.
    pub fn of(site: &str) -> Self {
        Self { secure: site.starts_with("https:") }
    }

    /// The name of the cookie that carries the refresh token.
    pub fn refresh(self) -> &'static str {
        if self.secure { "__Secure-agio_refresh" } else { "agio_refresh" }
    }

    /// The name of the cookie by which a browser is known that was used before.
    pub fn device(self) -> &'static str {
        if self.secure { "__Secure-agio_device" } else { "agio_device" }
    }

    /// What a sign-in or refresh sets.
    pub fn opened(self, signed_in: &CustomerSignedIn) -> Vec<String> {
        let mut cookies = self.session(&signed_in.tokens.refresh, signed_in.tokens.cookie_seconds);
        if let Some(device) = &signed_in.device {
            cookies.extend(self.at_both(self.device(), device, DEVICE_SECONDS));
        }
        cookies
    }

    /// What a sign-out sets: the browser stays known, the session is forgotten.
    pub fn closed(self) -> Vec<String> {
        self.session("", 0)
    }

    fn session(self, token: &str, seconds: u64) -> Vec<String> {
        let mut cookies = self.at_both(self.refresh(), token, seconds);
        cookies.push(Cookie { name: MARKER, path: "/", value: "1", seconds, secure: self.secure, readable: true }.text());
        cookies
    }

    fn at_both(self, name: &str, value: &str, seconds: u64) -> Vec<String> {
        let cookie = |path| Cookie { name, path, value, seconds, secure: self.secure, readable: false }.text();
        PATHS.into_iter().map(cookie).collect()
    }
}

//! The cookies of a browser at the console.
//!
//! They are for the sign-in calls alone, so they have their path; a name that begins with `__Host-` would need the whole site as its path.

use crate::api::Cookie;
use crate::staff::StaffSignedIn;

const PATH: &str = "/api/admin/v1/auth";

/// How long a browser stays known.
const DEVICE_SECONDS: u64 = 365 * 24 * 60 * 60;

/// Names and attributes, which follow from whether staff come over HTTPS.
#[derive(Clone, Copy, Debug)]
pub struct Cookies {
    secure: bool,
}

impl Cookies {
    /// For the console at this address.
    pub fn of(site: &str) -> Self {
        Self { secure: site.starts_with("https:") }
    }

    /// The name of the cookie that carries the refresh token.
    pub fn refresh(self) -> &'static str {
        if self.secure { "__Secure-agio_staff" } else { "agio_staff" }
    }

    /// The name of the cookie by which a browser is known that was used before.
    pub fn device(self) -> &'static str {
        if self.secure { "__Secure-agio_staff_device" } else { "agio_staff_device" }
    }

    /// What a sign-in or refresh sets.
    pub fn opened(self, signed_in: &StaffSignedIn) -> Vec<String> {
        let mut cookies = vec![self.cookie(self.refresh(), &signed_in.tokens.refresh, signed_in.tokens.cookie_seconds)];
        cookies.extend(signed_in.device.as_ref().map(|device| self.cookie(self.device(), device, DEVICE_SECONDS)));
        cookies
    }

    /// What a sign-out sets: the browser stays known, the session is forgotten.
    pub fn closed(self) -> Vec<String> {
        vec![self.cookie(self.refresh(), "", 0)]
    }

    fn cookie(self, name: &str, value: &str, seconds: u64) -> String {
        Cookie { name, path: PATH, value, seconds, secure: self.secure, readable: false }.text()
    }
}

//! The cookies of a signed-in browser.
//!
//! They are limited to the paths of the sign-in endpoints; `__Host-` would require the path `/`, hence `__Secure-`. Those
//! of customers also exist under `/en`, so their cookies are set for both paths with the same value. Another cookie of
//! customers, readable by scripts, only tells a page that there is a session to restore.

use crate::accounts::OpenedSession;
use crate::audience::Audience;

/// `Max-Age` of device cookies.
const DEVICE_SECONDS: u64 = 365 * 24 * 60 * 60;

#[derive(Clone, Copy, Debug)]
pub struct SessionCookies {
    audience: Audience,
    secure: bool,
}

impl SessionCookies {
    pub fn of(audience: Audience, site: &str) -> Self {
        Self { audience, secure: site.starts_with("https:") }
    }

    /// Name of the refresh token cookie.
    pub fn refresh(self) -> &'static str {
        match self.secure {
            true => self.audience.choose("__Secure-agio_staff", "__Secure-agio_refresh"),
            false => self.audience.choose("agio_staff", "agio_refresh"),
        }
    }

    /// Name of the cookie that identifies a known browser.
    pub fn device(self) -> &'static str {
        match self.secure {
            true => self.audience.choose("__Secure-agio_staff_device", "__Secure-agio_device"),
            false => self.audience.choose("agio_staff_device", "agio_device"),
        }
    }

    /// `Set-Cookie` values of a sign-in or refresh.
    pub fn opened(self, session: &OpenedSession) -> Vec<String> {
        let mut cookies = self.session(&session.tokens.refresh, session.tokens.cookie_seconds);
        if let Some(device) = &session.device {
            cookies.extend(self.hidden(self.device(), device, DEVICE_SECONDS));
        }
        cookies
    }

    /// `Set-Cookie` values of a sign-out. The browser stays known.
    pub fn closed(self) -> Vec<String> {
        self.session("", 0)
    }

    fn session(self, token: &str, seconds: u64) -> Vec<String> {
        let mut cookies = self.hidden(self.refresh(), token, seconds);
        if self.audience == Audience::Customers {
            cookies.push(self.cookie("agio_session", "1", "/", seconds, ""));
        }
        cookies
    }

    /// A cookie for the sign-in endpoints that scripts cannot read.
    fn hidden(self, name: &str, value: &str, seconds: u64) -> Vec<String> {
        let paths = self.audience.choose(&["/api/admin/v1/auth"][..], &["/front-api/auth", "/en/front-api/auth"][..]);
        paths.iter().map(|path| self.cookie(name, value, path, seconds, "; HttpOnly")).collect()
    }

    /// `Max-Age` 0 deletes the cookie.
    fn cookie(self, name: &str, value: &str, path: &str, seconds: u64, hidden: &str) -> String {
        let secure = if self.secure { "; Secure" } else { "" };
        format!("{name}={value}; Path={path}; Max-Age={seconds}; SameSite=Strict{hidden}{secure}")
    }
}

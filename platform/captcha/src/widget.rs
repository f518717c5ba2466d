//! Widgets of captcha providers.

use poem_openapi::Enum;
use serde::{Deserialize, Serialize};

/// Provider of the captcha widget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Enum)]
#[serde(rename_all = "lowercase")]
#[oai(rename_all = "lowercase", rename = "CaptchaProvider")]
pub enum CaptchaWidget {
    /// reCAPTCHA v2.
    Recaptcha,
    /// hCaptcha.
    Hcaptcha,
    /// Cloudflare's Turnstile.
    Turnstile,
}

/// Content security policy sources that a widget needs, as in the provider's documentation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContentSources {
    pub scripts: &'static str,
    pub frames: &'static str,
    /// In addition to the site's own styles; may be empty.
    pub styles: &'static str,
    /// `connect-src` in addition to the site's own server; may be empty.
    pub calls: &'static str,
}

const HCAPTCHA: &str = "https://hcaptcha.com https://*.hcaptcha.com";
const TURNSTILE: &str = "https://challenges.cloudflare.com";

impl CaptchaWidget {
    pub const fn sources(self) -> ContentSources {
        match self {
            Self::Recaptcha => ContentSources {
                scripts: "https://www.google.com/recaptcha/ https://www.gstatic.com/recaptcha/",
                frames: "https://www.google.com/recaptcha/ https://recaptcha.google.com/recaptcha/",
                styles: "",
                calls: "",
            },
            Self::Hcaptcha => ContentSources { scripts: HCAPTCHA, frames: HCAPTCHA, styles: HCAPTCHA, calls: HCAPTCHA },
            Self::Turnstile => ContentSources { scripts: TURNSTILE, frames: TURNSTILE, styles: "", calls: "" },
        }
    }
}

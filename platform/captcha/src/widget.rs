//! The providers whose widgets pages can show.

use poem_openapi::Enum;
use serde::{Deserialize, Serialize};

/// Whose widget a page shows. They are rendered and answer alike; the scripts differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Enum)]
#[serde(rename_all = "lowercase")]
#[oai(rename_all = "lowercase", rename = "CaptchaProvider")]
pub enum Widget {
    /// reCAPTCHA v2.
    Recaptcha,
    /// hCaptcha.
    Hcaptcha,
    /// Cloudflare's Turnstile.
    Turnstile,
}

/// What a page may load that shows a widget, in the words of a content security policy: what the provider's documentation names and
/// no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sources {
    /// Scripts.
    pub scripts: &'static str,
    /// Frames.
    pub frames: &'static str,
    /// Styles, beside the page's own; nothing for providers that need none.
    pub styles: &'static str,
    /// What scripts may ask, beside the page's own server; nothing for providers that need none.
    pub calls: &'static str,
}

const HCAPTCHA: &str = "https://hcaptcha.com https://*.hcaptcha.com";
const TURNSTILE: &str = "https://challenges.cloudflare.com";

impl Widget {
    /// What a page that shows the widget loads.
    #[must_use]
    pub const fn sources(self) -> Sources {
        match self {
            Self::Recaptcha => Sources {
                scripts: "https://www.google.com/recaptcha/ https://www.gstatic.com/recaptcha/",
                frames: "https://www.google.com/recaptcha/ https://recaptcha.google.com/recaptcha/",
                styles: "",
                calls: "",
            },
            Self::Hcaptcha => Sources { scripts: HCAPTCHA, frames: HCAPTCHA, styles: HCAPTCHA, calls: HCAPTCHA },
            Self::Turnstile => Sources { scripts: TURNSTILE, frames: TURNSTILE, styles: "", calls: "" },
        }
    }
}

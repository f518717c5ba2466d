//! The accent colour and its contrast, after WCAG 2.2.

use agio_core::error::FieldError;

/// A colour of the sRGB space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Color([u8; 3]);

/// The accent of an installation that has not chosen one: the yellow the site was drawn with.
pub const DEFAULT_ACCENT: Color = Color([0xff, 0xd2, 0x3f]);

/// Dark text. The sites' own ink is a little darker, so that a contrast with this one is never too high.
pub const INK: Color = Color([0x12, 0x2b, 0x2c]);
pub const WHITE: Color = Color([0xff; 3]);

/// The page behind an accent, as in `theme-color` of the public site.
const LIGHT_PAPER: Color = Color([0xee, 0xf3, 0xef]);
const DARK_PAPER: Color = Color([0x07, 0x13, 0x14]);

/// Contrast of text with its background, and of a graphic with what surrounds it.
const TEXT_CONTRAST_MIN: f64 = 4.5;
const GRAPHIC_CONTRAST_MIN: f64 = 3.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    Light,
    Dark,
}

impl Color {
    /// Parses `#rrggbb`.
    pub fn parse(text: &str) -> Option<Self> {
        let digits =
            text.strip_prefix('#').filter(|digits| digits.len() == 6 && digits.bytes().all(|c| c.is_ascii_hexdigit()))?;
        let part = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).ok();
        Some(Self([part(0)?, part(2)?, part(4)?]))
    }

    /// The relative luminance, from 0 for black to 1 for white.
    fn luminance(self) -> f64 {
        let [red, green, blue] = self.0.map(|value| {
            let value = f64::from(value) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * red + 0.7152 * green + 0.0722 * blue
    }

    /// The contrast of two colours, from 1 to 21.
    pub fn contrast(self, other: Self) -> f64 {
        let (one, two) = (self.luminance(), other.luminance());
        (one.max(two) + 0.05) / (one.min(two) + 0.05)
    }

    /// The colour of text on this one: ink or white, whichever is easier to read.
    #[must_use]
    pub fn text_on(self) -> Self {
        if self.contrast(INK) >= self.contrast(WHITE) { INK } else { WHITE }
    }

    /// What makes this accent illegible in a theme. The error's text names the contrast.
    ///
    /// # Errors
    /// `accent_text_contrast`, `accent_too_pale` and `accent_too_dark`.
    pub fn check(self, field: &str, theme: Theme) -> Result<(), FieldError> {
        let text = self.contrast(self.text_on());
        if text < TEXT_CONTRAST_MIN {
            return Err(contrast_error(field, "accent_text_contrast", text, TEXT_CONTRAST_MIN));
        }
        let (paper, code) = match theme {
            Theme::Light => (LIGHT_PAPER, "accent_too_pale"),
            Theme::Dark => (DARK_PAPER, "accent_too_dark"),
        };
        let graphic = self.contrast(paper);
        if graphic < GRAPHIC_CONTRAST_MIN {
            return Err(contrast_error(field, code, graphic, GRAPHIC_CONTRAST_MIN));
        }
        Ok(())
    }
}

/// The figure is cut, not rounded: 4.49 must not be shown as 4.5.
fn contrast_error(field: &str, code: &'static str, contrast: f64, least: f64) -> FieldError {
    FieldError::new(field, code).with("contrast", format!("{:.2}", (contrast * 100.0).floor() / 100.0)).with("min", least)
}

/// `#rrggbb`.
impl std::fmt::Display for Color {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [red, green, blue] = self.0;
        write!(f, "#{red:02x}{green:02x}{blue:02x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn color(text: &str) -> Color {
        Color::parse(text).unwrap()
    }

    #[test]
    fn contrasts_are_those_of_the_standard() {
        assert!((color("#000000").contrast(WHITE) - 21.0).abs() < 1e-9);
        assert!((color("#777777").contrast(WHITE) - 4.478).abs() < 0.001, "the well-known grey just below 4.5");
        assert!((WHITE.contrast(color("#777777")) - 4.478).abs() < 0.001);
        assert!((WHITE.contrast(WHITE) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn an_accent_is_legible_in_its_theme() {
        for (text, theme, code) in [
            ("#0f766e", Theme::Light, None),
            ("#0f766e", Theme::Dark, None),
            ("#2563eb", Theme::Light, None),
            ("#1e1b4b", Theme::Light, None),
            ("#1e1b4b", Theme::Dark, Some("accent_too_dark")),
            ("#fde68a", Theme::Light, Some("accent_too_pale")),
            ("#fde68a", Theme::Dark, None),
            ("#8c8c8c", Theme::Dark, Some("accent_text_contrast")),
        ] {
            assert_eq!(color(text).check("accent", theme).err().map(|error| error.code), code, "{text} {theme:?}");
        }
        let error = color("#fde68a").check("accent", Theme::Light).unwrap_err();
        assert_eq!((error.params["contrast"].as_str(), error.params["min"].as_str()), ("1.10", "3"));
    }

    #[test]
    fn only_full_hexadecimal_colours_are_accepted() {
        assert_eq!(color("#0F766e").to_string(), "#0f766e");
        for text in ["", "#fff", "0f766e", "#0f766e80", "#0f766g", "#+f766e", "red", "#0f766e;}"] {
            assert_eq!(Color::parse(text), None, "{text}");
        }
    }

    #[test]
    fn the_site_is_drawn_on_this_paper() {
        let page = include_str!("../../../public-web/index.html");
        for paper in [LIGHT_PAPER, DARK_PAPER] {
            assert!(page.contains(&format!("content=\"{paper}\"")), "{paper}");
        }
        assert!(include_str!("../../../public-web/src/styles/tokens.css").contains(&format!("--accent: {DEFAULT_ACCENT};")));
    }
}

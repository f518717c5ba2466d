//! What the letters to customers and to staff share.

use agio_core::Timestamp;

/// A moment as a letter writes it: `2024-03-28 12:00 UTC`.
pub fn minute(moment: Timestamp) -> String {
    let text = moment.to_string();
    format!("{} UTC", text.get(..16).unwrap_or(&text).replace('T', " "))
}

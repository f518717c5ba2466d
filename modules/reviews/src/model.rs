//! What a review says, and what the site shows of it.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use agio_core::texts::Locale;
use agio_core::{FieldError, Timestamp, named};
use uuid::Uuid;

/// In characters.
pub const TEXT_MAX: usize = 2_000;
/// In characters.
pub const NAME_MAX: usize = 40;
/// Of a public answer, in characters.
pub const REPLY_MAX: usize = 1_000;
/// Of a rejection, in characters.
pub const REASON_MAX: usize = 300;
const RATINGS: std::ops::RangeInclusive<i64> = 1..=5;

named! {
    /// The state of a review.
    ReviewState {
        /// The customer has not written it.
        Unwritten = "unwritten",
        /// Waits for staff; the customer may still change it.
        Pending = "pending",
        Published = "published",
        Rejected = "rejected",
    }
}

named! {
    /// What staff decide about a review.
    ReviewDecision {
        Publish = "publish",
        Reject = "reject",
    }
}

/// What a customer writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewText {
    /// From 1 to 5.
    pub rating: i64,
    /// Plain text.
    pub text: String,
    /// The name shown with it; empty for none.
    pub name: String,
}

impl ReviewText {
    /// Trims the text and normalizes line ends.
    ///
    /// # Errors
    /// What is wrong with each field.
    pub fn checked(self) -> Result<Self, Vec<FieldError>> {
        let review = Self { rating: self.rating, text: trimmed(&self.text), name: self.name.trim().to_owned() };
        let mut wrong = Vec::new();
        if !RATINGS.contains(&review.rating) {
            wrong.push(FieldError::new("rating", "review_rating_invalid"));
        }
        wrong.extend(block_error("text", &review.text, TEXT_MAX));
        if review.name.chars().count() > NAME_MAX {
            wrong.push(FieldError::new("name", "text_too_long").with("max", NAME_MAX));
        } else if !review.name.chars().all(is_plain) {
            wrong.push(FieldError::new("name", "text_not_plain"));
        }
        if wrong.is_empty() { Ok(review) } else { Err(wrong) }
    }
}

/// A text of several lines without surrounding space.
pub fn trimmed(text: &str) -> String {
    text.replace("\r\n", "\n").trim().to_owned()
}

/// What is wrong with a required text of several lines.
pub fn block_error(field: &str, text: &str, max: usize) -> Option<FieldError> {
    let code = if text.is_empty() {
        "required"
    } else if text.chars().count() > max {
        "text_too_long"
    } else if !text.chars().all(|c| c == '\n' || is_plain(c)) {
        "text_not_plain"
    } else {
        return None;
    };
    Some(FieldError::new(field, code).with("max", max))
}

/// Neither a control character nor one that changes the direction of the text around it.
fn is_plain(character: char) -> bool {
    !character.is_control() && !matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// A review that the site shows. It names nothing of the claim but its direction and month.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PublishedReview {
    pub id: Uuid,
    /// From 1 to 5.
    pub rating: i64,
    pub text: String,
    /// May be empty.
    pub name: String,
    /// The language of the page it was written on.
    pub locale: Locale,
    /// Tickers of the exchange.
    pub give: String,
    pub receive: String,
    pub exchanged_at: Timestamp,
    /// The public answer; may be empty.
    pub reply: String,
}

/// What the site shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PublishedReviews {
    /// Of the content: equal on all nodes.
    number: u64,
    /// Of all published reviews.
    count: i64,
    /// Of their ratings.
    sum: i64,
    /// The newest ones, newest first.
    latest: Vec<PublishedReview>,
}

impl PublishedReviews {
    pub fn new(count: i64, sum: i64, latest: Vec<PublishedReview>) -> Self {
        let mut hasher = DefaultHasher::new();
        (count, sum, &latest).hash(&mut hasher);
        Self { number: hasher.finish(), count, sum, latest }
    }

    pub fn number(&self) -> u64 {
        self.number
    }

    pub fn count(&self) -> i64 {
        self.count
    }

    pub fn latest(&self) -> &[PublishedReview] {
        &self.latest
    }

    /// The average rating in tenths, rounded down: never shown better than it is. `None` without reviews.
    pub fn average_tenths(&self) -> Option<i64> {
        (self.sum * 10).checked_div(self.count)
    }

    /// The reviews without this one.
    pub fn without(&self, review: Uuid) -> Self {
        match self.latest.iter().find(|known| known.id == review) {
            None => self.clone(),
            Some(gone) => {
                let latest = self.latest.iter().filter(|known| known.id != review).cloned().collect();
                Self::new(self.count - 1, self.sum - gone.rating, latest)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn review(rating: i64, text: &str, name: &str) -> ReviewText {
        ReviewText { rating, text: text.into(), name: name.into() }
    }

    #[test]
    fn a_review_is_plain_text() {
        let checked = review(5, " Быстро.\r\nСпасибо! \n", " Анна ").checked().unwrap();
        assert_eq!(checked, review(5, "Быстро.\nСпасибо!", "Анна"));
        for (refused, field) in [
            (review(0, "x", ""), "rating"),
            (review(6, "x", ""), "rating"),
            (review(5, " \n", ""), "text"),
            (review(5, &"x".repeat(TEXT_MAX + 1), ""), "text"),
            (review(5, "a\u{0}", ""), "text"),
            (review(5, "a\u{202e}b", ""), "text"),
            (review(5, "x", "a\nb"), "name"),
            (review(5, "x", &"x".repeat(NAME_MAX + 1)), "name"),
        ] {
            let wrong = refused.checked().unwrap_err();
            assert_eq!(wrong.iter().map(|error| error.field.as_str()).collect::<Vec<_>>(), [field]);
        }
    }

    proptest! {
        #[test]
        fn the_average_is_never_better_than_it_is(ratings in prop::collection::vec(1_i64..=5, 0..50)) {
            let count = i64::try_from(ratings.len()).unwrap();
            let shown = PublishedReviews::new(count, ratings.iter().sum(), Vec::new());
            match shown.average_tenths() {
                None => prop_assert!(ratings.is_empty()),
                Some(tenths) => {
                    let sum: i64 = ratings.iter().sum();
                    prop_assert!(tenths * count <= sum * 10 && sum * 10 < (tenths + 1) * count);
                    prop_assert!((10..=50).contains(&tenths));
                }
            }
        }
    }
}

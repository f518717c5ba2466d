//! Pages of rows in the order of a sort key.

/// The rows of a page, and the sort key of the last one if more follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeysetPage<R, K> {
    pub rows: Vec<R>,
    pub next: Option<K>,
}

impl<R, K> KeysetPage<R, K> {
    /// Takes rows that were read with a limit of `size + 1`: the row too many tells that a page follows.
    pub fn of(mut rows: Vec<R>, size: usize, key: impl FnOnce(&R) -> K) -> Self {
        let has_more = rows.len() > size;
        rows.truncate(size);
        let next = rows.last().filter(|_| has_more).map(key);
        Self { rows, next }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_last_page_promises_no_next_one() {
        assert_eq!(KeysetPage::of(vec![1, 2], 2, |row| *row), KeysetPage { rows: vec![1, 2], next: None });
        assert_eq!(KeysetPage::of(vec![1, 2, 3], 2, |row| *row), KeysetPage { rows: vec![1, 2], next: Some(2) });
        assert_eq!(KeysetPage::of(Vec::<i32>::new(), 2, |row| *row), KeysetPage { rows: vec![], next: None });
    }
}

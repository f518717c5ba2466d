//! The money rules, seen from outside: known figures, a million random exchanges, the vectors
//! shared with the page, published rate files, cross rates, prices and quotes.

mod cross;
mod feeds;
mod hostile_feeds;
mod known;
mod pricing;
mod properties;
mod quotes;
mod random;
mod vectors;

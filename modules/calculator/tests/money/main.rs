//! The money rules, seen from outside: known figures, a million random exchanges, the vectors
//! shared with the page, cross rates, prices and quotes.

mod cross;
mod demo_day;
mod known;
mod pricing;
mod properties;
mod quotes;
mod random;
mod vectors;

//! Contests, through HTTP.

mod console;
mod people;
mod way;

//! Texts of the pages and messages to support, through HTTP.

mod contact;
mod nodes;
mod people;
mod publishing;
mod serving;

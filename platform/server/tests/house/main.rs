//! Rules of the whole house, each checked by a test and not by memory.

mod crowd;
mod door;
mod examples;
mod nodes;
mod schema;
mod walls;

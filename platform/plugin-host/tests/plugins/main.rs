//! Plugins in processes of their own, good ones and others.

#![expect(clippy::unwrap_used, reason = "a test that finds something else than it expects has failed")]

mod bench;
mod crimes;
mod life;
mod loading;
mod newcomer;
mod orphans;

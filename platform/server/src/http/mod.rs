//! The HTTP layer: everything before and after the handlers.

pub mod arrival;
pub mod brand;
pub mod client_address;
pub mod docs;
pub mod embedded_sites;
pub mod health;
pub mod idempotency;
pub mod languages;
pub mod listeners;
pub mod market_pages;
pub mod middleware;
pub mod news_pages;
pub mod page_content;
pub mod page_template;
mod paged_list;
mod partner_gateway;
pub mod rate_limit;
pub mod review_pages;
pub mod site;
pub mod sitemap;
pub mod streams;
mod trustee_gateway;

//! The sandbox network: a made-up one with money that is worth nothing. The demonstration has one beside it, so that payments which nobody of staff
//! looks at can be tried on one machine.
//!
//! Ether lives on it: customers pay it to addresses of the network, by the wallet that the network itself serves. Tether is only paid out on it.
//! What the demonstration sets up for that is an operator's to change. It is set up once, and again when the network was away or has moved.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use agio_calculator::market::{BilingualNotice, Notice, Notices, PairChange};
use agio_core::error::Params;
use agio_core::texts::{Locale, Texts};
use agio_core::{Error, Result};
use agio_payments::RouteChange;
use agio_plugin::protocol::{Call, Watch};
use agio_plugins::PluginChange;
use agio_sandbox_chain::Service;
use rust_decimal::Decimal;

use crate::app::App;
use crate::config::Config;
use crate::demo::house;

/// The driver of the network, and the setting that says where it is.
const DRIVER: &str = "sandbox-chain";
const URL: &str = "url";

/// What the house has in its wallet on each network, in units of 10^-8: a million coins.
const WALLET: u64 = 100_000_000_000_000;

/// How often the demonstration's network finds a block.
const BLOCK: Duration = Duration::from_secs(5);

/// The journal of the demonstration's network.
const JOURNAL: &str = "sandbox-chain.journal";

/// The currency customers pay on the network.
const PAID: &str = "ETH";

/// How a currency of the demonstration is handled on the network.
struct Way {
    code: &'static str,
    is_paid: bool,
    pays_out: bool,
    claim_limit: &'static str,
    day_limit: &'static str,
}

/// Ether comes in and tether goes out. Whoever gives tether pays it to the requisites of the house as before.
const WAYS: [Way; 2] = [
    Way { code: PAID, is_paid: true, pays_out: false, claim_limit: "0", day_limit: "0" },
    Way { code: "USDTTRC20", is_paid: false, pays_out: true, claim_limit: "3000", day_limit: "30000" },
];

/// Confirmations that are waited for.
const CONFIRMATIONS: i64 = 2;

/// What is less than this is not looked at.
const DUST: &str = "0.00001";

/// The title of the notice that tells customers of the network.
const NOTICE_TITLE: &str = "sandbox.notice.title";

/// Whether a sandbox network may be served at an address.
///
/// # Errors
/// Others than this machine could reach it, or it would be at another place each time.
pub fn check_address(address: SocketAddr) -> Result<()> {
    if address.ip().is_loopback() && address.port() != 0 {
        return Ok(());
    }
    Err(Error::internal("the sandbox network answers on this machine alone: name an address such as 127.0.0.1:18999"))
}

/// Where a sandbox network at an address is found.
#[must_use]
pub fn url(address: SocketAddr) -> String {
    format!("http://{address}/")
}

/// Serves a sandbox network until the process is told to stop.
///
/// # Errors
/// Nothing may or can listen there, or the journal cannot be used.
pub async fn serve(listen: SocketAddr, seed: u64, journal: Option<&Path>, block_seconds: u64) -> Result<()> {
    check_address(listen)?;
    let started = match journal {
        Some(journal) => Service::start_with(journal, seed, WALLET, listen).await,
        None => Service::start(seed, WALLET, listen).await,
    };
    let mut service = started.map_err(Error::internal)?;
    println!("{}", service.url);
    if block_seconds > 0 {
        service.find_blocks(Duration::from_secs(block_seconds));
    }
    tokio::signal::ctrl_c().await.map_err(Error::internal)
}

/// Starts the network beside the demonstration, if it has one, and sees to it that automatic payments are on while it is there. Without it the
/// demonstration goes on: it is said why, and customers pay to the requisites of the house.
///
/// # Errors
/// The database cannot be written.
pub async fn open(app: &App, config: &Config) -> Result<Option<Service>> {
    let Some(address) = config.demo.sandbox_chain else { return Ok(None) };
    let mut seed = [0; 8];
    app.platform.random.fill(&mut seed);
    match Service::start_with(&journal_of(config), u64::from_le_bytes(seed), WALLET, address).await {
        Ok(mut service) => {
            service.find_blocks(BLOCK);
            if is_set_up(app)? && set_url(app)?.as_deref() != Some(&url(address)) {
                set_up(app, &url(address)).await?;
            }
            tracing::info!(wallet = service.url, "the sandbox network answers");
            Ok(Some(service))
        }
        Err(_) if is_served_elsewhere(app, address).await? => {
            tracing::info!(%address, "another node serves the sandbox network");
            Ok(None)
        }
        Err(error) => {
            tracing::warn!(
                %address,
                %error,
                "the sandbox network cannot be served, so nothing is paid automatically; --set demo.sandbox_chain= names another address"
            );
            if is_set_up(app)? {
                take_down(app).await?;
            }
            Ok(None)
        }
    }
}

/// Whether the network answers at the address where this node was to serve it: then another node of the demonstration does.
async fn is_served_elsewhere(app: &App, address: SocketAddr) -> Result<bool> {
    let place = |url: &str| url.trim_end_matches('/').to_owned();
    if !is_set_up(app)? || set_url(app)?.map(|set| place(&set)) != Some(place(&url(address))) {
        return Ok(false);
    }
    let watch = Watch { currency: PAID.to_owned(), cursor: None, confirmations: 1 };
    Ok(app.plugins.ask(DRIVER, Call::Watch(watch)).await.is_ok())
}

/// The file beside the database, or beside the folder of receipts.
fn journal_of(config: &Config) -> PathBuf {
    match config.database.url.0.strip_prefix("sqlite:") {
        Some(path) => Path::new(path.trim_start_matches("//")).with_file_name(JOURNAL),
        None => config.files.receipts.with_file_name(JOURNAL),
    }
}

/// Sets up automatic payments over the network at a place, unless they were set up before.
///
/// # Errors
/// The database cannot be written.
pub async fn seed(app: &App, url: &str) -> Result<()> {
    if is_set_up(app)? { Ok(()) } else { set_up(app, url).await }
}

/// Whether anybody has ever set the driver.
fn is_set_up(app: &App) -> Result<bool> {
    Ok(app.shelf.entry(DRIVER)?.held.load().revision > 0)
}

fn set_url(app: &App) -> Result<Option<String>> {
    Ok(app.shelf.entry(DRIVER)?.held.load().settings.get(URL).cloned())
}

async fn set_up(app: &App, url: &str) -> Result<()> {
    change_driver(app, Some(true), Some(url.to_owned())).await?;
    for way in &WAYS {
        let currency = currency(app, way.code)?;
        let route = match app.payments.route(currency).await? {
            Some(other) if other.driver != DRIVER => continue,
            Some(before) => RouteChange { enabled: way.is_paid, ..before },
            None => way.route()?,
        };
        app.payments.set_route(currency, route, house()).await?;
    }
    change_notices(app, Some(notice(app.texts(), url))).await
}

/// Customers are given no addresses of a network that is not there.
async fn take_down(app: &App) -> Result<()> {
    let currency = currency(app, PAID)?;
    if let Some(before) = app.payments.route(currency).await?.filter(|route| route.enabled && route.driver == DRIVER) {
        app.payments.set_route(currency, RouteChange { enabled: false, ..before }, house()).await?;
    }
    if set_url(app)?.is_some() {
        change_driver(app, None, None).await?;
    }
    change_notices(app, None).await
}

impl Way {
    fn route(&self) -> Result<RouteChange> {
        let number = |text: &str| text.parse::<Decimal>().map_err(Error::internal);
        Ok(RouteChange {
            revision: 0,
            driver: DRIVER.into(),
            enabled: self.is_paid,
            confirmations: CONFIRMATIONS,
            tolerance: Decimal::ZERO,
            dust: number(DUST)?,
            screening: None,
            auto_payout: self.pays_out,
            claim_limit: number(self.claim_limit)?,
            day_limit: number(self.day_limit)?,
        })
    }
}

async fn change_driver(app: &App, enabled: Option<bool>, url: Option<String>) -> Result<()> {
    let revision = app.shelf.entry(DRIVER)?.held.load().revision;
    let change = PluginChange { enabled, settings: BTreeMap::from([(URL.to_owned(), url)]) };
    app.shelf.change(DRIVER, revision, change, house()).await
}

fn currency(app: &App, code: &str) -> Result<i64> {
    let market = app.calculator.market();
    market.currency_named(code).map(|currency| currency.id()).ok_or_else(|| Error::internal(format!("the market has no {code}")))
}

/// What customers who pay on the network are told.
fn notice(texts: &Texts, url: &str) -> BilingualNotice {
    let place = Params::from([("url", url.to_owned())]);
    let of = |locale| Notice {
        title: texts.get(locale, NOTICE_TITLE, &place),
        message: texts.get(locale, "sandbox.notice.message", &place),
    };
    BilingualNotice { ru: of(Locale::Ru), en: of(Locale::En) }
}

/// Puts a notice to every pair of the currency that is paid on the network, or takes it away; what an operator wrote stays.
async fn change_notices(app: &App, notice: Option<BilingualNotice>) -> Result<()> {
    let paid = currency(app, PAID)?;
    let title = app.texts().get(Locale::Ru, NOTICE_TITLE, &Params::new());
    for pair in app.calculator.market().pairs.iter().filter(|pair| pair.from.id() == paid) {
        let own = &pair.pair.notices;
        if own.from == notice || own.from.as_ref().is_some_and(|known| known.ru.title != title) {
            continue;
        }
        let notices = Notices { from: notice.clone(), ..own.clone() };
        let change = PairChange { notices: Some(notices), ..PairChange::default() };
        app.calculator.change_pair(pair.pair.id, pair.pair.revision, change, &house()).await?;
    }
    Ok(())
}

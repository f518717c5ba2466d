//! The sandbox network: a simulated network for trying automatic payments on one machine.
//!
//! Customers of the demo pay Ether to addresses of the network with the wallet that it serves. Tether is only paid out
//! on it. Operators may change these routes. They are set up once, and again if the network was unavailable or has
//! moved.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use agio_calculator::market::{BilingualNotice, NoticeText, PairChange, PairNotices};
use agio_core::error::Params;
use agio_core::texts::{Locale, Texts};
use agio_core::{Error, Result};
use agio_payments::RouteChange;
use agio_plugin_admin::PluginUpdate;
use agio_plugin_sdk::protocol::{Call, WatchRequest};
use agio_sandbox_chain::Service;
use rust_decimal::Decimal;

use crate::app::App;
use crate::config::Config;
use crate::demo::demo_staff;

/// The driver of the network, and its URL setting.
const DRIVER: &str = "sandbox-chain";
const URL: &str = "url";

/// The initial balance of the exchange's wallet in units of 10^-8: a million coins.
const WALLET: u64 = 100_000_000_000_000;

/// The block interval.
const BLOCK: Duration = Duration::from_secs(5);

/// The journal file of the network.
const JOURNAL: &str = "sandbox-chain.journal";

const PAID_CURRENCY: &str = "ETH";

/// The payment route of a currency.
struct SandboxRoute {
    code: &'static str,
    is_paid: bool,
    pays_out: bool,
    claim_limit: &'static str,
    day_limit: &'static str,
}

/// Ether is received and Tether is paid out. Customers who give Tether use requisites as before.
const ROUTES: [SandboxRoute; 2] = [
    SandboxRoute { code: PAID_CURRENCY, is_paid: true, pays_out: false, claim_limit: "0", day_limit: "0" },
    SandboxRoute { code: "USDTTRC20", is_paid: false, pays_out: true, claim_limit: "3000", day_limit: "30000" },
];

const CONFIRMATIONS: i64 = 2;

/// Smaller payments are ignored.
const DUST: &str = "0.00001";

/// The title of the customer notice about the network.
const NOTICE_TITLE: &str = "sandbox.notice.title";

/// # Errors
/// If the address is not local, or has no fixed port.
pub fn check_address(address: SocketAddr) -> Result<()> {
    if address.ip().is_loopback() && address.port() != 0 {
        return Ok(());
    }
    Err(Error::internal("the sandbox network needs a local address with a port, such as 127.0.0.1:18999"))
}

/// The URL of a sandbox network.
pub fn url(address: SocketAddr) -> String {
    format!("http://{address}/")
}

/// Serves a sandbox network until the process is asked to stop.
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

/// Starts the network if one is configured, and enables automatic payments. If it cannot start, the demo continues with
/// requisites and logs the reason.
pub async fn open(app: &App, config: &Config) -> Result<Option<Service>> {
    let Some(address) = config.demo.sandbox_chain else { return Ok(None) };
    let mut seed = [0; 8];
    app.platform.random.fill(&mut seed);
    match Service::start_with(&journal_of(config), u64::from_le_bytes(seed), WALLET, address).await {
        Ok(mut service) => {
            service.find_blocks(BLOCK);
            if was_enabled(app)? && configured_url(app)?.as_deref() != Some(&url(address)) {
                enable(app, &url(address)).await?;
            }
            tracing::info!(wallet = service.url, "the sandbox network is running");
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
                "the sandbox network cannot start, so payments are not automatic; set another address with --set demo.sandbox_chain="
            );
            if was_enabled(app)? {
                disable(app).await?;
            }
            Ok(None)
        }
    }
}

/// Whether another node already serves the network at this address.
async fn is_served_elsewhere(app: &App, address: SocketAddr) -> Result<bool> {
    let place = |url: &str| url.trim_end_matches('/').to_owned();
    if !was_enabled(app)? || configured_url(app)?.map(|set| place(&set)) != Some(place(&url(address))) {
        return Ok(false);
    }
    let watch = WatchRequest { currency: PAID_CURRENCY.to_owned(), cursor: None, confirmations: 1 };
    Ok(app.plugins.call(DRIVER, Call::Watch(watch)).await.is_ok())
}

/// The journal next to the database, or next to the folder of receipts.
fn journal_of(config: &Config) -> PathBuf {
    match config.database.url.0.strip_prefix("sqlite:") {
        Some(path) => Path::new(path.trim_start_matches("//")).with_file_name(JOURNAL),
        None => config.files.receipts.with_file_name(JOURNAL),
    }
}

/// Enables automatic payments at this URL, unless they were enabled before.
pub async fn seed(app: &App, url: &str) -> Result<()> {
    if was_enabled(app)? { Ok(()) } else { enable(app, url).await }
}

/// Whether the driver was ever configured.
fn was_enabled(app: &App) -> Result<bool> {
    Ok(app.plugin_manager.entry(DRIVER)?.configuration.load().revision > 0)
}

fn configured_url(app: &App) -> Result<Option<String>> {
    Ok(app.plugin_manager.entry(DRIVER)?.configuration.load().settings.get(URL).cloned())
}

async fn enable(app: &App, url: &str) -> Result<()> {
    change_driver(app, Some(true), Some(url.to_owned())).await?;
    for route_spec in &ROUTES {
        let currency = currency(app, route_spec.code)?;
        let route = match app.payments.route(currency).await? {
            Some(other) if other.driver != DRIVER => continue,
            Some(before) => RouteChange { enabled: route_spec.is_paid, ..before },
            None => route_spec.route()?,
        };
        app.payments.set_route(currency, route, demo_staff()).await?;
    }
    change_notices(app, Some(notice(app.texts(), url))).await
}

/// Disables payments while the network is not running.
async fn disable(app: &App) -> Result<()> {
    let currency = currency(app, PAID_CURRENCY)?;
    if let Some(before) = app.payments.route(currency).await?.filter(|route| route.enabled && route.driver == DRIVER) {
        app.payments.set_route(currency, RouteChange { enabled: false, ..before }, demo_staff()).await?;
    }
    if configured_url(app)?.is_some() {
        change_driver(app, None, None).await?;
    }
    change_notices(app, None).await
}

impl SandboxRoute {
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
    let revision = app.plugin_manager.entry(DRIVER)?.configuration.load().revision;
    let update = PluginUpdate { enabled, settings: BTreeMap::from([(URL.to_owned(), url)]), ..PluginUpdate::default() };
    app.plugin_manager.update_at_once(DRIVER, revision, update, demo_staff()).await
}

fn currency(app: &App, code: &str) -> Result<i64> {
    let market = app.calculator.market();
    market.currency_named(code).map(|currency| currency.id()).ok_or_else(|| Error::internal(format!("the market has no {code}")))
}

/// The customer notice about the network.
fn notice(texts: &Texts, url: &str) -> BilingualNotice {
    let place = Params::from([("url", url.to_owned())]);
    let of = |locale| NoticeText {
        title: texts.get(locale, NOTICE_TITLE, &place),
        message: texts.get(locale, "sandbox.notice.message", &place),
    };
    BilingualNotice { ru: of(Locale::Ru), en: of(Locale::En) }
}

/// Sets or removes the notice of every pair of the paid currency. Notices of operators stay.
async fn change_notices(app: &App, notice: Option<BilingualNotice>) -> Result<()> {
    let paid = currency(app, PAID_CURRENCY)?;
    let title = app.texts().get(Locale::Ru, NOTICE_TITLE, &Params::new());
    for pair in app.calculator.market().pairs.iter().filter(|pair| pair.give.id() == paid) {
        let own = &pair.pair.notices;
        if own.from == notice || own.from.as_ref().is_some_and(|known| known.ru.title != title) {
            continue;
        }
        let notices = PairNotices { from: notice.clone(), ..own.clone() };
        let change = PairChange { notices: Some(notices), ..PairChange::default() };
        app.calculator.update_pair(pair.pair.id, pair.pair.revision, change, &demo_staff()).await?;
    }
    Ok(())
}

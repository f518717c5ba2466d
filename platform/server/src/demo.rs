//! Demo data: everything needed to try Agio, with simulated money.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use agio_auth::NewStaff;
use agio_claims::model::Action;
use agio_claims::{CustomerConsents, NewClaim, Requester, StaffTransition, TransitionInput};
use agio_contracts::{QuoteProvider as _, QuoteRequest, StaffEmails as _};
use agio_core::identity::{Actor, Role, Staff};
use agio_core::texts::Locale;
use agio_core::{Error, Result};
use agio_discounts::TierTableUpdate;
use agio_partners::model::KeyScope;
use agio_partners::{NewPartner, NewPartnerKey};
use rust_decimal::Decimal;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::app::App;
use crate::backup::progress::Progress;
use crate::config::Config;
use crate::output::say;
use crate::sandbox;

/// Public logins, never for production.
const LOGINS: [(Role, &str, &str, &str); 3] = [
    (Role::Owner, "owner@agio.example", "Анна Котова", "agio-demo-owner"),
    (Role::Operator, "operator@agio.example", "Дмитрий Ланской", "agio-demo-operator"),
    (Role::Auditor, "auditor@agio.example", "Мария Седова", "agio-demo-auditor"),
];

/// Seeds the market of the demo from its file, with rates. Idempotent.
pub async fn seed_market(app: &App) -> Result<()> {
    app.calculator.seed_demo(&app.market_parts()).await
}

/// Seeds the market, logins, some claims, and automatic payments if there is a sandbox network. Prints the URLs and
/// logins.
pub async fn seed(app: &App, config: &Config) -> Result<()> {
    check_no_real_staff(app).await?;
    seed_market(app).await?;
    for (role, email, name, password) in LOGINS {
        if !app.auth.staff_exists(email).await? {
            let new = NewStaff { email: email.into(), name: name.into(), role, password: password.into() };
            app.auth.add_staff(new).await?;
        }
    }
    seed_discounts(app).await?;
    if app.claims.overview(1).await?.open == 0 {
        seed_claims(app).await?;
    }
    if app.partners.list_partners().await?.is_empty() {
        seed_partner(app).await?;
    }
    // After the claims, which must use requisites: the network is not running yet and has no addresses.
    if let Some(address) = config.demo.sandbox_chain {
        sandbox::seed(app, &sandbox::url(address)).await?;
    }
    let public_url = &config.server.public_url;
    say!("Site     {public_url}/\nConsole  {public_url}/admin/\nDocs     {public_url}/docs");
    if let Some(address) = config.demo.sandbox_chain {
        say!("Wallet   {}", sandbox::url(address));
    }
    say!();
    for (role, email, _, password) in LOGINS {
        say!("{:<9} {email:<24} {password}", role.name());
    }
    Ok(())
}

/// Discount tiers: the minimum volume in the base currency, and the bonus in percent.
const TIERS: [(&str, &str); 4] = [("1000", "0.1"), ("5000", "0.2"), ("20000", "0.35"), ("100000", "0.5")];

/// Seeds the discount tiers, unless there are some.
async fn seed_discounts(app: &App) -> Result<()> {
    let (table, _) = app.discounts.table().await?;
    if table.ticker.is_some() {
        return Ok(());
    }
    let number = |text: &str| text.parse::<Decimal>().map_err(Error::internal);
    let tiers = TIERS.iter().map(|(min, percent)| Ok((number(min)?, number(percent)?))).collect::<Result<_>>()?;
    app.discounts.update_tiers(TierTableUpdate { revision: table.revision, tiers }, demo_staff()).await
}

/// Refuses to seed the database of a real exchange.
///
/// # Errors
/// If there is staff without any demo login.
async fn check_no_real_staff(app: &App) -> Result<()> {
    if app.auth.addresses().await?.is_empty() || has_demo_login(app).await? {
        return Ok(());
    }
    Err(Error::internal(
        "this database has real staff, so it is not filled with demo data: name another one with --set database.url=...",
    ))
}

/// Whether a public demo login exists.
///
/// # Errors
/// The staff cannot be read.
pub async fn has_demo_login(app: &App) -> Result<bool> {
    let staff = app.auth.addresses().await?;
    Ok(staff.iter().any(|staff| LOGINS.iter().any(|(_, email, ..)| *email == staff.email)))
}

/// Refuses to serve the demo database in production.
///
/// # Errors
/// If a demo login exists.
pub async fn check_no_demo_logins(app: &App) -> Result<()> {
    if !has_demo_login(app).await? {
        return Ok(());
    }
    Err(Error::internal(
        "this database has the public demo logins: serve it with --profile demo, or name another database with --set database.url=...",
    ))
}

/// The staff member that seeding acts as.
pub fn demo_staff() -> Staff {
    Staff { id: Uuid::nil(), name: "Agio".into(), role: Role::Owner, address: None }
}

/// Creates a partner with a sandbox key and prints its secret, which is shown only once.
async fn seed_partner(app: &App) -> Result<()> {
    let owner = demo_staff();
    let request = NewPartner { name: "Trail Wallet".into(), email: "api@trail.example".into(), callback: String::new() };
    let partner = app.partners.create_partner(request, Actor::from(&owner), None).await?;
    let request = NewPartnerKey {
        title: "Sandbox".into(),
        sandbox: true,
        scopes: vec![KeyScope::Read, KeyScope::Quote, KeyScope::Claim],
        networks: Vec::new(),
        per_minute: 600,
    };
    let created = app.partners.create_key(partner.row.id, request, Actor::from(&owner), None).await?;
    say!("Partner  {}\nSecret   {}\n", created.row.name, created.secret);
    Ok(())
}

/// Seeds the market with large reserves and without captchas and customer limits, for load and fault tests.
pub async fn seed_bench(app: &App) -> Result<()> {
    check_no_real_staff(app).await?;
    seed_market(app).await?;
    let (settings, now) = (app.platform.settings.clone(), app.platform.clock.now());
    let values = [("claims.captcha", "false"), ("claims.unpaid_per_email", "100000"), ("claims.unpaid_per_address", "0")];
    let (calculator, ledger) = (app.calculator.clone(), app.ledger.clone());
    let batch = app.platform.random.uuid();
    app.platform
        .db
        .write(move |tx| {
            let (settings, calculator, ledger) = (settings.clone(), calculator.clone(), ledger.clone());
            Box::pin(async move {
                for (name, value) in values {
                    settings.put(tx, name, value, now, &Actor::system("demo")).await?;
                }
                let market = calculator.market();
                let roubles = market.currency_named("SBERRUB").ok_or_else(|| Error::internal("the market has roubles"))?;
                let mut deposit = agio_ledger::TransferBatch::new(batch, "deposit", batch, now).with_transfer(
                    agio_ledger::Account::External,
                    agio_ledger::Account::Reserve,
                    roubles.amount(BENCH_RESERVE),
                );
                deposit.note = Some("Reserve for a load".into());
                ledger.post(tx, &deposit).await
            })
        })
        .await
}

/// How many claims of a history are made at once, so that they share commits.
const LOAD_WORKERS: u64 = 32;

/// Seeds the market of load tests, and claims until there are so many.
pub async fn seed_load(app: &App, claims: u64) -> Result<()> {
    let (made,) = agio_core::fetch_one!(&mut app.platform.db.read().await?, (i64,), "SELECT COUNT(*) FROM claim")?;
    let made = u64::try_from(made).map_err(Error::internal)?;
    if made == 0 {
        seed_bench(app).await?;
    }
    let (next, mut workers) = (Arc::new(AtomicU64::new(made)), JoinSet::new());
    let progress = Arc::new(Mutex::new(Progress::new("made", Some(claims.saturating_sub(made)))));
    for _ in 0..LOAD_WORKERS {
        let (app, next, progress) = (app.clone(), next.clone(), progress.clone());
        workers.spawn(async move {
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                if number >= claims {
                    return Ok::<_, Error>(());
                }
                make_past_claim(&app, number).await?;
                progress.lock().unwrap_or_else(PoisonError::into_inner).add("claim", 1);
            }
        });
    }
    while let Some(done) = workers.join_next().await {
        done.map_err(Error::internal)??;
    }
    progress.lock().unwrap_or_else(PoisonError::into_inner).finish();
    Ok(())
}

/// The n-th claim of a history. Each tenth customer comes back.
async fn make_past_claim(app: &App, number: u64) -> Result<()> {
    let email = format!("customer{}@example.com", number * 9 / 10);
    let steps = match number % 10 {
        0 => &[][..],
        1..=3 => COMPLETION,
        _ => &[DemoStep::Cancel],
    };
    let claim = DemoClaim { from: "BTC", to: "SBERRUB", send: "0.001", email: &email, requisites: CARD, steps };
    let address = IpAddr::V6(Ipv6Addr::from(u128::from(0x2001_0db8_u32) << 96 | u128::from(number) << 64));
    let id = create_claim(app, &claim, address).await?;
    for step in steps {
        apply_step(app, id, *step, &demo_operator()).await?;
    }
    Ok(())
}

/// The rouble reserve for load tests, in units: enough for over a million claims.
const BENCH_RESERVE: i64 = 9_000_000_000_000_000;

/// A claim of the demo and its steps.
struct DemoClaim<'a> {
    from: &'static str,
    to: &'static str,
    send: &'static str,
    email: &'a str,
    requisites: &'static [(&'static str, &'static str)],
    steps: &'static [DemoStep],
}

#[derive(Clone, Copy)]
enum DemoStep {
    Confirm,
    Paid,
    Cancel,
    Staff(Action),
}

const CARD: &[(&str, &str)] = &[("card", "2200000000000004"), ("holder", "PETR IVANOV")];

const COMPLETION: &[DemoStep] = &[
    DemoStep::Confirm,
    DemoStep::Paid,
    DemoStep::Staff(Action::PaymentReceived),
    DemoStep::Staff(Action::Take),
    DemoStep::Staff(Action::PayoutSent),
    DemoStep::Staff(Action::Complete),
];

const DEMO_CLAIMS: [DemoClaim<'static>; 6] = [
    DemoClaim { from: "BTC", to: "SBERRUB", send: "0.015", email: "i.morozov@example.org", requisites: CARD, steps: &[] },
    DemoClaim {
        from: "USDTTRC20",
        to: "SBERRUB",
        send: "1200",
        email: "vera.l@example.org",
        requisites: CARD,
        steps: &[DemoStep::Confirm],
    },
    DemoClaim {
        from: "ETH",
        to: "SBERRUB",
        send: "0.4",
        email: "k.orlova@example.org",
        requisites: CARD,
        steps: &[DemoStep::Confirm, DemoStep::Paid],
    },
    DemoClaim {
        from: "LTC",
        to: "SBERRUB",
        send: "6",
        email: "pavel.s@example.org",
        requisites: CARD,
        steps: &[DemoStep::Confirm, DemoStep::Paid, DemoStep::Staff(Action::PaymentReceived)],
    },
    DemoClaim { from: "BTC", to: "SBERRUB", send: "0.01", email: "anna.d@example.org", requisites: CARD, steps: COMPLETION },
    DemoClaim {
        from: "TRX",
        to: "SBERRUB",
        send: "900",
        email: "n.volkov@example.org",
        requisites: CARD,
        steps: &[DemoStep::Cancel],
    },
];

fn demo_operator() -> Staff {
    Staff { id: Uuid::nil(), name: LOGINS[1].2.into(), role: Role::Operator, address: None }
}

async fn seed_claims(app: &App) -> Result<()> {
    let operator = demo_operator();
    for (number, demo_claim) in (1..).zip(&DEMO_CLAIMS) {
        // Each customer has a different address of the documentation range.
        let address = IpAddr::V4(Ipv4Addr::new(192, 0, 2, number));
        let id = create_claim(app, demo_claim, address).await?;
        for step in demo_claim.steps {
            apply_step(app, id, *step, &operator).await?;
        }
    }
    Ok(())
}

/// Creates a claim at the current rate.
async fn create_claim(app: &App, demo_claim: &DemoClaim<'_>, address: IpAddr) -> Result<Uuid> {
    let market = app.calculator.market();
    let currency =
        |code: &str| market.currency_named(code).map(|currency| currency.id()).ok_or_else(|| Error::internal(code.to_owned()));
    let (from, to) = (currency(demo_claim.from)?, currency(demo_claim.to)?);
    let send: Decimal = demo_claim.send.parse().map_err(Error::internal)?;
    let agreed = app.calculator.agree(&QuoteRequest::anonymous(from, to, send))?;
    let requisite_values = |requisites: &[(&str, &str)]| {
        let inputs = agreed.to.inputs.iter().filter(|input| input.receive);
        inputs
            .filter_map(|input| requisites.iter().find(|(name, _)| *name == input.name))
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    };
    let new = NewClaim {
        email: demo_claim.email.into(),
        from,
        to,
        send,
        receive: agreed.receive.value(),
        give_requisites: Default::default(),
        receive_requisites: requisite_values(demo_claim.requisites),
        captcha: None,
        referral: None,
        quote: None,
        city: None,
        promo: None,
        time_zone: None,
        terms_version: None,
        aml_consent: true,
        keep_requisites: false,
    };
    let party = Requester { locale: Locale::Ru, guest: None, address, customer: None, partner: None };
    let (created, _) = app.claims.create(new, party, None, demo_claim.email.as_bytes()).await?;
    Ok(created.id)
}

async fn apply_step(app: &App, id: Uuid, step: DemoStep, operator: &Staff) -> Result<()> {
    let by = Actor::system("demo");
    match step {
        DemoStep::Confirm => {
            let consents = CustomerConsents { aml_consent: true, ..CustomerConsents::default() };
            app.claims.confirm(id, consents, &by).await.map(drop)
        }
        DemoStep::Paid => app.claims.report_payment(id, &by).await.map(drop),
        DemoStep::Cancel => app.claims.cancel(id, &by).await.map(drop),
        DemoStep::Staff(action) => {
            let claim = app.claims.claim(id).await?;
            let answer_by = Some(app.platform.clock.now().plus(Duration::from_secs(1_800)));
            let moves_money = matches!(action, Action::PaymentReceived | Action::PayoutSent);
            let input = TransitionInput {
                tx_id: moves_money.then(|| format!("demo-{}-{}", claim.public_id, action.name())),
                answer_by,
                ..TransitionInput::default()
            };
            let step = StaffTransition { staff: operator.clone(), action, revision: claim.revision, input };
            app.claims.apply_transition(id, step, None).await.map(drop)
        }
    }
}

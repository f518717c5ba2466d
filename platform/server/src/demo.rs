//! The demonstration: everything one needs to try the house, with made-up money.

use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use agio_auth::NewStaff;
use agio_claims::model::Action;
use agio_claims::{NewClaim, NewRequisite, Party, Said, Staffed};
use agio_core::identity::{Actor, Role, Staff};
use agio_core::needs::{Asked, Quotes as _, StaffAddresses as _};
use agio_core::texts::Locale;
use agio_core::{Error, Result};
use agio_discounts::TierChange;
use agio_partners::{KeyWish, PartnerWish};
use rust_decimal::Decimal;
use uuid::Uuid;

use crate::app::App;
use crate::config::Config;
use crate::sandbox;

/// The demonstration's logins. They are printed, so this is never for service.
const LOGINS: [(Role, &str, &str, &str); 3] = [
    (Role::Owner, "owner@agio.example", "Анна Котова", "agio-demo-owner"),
    (Role::Operator, "operator@agio.example", "Дмитрий Ланской", "agio-demo-operator"),
    (Role::Auditor, "auditor@agio.example", "Мария Седова", "agio-demo-auditor"),
];

/// Where demonstration customers pay to: addresses from the standards' own examples, which nobody should ever pay to.
/// Code, value, holder, memo.
const REQUISITES: [(&str, &str, Option<&str>, Option<&str>); 22] = [
    ("BTC", "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2", None, None),
    ("ETH", "0x52908400098527886E0F7030069857D2E4169EE7", None, None),
    ("LTC", "ltc1qw508d6qejxtdg4y5r3zarvary0c5xw7kgmn4n9", None, None),
    ("DOGE", "DFpN6QqFfUm3gKNaxN6tNcab1FArL9cZLE", None, None),
    ("TRX", "TJCnKsPa7y5okkXvQAidZBzqx3QyQ6sxMW", None, None),
    ("TON", "UQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPuwA", None, Some("70418826")),
    ("XMR", MONERO, None, None),
    ("XRP", "rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B", None, Some("70418826")),
    ("SOL", "4fYNw3dojWmQ4dXtSGE9epjRGy9pFSx62YypT7avPYvA", None, None),
    ("USDTTRC20", "TLeUZDGLWnyiJVFcp3m3M1782uBsGWa8uf", None, None),
    ("USDTERC20", "0x8617E340B3D01FA5F11F306F4090FD50E238070D", None, None),
    ("USDTTON", "EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF", None, Some("70418827")),
    ("USDCERC20", "0x8617E340B3D01FA5F11F306F4090FD50E238070D", None, None),
    ("SBERRUB", "2202203636004279", Some("Ольга К."), None),
    ("TCSBRUB", "2200000000000004", Some("Ирина В."), None),
    ("SBPRUB", "+79991234567", Some("Ольга К."), None),
    ("CARDUAH", "4242424242424242", Some("Oksana K."), None),
    ("KSPBKZT", "4400430000000007", Some("Айгерим Т."), None),
    ("SEPAEUR", "DE89370400440532013000", Some("Agio Demo GmbH"), None),
    ("ADVCUSD", "pay@agio.example", None, None),
    ("CASHRUB", "+79991234567", Some("Касса, Москва"), None),
    ("CASHUSD", "+79991234567", Some("Касса, Москва"), None),
];

/// The Monero project's own donation subaddress.
const MONERO: &str = "888tNkZrPN6JsEgekjMnABU4TBzc2Dt29EPAvkRxbANsAnjyPbb3iQ1YBRk1UXcdRsiKc9dhwMVgN5S9cQUiyoogDavup3H";

/// Currencies, pairs, rates, reserves and requisites. Doing it again changes nothing.
///
/// # Errors
/// The database cannot be written.
pub async fn seed_market(app: &App) -> Result<()> {
    app.calculator.seed_demo().await?;
    if !app.claims.requisites().await?.is_empty() {
        return Ok(());
    }
    let house = house();
    for currency in app.calculator.market().currencies.clone() {
        let Some((_, value, holder, memo)) = REQUISITES.iter().find(|(code, ..)| *code == currency.facts.code) else {
            continue;
        };
        let requisite = NewRequisite {
            currency: currency.id(),
            value: (*value).to_owned(),
            holder: holder.map(str::to_owned),
            memo: memo.map(str::to_owned),
            enabled: true,
            daily_limit: None,
        };
        app.claims.add_requisite(requisite, house.clone()).await?;
    }
    Ok(())
}

/// The whole demonstration: the market, logins, some claims, and automatic payments where there is a sandbox network. Prints the logins and where
/// everything is.
///
/// # Errors
/// The database cannot be written, or is that of an exchange in service.
pub async fn seed(app: &App, config: &Config) -> Result<()> {
    check_unused(app).await?;
    seed_market(app).await?;
    for (role, email, name, password) in LOGINS {
        if !app.auth.knows(email).await? {
            let new = NewStaff { email: email.into(), name: name.into(), role, password: password.into() };
            app.auth.add_staff(new).await?;
        }
    }
    seed_discounts(app).await?;
    if app.claims.overview(1).await?.open == 0 {
        seed_claims(app).await?;
    }
    if app.partners.all().await?.is_empty() {
        seed_partner(app).await?;
    }
    // The claims come first: they pay to the requisites of the house, for nobody gives out addresses of a network that is not served yet.
    if let Some(address) = config.demo.sandbox_chain {
        sandbox::seed(app, &sandbox::url(address)).await?;
    }
    let public_url = &config.server.public_url;
    println!("Site     {public_url}/\nConsole  {public_url}/admin/\nDocs     {public_url}/docs");
    if let Some(address) = config.demo.sandbox_chain {
        println!("Wallet   {}", sandbox::url(address));
    }
    println!();
    for (role, email, _, password) in LOGINS {
        println!("{:<9} {email:<24} {password}", role.name());
    }
    Ok(())
}

/// Tiers of the demonstration: the least volume in the base currency, and what it adds to the rate in percent.
const TIERS: [(&str, &str); 4] = [("1000", "0.1"), ("5000", "0.2"), ("20000", "0.35"), ("100000", "0.5")];

/// A table of discounts, unless somebody has set one.
async fn seed_discounts(app: &App) -> Result<()> {
    let (table, _) = app.discounts.table().await?;
    if table.ticker.is_some() {
        return Ok(());
    }
    let number = |text: &str| text.parse::<Decimal>().map_err(Error::internal);
    let tiers = TIERS.iter().map(|(min, percent)| Ok((number(min)?, number(percent)?))).collect::<Result<_>>()?;
    app.discounts.change_tiers(TierChange { revision: table.revision, tiers }, house()).await
}

/// Made-up data never go into a database that an exchange works with: one whose staff came by invitation.
///
/// # Errors
/// Somebody works here, and the demonstration's logins are not among them.
async fn check_unused(app: &App) -> Result<()> {
    if app.auth.addresses().await?.is_empty() || has_public_login(app).await? {
        return Ok(());
    }
    Err(Error::internal(
        "this database has staff of its own, so it is taken for an exchange in service and nothing made up is put into it: \
         name another one with --set database.url=...",
    ))
}

/// Whether anybody could sign in with a password that is printed in the source.
async fn has_public_login(app: &App) -> Result<bool> {
    let staff = app.auth.addresses().await?;
    Ok(staff.iter().any(|staff| LOGINS.iter().any(|(_, email, ..)| *email == staff.email)))
}

/// Refuses to serve the demonstration's database as an exchange.
///
/// # Errors
/// One of the demonstration's logins can be used.
pub async fn check_private(app: &App) -> Result<()> {
    if !has_public_login(app).await? {
        return Ok(());
    }
    Err(Error::internal(
        "this database has the demonstration's logins, and everybody knows their passwords: serve it with --profile demo, \
         or name a database of your own with --set database.url=...",
    ))
}

/// The house itself, as a member of staff.
pub fn house() -> Staff {
    Staff { id: Uuid::nil(), name: "Agio".into(), role: Role::Owner, address: None }
}

/// A partner with a sandbox key, which is printed this once as every secret is shown once.
async fn seed_partner(app: &App) -> Result<()> {
    let owner = house();
    let wish = PartnerWish { name: "Trail Wallet".into(), email: "api@trail.example".into(), callback: String::new() };
    let partner = app.partners.make_partner(wish, Actor::from(&owner), None).await?;
    let wish = KeyWish {
        title: "Sandbox".into(),
        sandbox: true,
        scopes: vec!["read".into(), "quote".into(), "claim".into()],
        networks: Vec::new(),
        per_minute: 600,
    };
    let made = app.partners.make_key(partner.row.id, wish, Actor::from(&owner), None).await?;
    println!("Partner  {}\nSecret   {}\n", made.row.name, made.secret);
    Ok(())
}

/// The market with reserves for any number of claims, and nothing that asks a customer to prove anything: for loads
/// and faults.
///
/// # Errors
/// The database cannot be written.
pub async fn seed_bench(app: &App) -> Result<()> {
    check_unused(app).await?;
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
                    settings.put(tx, name, value, now, &Actor::house("demo")).await?;
                }
                let market = calculator.market();
                let roubles = market.currency_named("SBERRUB").ok_or_else(|| Error::internal("the market has roubles"))?;
                let mut deposit = agio_ledger::Batch::new(batch, "deposit", batch, now).moving(
                    agio_ledger::Account::External,
                    agio_ledger::Account::Reserve,
                    roubles.id(),
                    BENCH_RESERVE,
                );
                deposit.note = Some("Reserve for a load".into());
                ledger.post(tx, &deposit).await
            })
        })
        .await
}

/// Units of the rouble reserve for loads: enough for a million claims and more.
const BENCH_RESERVE: i64 = 9_000_000_000_000_000;

/// A claim of the demonstration: what it exchanges, and how far it goes.
struct Story {
    from: &'static str,
    to: &'static str,
    send: &'static str,
    email: &'static str,
    requisites: &'static [(&'static str, &'static str)],
    steps: &'static [Step],
}

/// What happens to a claim of the demonstration.
#[derive(Clone, Copy)]
enum Step {
    Confirm,
    Paid,
    Cancel,
    Staff(Action),
}

const CARD: &[(&str, &str)] = &[("card", "2200000000000004"), ("holder", "PETR IVANOV")];

const STORIES: [Story; 6] = [
    Story { from: "BTC", to: "SBERRUB", send: "0.015", email: "i.morozov@example.org", requisites: CARD, steps: &[] },
    Story {
        from: "USDTTRC20",
        to: "SBERRUB",
        send: "1200",
        email: "vera.l@example.org",
        requisites: CARD,
        steps: &[Step::Confirm],
    },
    Story {
        from: "ETH",
        to: "SBERRUB",
        send: "0.4",
        email: "k.orlova@example.org",
        requisites: CARD,
        steps: &[Step::Confirm, Step::Paid],
    },
    Story {
        from: "LTC",
        to: "SBERRUB",
        send: "6",
        email: "pavel.s@example.org",
        requisites: CARD,
        steps: &[Step::Confirm, Step::Paid, Step::Staff(Action::PaymentReceived)],
    },
    Story {
        from: "BTC",
        to: "SBERRUB",
        send: "0.01",
        email: "anna.d@example.org",
        requisites: CARD,
        steps: &[
            Step::Confirm,
            Step::Paid,
            Step::Staff(Action::PaymentReceived),
            Step::Staff(Action::Take),
            Step::Staff(Action::PayoutSent),
            Step::Staff(Action::Complete),
        ],
    },
    Story { from: "TRX", to: "SBERRUB", send: "900", email: "n.volkov@example.org", requisites: CARD, steps: &[Step::Cancel] },
];

async fn seed_claims(app: &App) -> Result<()> {
    let operator = Staff { id: Uuid::nil(), name: LOGINS[1].2.into(), role: Role::Operator, address: None };
    for (number, story) in (1..).zip(&STORIES) {
        // Each customer calls from an address of their own, of the range kept for documentation.
        let address = IpAddr::V4(Ipv4Addr::new(192, 0, 2, number));
        let id = tell(app, story, address).await?;
        for step in story.steps {
            play(app, id, *step, &operator).await?;
        }
    }
    Ok(())
}

/// Makes the claim of a story at the present terms.
async fn tell(app: &App, story: &Story, address: IpAddr) -> Result<Uuid> {
    let market = app.calculator.market();
    let currency =
        |code: &str| market.currency_named(code).map(|currency| currency.id()).ok_or_else(|| Error::internal(code.to_owned()));
    let (from, to) = (currency(story.from)?, currency(story.to)?);
    let send: Decimal = story.send.parse().map_err(Error::internal)?;
    let agreed = app.calculator.agree(&Asked::plainly(from, to, send))?;
    let wanted = |requisites: &[(&str, &str)]| {
        let asked = agreed.to.inputs.iter().filter(|input| input.receive);
        asked
            .filter_map(|input| requisites.iter().find(|(name, _)| *name == input.name))
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    };
    let new = NewClaim {
        email: story.email.into(),
        from,
        to,
        send,
        receive: agreed.receive.value(),
        from_requisites: Default::default(),
        to_requisites: wanted(story.requisites),
        captcha: None,
        referral: None,
        quote: None,
        promo: None,
        terms_version: None,
        aml_consent: true,
        keep_requisites: false,
    };
    let party = Party { locale: Locale::Ru, guest: None, address, customer: None, partner: None };
    let (made, _) = app.claims.create(new, party, None, story.email.as_bytes()).await?;
    Ok(made.id)
}

async fn play(app: &App, id: Uuid, step: Step, operator: &Staff) -> Result<()> {
    let by = Actor::house("demo");
    match step {
        Step::Confirm => app.claims.confirm(id, None, true, &by).await.map(drop),
        Step::Paid => app.claims.paid(id, &by).await.map(drop),
        Step::Cancel => app.claims.cancel(id, &by).await.map(drop),
        Step::Staff(action) => {
            let claim = app.claims.claim(id).await?;
            let answer_by = Some(app.platform.clock.now().plus(Duration::from_secs(1_800)));
            let said = Said { tx_id: Some(format!("demo-{}-{}", claim.public_id, action.name())), answer_by, ..Said::default() };
            let step = Staffed { staff: operator.clone(), action, revision: claim.revision, said };
            app.claims.transit(id, step, None).await.map(drop)
        }
    }
}

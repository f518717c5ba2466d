//! The house in which every call is made, and what is in it.

use std::sync::atomic::{AtomicU32, Ordering};

use agio_core::identity::Role;
use agio_core::texts::Locale;
use agio_testkit::{Answer, Caller, Customer, Engine, House, SecondFactor};
use reqwest::Method;
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};

use super::table::{Body, Call, Cell, Who};
use crate::examples;

/// The secret that only the owner of things is shown.
const OWNERS: &str = "anna@example.com";

/// The house with everybody who calls.
pub struct World {
    pub house: House,
    /// The same house where everybody needs a second factor.
    _strict: House,
    guest: Caller,
    pub anna: Customer,
    boris: Customer,
    nina: Customer,
    ivan: Customer,
    staff: Vec<Caller>,
    unconfirmed: Caller,
    newcomer: Caller,
    /// Anna's claim, which waits for her payment and has a receipt.
    pub claim: String,
    /// Her claim whose payment came.
    pub paid: String,
    /// Her claim that was paid short.
    pub short: String,
    /// A verification that is asked of her account, and one of its photos.
    pub verification: String,
    pub photo: String,
    /// A colleague on whom others decide.
    pub vera: String,
    /// An owner who proposes what others decide.
    pub proposer: Caller,
    /// Where customers pay roubles to.
    pub requisite: String,
    made: AtomicU32,
}

impl World {
    pub async fn make(engine: Engine) -> Self {
        let house = House::open(engine).await;
        let strict = house.another_node_with(|config| config.staff.second_factor = SecondFactor::Required).await;
        let mut staff = Vec::new();
        for role in Role::ALL {
            staff.push(house.staff(role).await);
        }
        let unconfirmed = house.staff_named("unconfirmed", Role::Owner).await;
        let newcomer = strict.staff_named("newcomer", Role::Owner).await;
        let mut nina = Customer::signs_up(&house, "nina@example.com").await;
        nina.signs_in().await.ok();
        let world = Self {
            anna: Customer::at(&house, OWNERS).await,
            boris: Customer::at(&house, "boris@example.com").await,
            ivan: Customer::at(&house, "ivan.banned@example.com").await,
            guest: house.customer(),
            nina,
            staff,
            unconfirmed,
            newcomer,
            claim: String::new(),
            paid: String::new(),
            short: String::new(),
            verification: String::new(),
            photo: String::new(),
            vera: String::new(),
            proposer: house.staff_named("proposer", Role::Owner).await,
            requisite: String::new(),
            made: AtomicU32::new(1),
            _strict: strict,
            house,
        };
        world.furnished().await
    }

    async fn furnished(mut self) -> Self {
        self.claim = self.make_claim(OWNERS).await;
        self.anna.caller.post_empty(&format!("/api/v1/claim/{}/confirm/", self.claim)).await.ok();
        self.anna
            .caller
            .upload(&format!("/api/v1/claim/{}/bill/", self.claim), "receipt.png", examples::RECEIPT.to_vec())
            .await
            .ok();
        self.paid = self.confirmed_claim().await;
        self.anna.caller.post_empty(&format!("/api/v1/claim/{}/paid/", self.paid)).await.ok();
        self.step(&self.paid, json!({ "action": "payment_received", "txId": "paid" })).await;
        self.short = self.confirmed_claim().await;
        self.step(&self.short, json!({ "action": "payment_seen", "txId": "short" })).await;
        self.step(&self.short, json!({ "action": "amount_mismatch", "amount": "0.004" })).await;
        let asked = self.owner().post("/api/admin/v1/verifications", json!({ "email": OWNERS })).await.ok();
        self.verification = text(&asked["id"]);
        for photo in ["passport.png", "selfie.png"] {
            let path = format!("/api/v1/verify/{}/photos/", self.verification);
            let sent = self.anna.caller.upload(&path, photo, examples::RECEIPT.to_vec()).await.ok();
            self.photo = text(&sent["photos"][0]["id"]);
        }
        self.house.staff_named("vera", Role::Editor).await;
        let colleagues = self.owner().get("/api/admin/v1/staff").await.ok();
        let vera = colleagues["items"].as_array().unwrap().iter().find(|row| row["name"] == "vera").unwrap();
        self.vera = text(&vera["id"]);
        self.proposer.post("/api/admin/v1/me/confirm", json!({ "password": House::PASSWORD })).await.ok();
        let roubles = json!(self.currency("SBERRUB"));
        let requisites = self.owner().get("/api/admin/v1/requisites").await.ok();
        let requisite = requisites.as_array().unwrap().iter().find(|row| row["currencyId"] == roubles).unwrap();
        self.requisite = text(&requisite["id"]);
        self.ban_ivan().await;
        self
    }

    async fn ban_ivan(&self) {
        let path = self.path_of(&self.ivan.email, "ban").await;
        self.caller(Who::Staff(Role::Operator)).post(&path, json!({ "reason": "Paid from cards of strangers." })).await.ok();
    }

    /// A call about a customer's account.
    async fn path_of(&self, email: &str, call: &str) -> String {
        let found = self.owner().get(&format!("/api/admin/v1/customers?q={email}")).await.ok();
        format!("/api/admin/v1/customers/{}/{call}", text(&found["items"][0]["id"]))
    }

    /// The same about somebody new.
    pub async fn path_of_somebody(&self, call: &str) -> String {
        let email = self.email();
        let visitor = self.house.customer().from_address(&self.address());
        visitor.post("/api/v1/users/signup/", json!({ "email": email, "password": Customer::PASSWORD })).await.ok();
        self.house.answers_requests().await;
        self.path_of(&email, call).await
    }

    /// Anna's claims, each another one: the same once more is the same click.
    async fn make_claim(&self, email: &str) -> String {
        let mut order = examples::order(&self.house, &format!("0.005{:03}", self.number()));
        order["email"] = email.into();
        let from = self.anna.caller.clone().from_address(&self.address());
        text(&from.post("/api/v1/claim/", order).await.ok()["id"])
    }

    /// A claim of Anna's that she has not confirmed.
    pub async fn new_claim(&self) -> String {
        let email = self.email();
        self.make_claim(&email).await
    }

    /// A claim of Anna's that waits for her payment.
    pub async fn confirmed_claim(&self) -> String {
        let claim = self.new_claim().await;
        self.anna.caller.post_empty(&format!("/api/v1/claim/{claim}/confirm/")).await.ok();
        claim
    }

    /// What the owner of the house does with a claim.
    pub async fn step(&self, claim: &str, mut step: Value) {
        let path = format!("/api/admin/v1/claims/{claim}");
        step["revision"] = self.owner().get(&path).await.ok()["revision"].clone();
        self.owner().post(&format!("{path}/transitions"), step).await.ok();
    }

    /// An owner of the house.
    pub fn owner(&self) -> &Caller {
        &self.staff[0]
    }

    /// The identifier of a currency.
    pub fn currency(&self, code: &str) -> i64 {
        self.house.app.calculator.market().currency_named(code).expect("the demonstration has it").id()
    }

    /// A number nobody had.
    pub fn number(&self) -> u32 {
        self.made.fetch_add(1, Ordering::Relaxed)
    }

    /// An e-mail address nobody had.
    pub fn email(&self) -> String {
        format!("somebody{}@example.com", self.number())
    }

    /// An address of the internet nobody called from.
    pub fn address(&self) -> String {
        let [_, a, b, c] = self.number().to_be_bytes();
        format!("10.{a}.{b}.{c}")
    }

    pub fn caller(&self, who: Who) -> &Caller {
        match who {
            Who::Guest => &self.guest,
            Who::Owner => &self.anna.caller,
            Who::Other => &self.boris.caller,
            Who::Inactive => &self.nina.caller,
            Who::Banned => &self.ivan.caller,
            Who::Staff(role) => &self.staff[Role::ALL.iter().position(|known| *known == role).unwrap()],
            Who::Unconfirmed => &self.unconfirmed,
            Who::Newcomer => &self.newcomer,
        }
    }

    /// What they sign in with; somebody without an account tries another's.
    pub fn credentials(&self, who: Who) -> Value {
        let (email, password) = match who {
            Who::Guest => (OWNERS.to_owned(), "wrong horse battery"),
            Who::Owner => (self.anna.email.clone(), Customer::PASSWORD),
            Who::Other => (self.boris.email.clone(), Customer::PASSWORD),
            Who::Inactive => (self.nina.email.clone(), Customer::PASSWORD),
            Who::Banned => (self.ivan.email.clone(), Customer::PASSWORD),
            Who::Staff(role) => (format!("{role}@agio.example"), House::PASSWORD),
            Who::Unconfirmed => ("unconfirmed@agio.example".to_owned(), House::PASSWORD),
            Who::Newcomer => ("newcomer@agio.example".to_owned(), House::PASSWORD),
        };
        json!({ "email": email, "password": password })
    }

    /// The secret of the link in the newest letter to an address.
    pub async fn secret_of(&self, email: &str) -> String {
        let letter = self.house.mail_to(email).await.pop().expect("a letter came");
        let link = letter.text.lines().find_map(|line| line.split_once('#')).expect("it has a link").1;
        link.split('=').nth(1).and_then(|rest| rest.split_whitespace().next()).expect("the link has a secret").to_owned()
    }

    pub async fn send(&self, who: Who, call: Call) -> Answer {
        let caller = self.caller_of(who, &call);
        self.send_by(caller, call, Locale::En).await
    }

    /// The same by somebody who reads this language.
    pub async fn send_in(&self, locale: Locale, who: Who, mut call: Call) -> Answer {
        let is_by_path = call.path.starts_with("/api/v1/") || call.path.starts_with("/front-api/");
        if locale == Locale::En && is_by_path {
            call.path = format!("/en{}", call.path);
        }
        let caller = self.caller_of(who, &call);
        self.send_by(caller, call, locale).await
    }

    /// The same at another node.
    pub async fn send_at(&self, root: &str, who: Who, call: Call) -> Answer {
        let caller = self.caller_of(who, &call).before(root);
        self.send_by(caller, call, Locale::En).await
    }

    /// Everybody calls from an address of their own, so that nobody is in the way of anybody.
    fn caller_of(&self, who: Who, call: &Call) -> Caller {
        call.by.as_ref().unwrap_or_else(|| self.caller(who)).clone().from_address(&self.address())
    }

    async fn send_by(&self, caller: Caller, call: Call, locale: Locale) -> Answer {
        if call.method == Method::GET && is_a_stream(&call.path) {
            return first_event(&caller, &call.path, locale).await;
        }
        let request = caller.request(call.method, &call.path).header("accept-language", locale.to_string());
        let request = match call.body {
            Body::None => request,
            Body::Json(body) => request.json(&body),
            Body::File(bytes) => request.multipart(Form::new().part("file", Part::bytes(bytes).file_name("receipt.png"))),
        };
        caller.send(request).await
    }

    /// Whether an answer is what a cell says; otherwise what it is.
    pub fn is_as_expected(&self, cell: Cell, answer: &Answer) -> Result<(), String> {
        let (status, code) = match cell {
            Cell::Done | Cell::Whole | Cell::Masked => {
                let is_shown = answer.text.contains(OWNERS);
                return match (answer.status.is_success(), cell) {
                    (true, Cell::Masked) if is_shown => Err(format!("it shows what is the owner's: {}", answer.text)),
                    (true, Cell::Whole) if !is_shown => Err(format!("it does not show what is the owner's: {}", answer.text)),
                    (true, _) => Ok(()),
                    (false, _) => Err(format!("expected a success, not {} {}", answer.status, answer.text)),
                };
            }
            Cell::NoToken => (401, "token_not_valid"),
            Cell::Forbidden(_) => (403, "forbidden"),
            Cell::Told(status, code) => (status, code),
        };
        let told = if answer.text.is_empty() { Value::Null } else { serde_json::from_str(&answer.text).unwrap_or_default() };
        if answer.status.as_u16() != status || told["code"] != code {
            return Err(format!("expected {status} {code}, not {} {}", answer.status, answer.text));
        }
        match cell {
            Cell::Forbidden(permission) if !answer.text.contains(permission) => {
                Err(format!("{permission} is not named: {}", answer.text))
            }
            _ => Ok(()),
        }
    }
}

/// An identifier as text.
pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("{value} is no text")).to_owned()
}

fn is_a_stream(path: &str) -> bool {
    path.ends_with("/events/") || path.ends_with("/live")
}

/// A stream's first event in place of its whole body, which does not end; or the refusal.
async fn first_event(caller: &Caller, path: &str, locale: Locale) -> Answer {
    let mut following = caller.follow(path).await;
    if !following.status.is_success() {
        return caller.send(caller.request(Method::GET, path).header("accept-language", locale.to_string())).await;
    }
    let event = following.event().await.expect("a stream begins with an event");
    Answer { status: following.status, headers: following.headers.clone(), text: event.1.to_string() }
}

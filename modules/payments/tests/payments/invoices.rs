//! Drivers that make an invoice for each claim.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use agio_plugin_sdk::Plugin;
use agio_plugin_sdk::protocol::{
    AmountLimits, CAPABILITIES, Call, CallError, CallResult, Capabilities, INVOICES, Invoice, LocalizedText, Manifest, Movement,
    Movements, PaymentInstructions, PluginKind, PluginRequest, PluginResponse,
};
use agio_test_app::{Engine, TestResponse, both_engines};
use serde_json::{Value, json};

use crate::fixtures::{TestCustomer, World};

/// A merchant that answers with the same invoice for every claim, reports what is paid, and may say what it can do.
#[derive(Clone, Default)]
struct Merchant(Arc<Mutex<(Option<Invoice>, Vec<Movement>)>>, Arc<Mutex<Option<Capabilities>>>);

impl Merchant {
    fn says_it_can(&self, capabilities: Option<Capabilities>) {
        *self.1.lock().unwrap() = capabilities;
    }

    /// Nothing, or a page.
    fn answer(&self, name: &str, url: &str) {
        let instructions = PaymentInstructions::Page { url: url.to_owned() };
        self.0.lock().unwrap().0 = Some(Invoice { key: String::new(), address: name.to_owned(), instructions });
    }

    fn pay(&self, invoice: &str, amount: &str) {
        let movement = Movement {
            tx_id: format!("paid-{invoice}"),
            output: 0,
            address: invoice.to_owned(),
            memo: None,
            amount: amount.parse().unwrap(),
            confirmations: 2,
            gone: false,
        };
        self.0.lock().unwrap().1.push(movement);
    }
}

impl Plugin for Merchant {
    fn manifest(&self) -> Manifest {
        let text = LocalizedText::default();
        let manifest = Manifest::new("sandbox-chain", "1", PluginKind::Payments, text.clone(), text);
        Manifest { features: vec![INVOICES.to_owned(), CAPABILITIES.to_owned()], ..manifest }
    }

    fn handle(&self, request: &PluginRequest) -> PluginResponse {
        let (invoice, paid) = self.0.lock().unwrap().clone();
        match &request.call {
            Call::CreateInvoice(asked) => match invoice {
                Some(invoice) => PluginResponse::Done(CallResult::Invoice(Invoice { key: asked.key.clone(), ..invoice })),
                None => PluginResponse::Failed(CallError::temporary("closed", "the merchant is closed")),
            },
            Call::Watch(watch) => {
                let movements = if watch.currency == "BTC" { paid } else { Vec::new() };
                PluginResponse::Done(CallResult::Movements(Movements { movements, cursor: "1".to_owned(), height: 0 }))
            }
            Call::Capabilities { .. } => match self.1.lock().unwrap().clone() {
                Some(capabilities) => PluginResponse::Done(CallResult::Capabilities(capabilities)),
                None => PluginResponse::Failed(CallError::permanent("not_supported", "the merchant does not say")),
            },
            _ => PluginResponse::Failed(CallError::permanent("not_mine", "a merchant gives out no addresses")),
        }
    }
}

async fn confirmed(world: &World) -> TestCustomer {
    let customer = TestCustomer::create_claim(world, "0.01").await;
    customer.post("confirm", json!({})).await.ok();
    customer
}

async fn route_fault(world: &World) -> Value {
    let payments = world.owner().await.get("/api/admin/v1/payments").await.ok();
    payments["routes"].as_array().unwrap().iter().find(|route| route["currencyId"] == world.id("BTC")).unwrap()["fault"].clone()
}

async fn a_customer_pays_on_the_page_of_a_merchant(engine: Engine) {
    let merchant = Merchant::default();
    let world = World::open_with_driver(engine, 7, merchant.clone(), |_| {}).await;
    let customer = confirmed(&world).await;
    let details = async || customer.caller.get(&format!("/api/v1/claim/{}/requisite/", customer.id)).await;
    let before = customer.get("status").await["updatedAt"].clone();
    for page in [None, Some("http://pay.example/1"), Some("javascript:alert(1)"), Some("https://a@b.example/1")] {
        if let Some(page) = page {
            merchant.answer("inv-1", page);
        }
        world.advance(Duration::from_secs(41)).await;
        details().await.refused(409, "payment_details_pending");
        assert!(route_fault(&world).await.is_string(), "the console says what is wrong");
    }
    merchant.answer("inv-1", "https://pay.example/1?a=b");
    world.advance(Duration::from_secs(41)).await;
    let shown = details().await.ok();
    let page = "https://pay.example/1?a=b";
    assert_eq!((&shown["value"], &shown["page"], &shown["paymentUri"]), (&json!("inv-1"), &json!(page), &json!(page)));
    assert_ne!(customer.get("status").await["updatedAt"], before, "the open page of the claim asks again");
    world.run_jobs().await;
    assert!(route_fault(&world).await.is_null());
    merchant.pay("inv-1", "0.01");
    world.run_jobs().await;
    world.run_jobs().await;
    assert_ne!(customer.state().await, "awaiting_payment");
    assert_eq!(customer.get("status").await["txIn"]["id"], "paid-inv-1");
    world.app.assert_ledger_is_clean().await;
    world.app.assert_audit_chain_is_intact().await;
}

async fn one_invoice_is_not_given_to_two_claims(engine: Engine) {
    let merchant = Merchant::default();
    merchant.answer("inv-1", "https://pay.example/1");
    let world = World::open_with_driver(engine, 8, merchant.clone(), |_| {}).await;
    let (first, second) = (confirmed(&world).await, confirmed(&world).await);
    world.run_jobs().await;
    let mut shown = Vec::new();
    for customer in [&first, &second] {
        shown.push(customer.caller.get(&format!("/api/v1/claim/{}/requisite/", customer.id)).await.status.as_u16());
    }
    shown.sort_unstable();
    assert_eq!(shown, [200, 409]);
    merchant.answer("inv-2", "https://pay.example/2");
    world.advance(Duration::from_secs(41)).await;
    let (first, second) = (first.get("requisite").await, second.get("requisite").await);
    assert_ne!(first["value"], second["value"]);
}

async fn a_route_to_what_a_driver_cannot_do_is_refused_when_it_is_set(engine: Engine) {
    let merchant = Merchant::default();
    let world = World::open_with_driver(engine, 9, merchant.clone(), |_| {}).await;
    let capabilities = async || {
        let jobs = world.app.server.jobs();
        (jobs.iter().find(|job| job.name == "payments.capabilities").unwrap().run)().await.unwrap();
        world.get_payments("").await["routes"][0]["capabilities"].clone()
    };
    assert!(capabilities().await.is_null(), "nothing is refused because of what is not known");
    let mut revision = 1;
    let mut set = async |enabled: bool, auto_payout: bool, limit: &str| {
        let answer = world
            .set_route(
                "BTC",
                json!({
                    "revision": revision, "driver": "sandbox-chain", "enabled": enabled, "confirmations": 2,
                    "autoPayout": auto_payout, "claimLimit": limit, "dayLimit": "60",
                }),
            )
            .await;
        revision += i64::from(answer.status.is_success());
        answer
    };
    let refused = |answer: TestResponse, field: &str, code: &str| {
        let refused = answer.refused(422, "validation_failed");
        assert_eq!(refused["errors"][field][0]["code"], code, "{refused}");
        refused
    };
    merchant.says_it_can(Some(Capabilities::default()));
    refused(set(true, false, "1").await, "enabled", "driver_takes_no_payments");
    refused(set(false, true, "1").await, "autoPayout", "driver_sends_no_payouts");
    set(false, false, "1").await.ok();

    let payout_limits = AmountLimits { min: None, max: Some("2.50".parse().unwrap()) };
    let can = Capabilities { invoices: true, payouts: true, payout_limits, ..Capabilities::default() };
    merchant.says_it_can(Some(can.clone()));
    let above = refused(set(true, true, "2.51").await, "claimLimit", "above_driver_limit");
    assert!(above["errors"]["claimLimit"][0].to_string().contains("2.5"), "{above}");
    set(true, true, "2.5").await.ok();
    let shown = capabilities().await;
    assert_eq!((&shown["invoices"], &shown["refunds"], &shown["payoutMax"]), (&json!(true), &json!(false), &json!("2.5")));

    // A refund that it cannot send is not offered, and is refused.
    merchant.answer("inv-1", "https://pay.example/1");
    let customer = confirmed(&world).await;
    world.run_jobs().await;
    merchant.pay("inv-1", "0.004");
    world.run_jobs().await;
    world.run_jobs().await;
    customer.request_refund().await.ok();
    let claim = format!("/api/admin/v1/claims/{}", customer.id);
    let refund = format!("/api/admin/v1/payments/claims/{}/refund", customer.id);
    assert!(world.owner().await.get(&claim).await.ok()["refund"].is_null());
    world.owner().await.post(&refund, json!({})).await.refused(409, "driver_sends_no_refunds");
    merchant.says_it_can(Some(Capabilities { refunds: true, ..can }));
    capabilities().await;
    world.owner().await.post(&refund, json!({})).await.ok();
}

both_engines!(
    a_customer_pays_on_the_page_of_a_merchant,
    one_invoice_is_not_given_to_two_claims,
    a_route_to_what_a_driver_cannot_do_is_refused_when_it_is_set
);

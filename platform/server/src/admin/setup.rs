//! The set-up checklist: what an exchange needs before its first exchange.

use agio_calculator::settings::{BASE, SUPPORT_EMAIL};
use agio_calculator::{PairStatus, SETTINGS_READ};
use agio_core::Result;
use agio_core::identity::Staff;
use agio_http::{ApiEnum, ApiResult, JsonResponse, StaffAuth, body};
use poem_openapi::OpenApi;

use super::Tag;
use crate::app::App;

pub struct SetupAdminApi(pub App);

agio_core::named! {
    /// A step on the way from an empty database to the first exchange, in a sensible order.
    SetupStep {
        /// A support address for customers is set.
        Contacts = "contacts",
        /// The exchange has a time zone.
        Region = "region",
        /// The base currency was chosen, or there is a pair already.
        BaseCurrency = "base_currency",
        /// A mail server is configured.
        Mail = "mail",
        /// There is a currency that is not archived.
        Currencies = "currencies",
        /// An enabled source has a fresh price, or every pair has a rate without one.
        Rates = "rates",
        /// A pair is enabled, and both of its currencies are.
        Pairs = "pairs",
        /// A currency that a pair pays out has a reserve.
        Reserves = "reserves",
        /// Customers can pay for a pair: there are payment details, a driver gives addresses, or it is cash.
        PaymentDetails = "payment_details",
        /// The caller has set up a second factor.
        SecondFactor = "second_factor",
        /// A claim was completed.
        FirstExchange = "first_exchange",
    }
}

/// A step of the set-up checklist.
#[body(response)]
struct SetupStepView {
    step: ApiEnum<SetupStep>,
    done: bool,
}

/// The set-up checklist.
#[body(response)]
struct Setup {
    /// All steps, in a sensible order.
    steps: Vec<SetupStepView>,
    /// Whether the first exchange was completed, so that the list has done its work.
    completed: bool,
}

#[OpenApi(prefix_path = "/api/admin/v1", tag = "Tag::Dashboard")]
impl SetupAdminApi {
    /// Get the set-up checklist
    ///
    /// The steps from an empty database to the first exchange. Needs `settings.read`.
    #[oai(path = "/setup", method = "get", operation_id = "getSetup")]
    async fn setup(&self, staff: StaffAuth) -> ApiResult<JsonResponse<Setup>> {
        let staff = staff.require(SETTINGS_READ)?;
        let mut steps = Vec::with_capacity(SetupStep::ALL.len());
        for step in SetupStep::ALL {
            steps.push(SetupStepView { step: ApiEnum(step), done: self.0.is_done(step, &staff).await? });
        }
        let completed = steps.iter().any(|step| step.step.0 == SetupStep::FirstExchange && step.done);
        Ok(JsonResponse(Setup { steps, completed }))
    }
}

impl App {
    /// Whether nothing can be exchanged now.
    pub fn is_closed(&self) -> bool {
        let free = |currency| self.calculator.free(currency);
        self.calculator.market().pairs.iter().all(|pair| pair.state(free(pair.pair.receive_id)) != PairStatus::Ok)
    }

    async fn is_done(&self, step: SetupStep, staff: &Staff) -> Result<bool> {
        let market = self.calculator.market();
        // What no pair uses opens nothing.
        let offered: Vec<_> = market.pairs.iter().filter(|pair| pair.is_offered()).collect();
        Ok(match step {
            SetupStep::Contacts => self.platform.settings.stored(SUPPORT_EMAIL).is_some(),
            SetupStep::Region => !self.brands.current().brand.work_week.time_zone.is_empty(),
            SetupStep::BaseCurrency => self.platform.settings.stored(BASE).is_some() || !market.pairs.is_empty(),
            SetupStep::Mail => !self.stores_mail_locally,
            SetupStep::Currencies => market.currencies.iter().any(|currency| !currency.archived),
            SetupStep::Rates => {
                let mut rates = market.pairs.iter().map(|pair| pair.rate.as_ref());
                let is_every_pair_priced = rates.len() > 0 && rates.all(|rate| rate.is_some_and(|rate| rate.is_fresh));
                is_every_pair_priced || self.rates.has_fresh_price().await?
            }
            SetupStep::Pairs => !offered.is_empty(),
            SetupStep::Reserves => offered.iter().any(|pair| self.calculator.free(pair.pair.receive_id) > 0),
            SetupStep::PaymentDetails => {
                let details = self.claims.currencies_with_requisites().await?;
                let is_payable = |id| details.contains(&id) || self.payments.gives_addresses(id);
                offered.iter().any(|pair| pair.give.facts.is_cash() || is_payable(pair.pair.give_id))
            }
            SetupStep::SecondFactor => self.auth.has_second_factor(staff.id).await?,
            SetupStep::FirstExchange => self.claims.has_completed_claim().await?,
        })
    }
}

//! The calls of every room, in the three documents that are published.

use agio_approvals::ApprovalDesk;
use agio_auth::{customer_calls, staff_calls};
use agio_calculator::{CalculatorApi, MarketDesk, QuoteKeyApi};
use agio_claims::{AccountClaimsApi, ClaimsApi, ClaimsDesk, SavedRequisitesApi};
use agio_content::{ContentApi, ContentDesk};
use agio_contest::{ContestApi, ContestDesk};
use agio_discounts::{DiscountsApi, DiscountsDesk};
use agio_monitors::{ExportApi, MonitorDesk};
use agio_partners::{PartnerAccessApi, PartnerApi, PartnersDesk, trustee::TrusteeApi};
use agio_payments::PaymentsDesk;
use agio_plugins::PluginDesk;
use agio_rates::RatesDesk;
use agio_referral::{ReferralApi, ReferralDesk};
use agio_verification::{VerificationApi, VerificationDesk};
use poem_openapi::{LicenseObject, OpenApi, OpenApiService, ServerObject};

use super::App;
use crate::desk::Desk;
use crate::desk::audit::AuditDesk;
use crate::desk::mail::MailDesk;
use crate::desk::notices::NoticeDesk;
use crate::openapi::{self, Documents};

const PUBLIC_ABOUT: &str = "Directions, rates, signed quotes and claims. Amounts, rates and percents are decimal strings; \
    whole numbers are written without a fraction; times are RFC 3339 in UTC. Every path below /api and /front-api also answers under /en, which chooses the language of \
    texts. Failures are RFC 9457 problem documents with a stable code. POST calls take an Idempotency-Key where it is declared: sent again \
    with the same key by the same caller, a call is answered as before and does nothing more.";

const PARTNER_ABOUT: &str = "Quotes, claims and their news for shops, wallets and other partners. Every call but the one for the time is \
    signed with a key; the guide says how, with examples. Wallets that speak Trustee's contract find it below /trustee, with its own signatures, \
    names and failures. Elsewhere amounts, rates and percents are decimal strings; whole numbers are written without a fraction; times are \
    RFC 3339 in UTC. Failures are RFC 9457 problem documents with a stable code. Answers to signed calls tell how many are left in this \
    minute: RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset. The language of texts follows Accept-Language.";

const CONSOLE_ABOUT: &str = "What the operator console calls. Sign in for a bearer token; every call names the permission it needs \
    when it is refused. Whole numbers are written without a fraction. The language of texts follows Accept-Language.";

impl App {
    pub(super) fn public_api(&self) -> OpenApiService<impl OpenApi + use<>, ()> {
        let calculator =
            (CalculatorApi::new(self.calculator.clone(), self.discounts.clone()), QuoteKeyApi::new(self.calculator.clone()));
        let claims = (ClaimsApi::new(self.claims.clone(), self.secure_cookies), AccountClaimsApi::new(self.claims.clone()));
        let saved = SavedRequisitesApi::new(self.claims.clone());
        let verification = VerificationApi::new(self.verification.clone());
        let accounts = customer_calls(&self.auth, &self.public_url);
        let referral = (ReferralApi::new(self.referral.clone()), PartnerAccessApi::new(self.partners.clone()));
        let discounts = DiscountsApi::new(self.discounts.clone());
        let content = ContentApi::new(self.content.clone());
        let growth = (ExportApi::new(self.monitors.clone()), ContestApi::new(self.contests.clone()));
        let calls = (calculator, claims, saved, verification, content, accounts, growth, discounts, referral);
        service(calls, "Agio public API", PUBLIC_ABOUT)
    }

    pub(super) fn partner_api(&self) -> OpenApiService<impl OpenApi + use<>, ()> {
        let calls = (PartnerApi::new(self.partners.clone()), TrusteeApi::new(self.partners.clone()));
        service(calls, "Agio partner API", PARTNER_ABOUT)
    }

    pub(super) fn console_api(&self) -> OpenApiService<impl OpenApi + use<>, ()> {
        let staff = staff_calls(&self.auth, self.permissions(), &self.texts);
        let market =
            (MarketDesk::new(self.calculator.clone(), self.texts.clone(), self.auth.clone()), RatesDesk::new(self.rates.clone()));
        let claims = ClaimsDesk::new(self.claims.clone());
        let verification = VerificationDesk::new(self.verification.clone());
        let content = ContentDesk::new(self.content.clone());
        let discounts = DiscountsDesk::new(self.discounts.clone(), self.auth.clone());
        let referral = ReferralDesk::new(self.referral.clone());
        let approvals = ApprovalDesk::new(self.decisions.clone());
        let growth = (MonitorDesk::new(self.monitors.clone()), ContestDesk::new(self.contests.clone(), self.approvals.clone()));
        let house = (
            Desk::new(self.clone()),
            PluginDesk::new(self.shelf.clone()),
            approvals,
            MailDesk(self.clone()),
            NoticeDesk(self.clone()),
            AuditDesk { app: self.clone(), texts: self.texts.clone() },
        );
        let partners = PartnersDesk::new(self.partners.clone());
        let payments = PaymentsDesk::new(self.payments.clone(), self.approvals.clone());
        let calls = (staff, house, claims, verification, content, market, growth, discounts, referral, partners, payments);
        service(calls, "Agio console API", CONSOLE_ABOUT)
    }

    /// The calls whose idempotency keys are kept at the edge.
    #[must_use]
    pub fn keyed(&self) -> openapi::Keyed {
        openapi::Keyed::of(&[self.public_api().spec(), self.partner_api().spec(), self.console_api().spec()])
    }

    /// The published documents.
    #[must_use]
    pub fn documents(&self) -> Documents {
        Documents {
            public: openapi::public(&self.public_api().spec(), &self.texts),
            console: openapi::console(&self.console_api().spec(), &self.texts),
            partner: openapi::partner(&self.partner_api().spec(), &self.texts),
        }
    }
}

fn service<T: OpenApi>(api: T, title: &str, about: &str) -> OpenApiService<T, ()> {
    OpenApiService::new(api, title, env!("CARGO_PKG_VERSION"))
        .description(about)
        .license(LicenseObject::new("MIT OR Apache-2.0").url("https://spdx.org/licenses/MIT.html"))
        .server(ServerObject::new("/"))
}

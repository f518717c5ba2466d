//! The APIs of all modules, in three published documents.

use agio_approvals::ApprovalsAdminApi;
use agio_auth::{customer_api, staff_api};
use agio_calculator::{CalculatorApi, MarketAdminApi, QuoteKeyApi};
use agio_claims::{
    AccountClaimsApi, BrowserNotificationsApi, ChatsApi, ClaimsAdminApi, ClaimsApi, RequisitesAdminApi, SavedRequisitesApi,
    TurnoverAdminApi,
};
use agio_content::{ContentAdminApi, ContentApi, NewsAdminApi};
use agio_contest::{ContestAdminApi, ContestApi};
use agio_discounts::{DiscountsAdminApi, DiscountsApi};
use agio_feeds::{FeedAdminApi, FeedApi};
use agio_partners::{PartnerAccessApi, PartnerAdminApi, PartnerApi, trustee::TrusteeApi};
use agio_payments::PaymentsAdminApi;
use agio_plugin_admin::PluginsAdminApi;
use agio_rates::RatesAdminApi;
use agio_referral::{ReferralAdminApi, ReferralApi};
use agio_reviews::{ReviewsAdminApi, ReviewsApi};
use agio_verification::{VerificationAdminApi, VerificationApi};
use agio_waitlist::{WaitlistAdminApi, WaitlistApi};
use poem_openapi::registry::MetaApi;
use poem_openapi::{ContactObject, LicenseObject, OpenApi, OpenApiService, ServerObject};

use super::App;
use crate::admin::audit_log::AuditAdminApi;
use crate::admin::brand::BrandAdminApi;
use crate::admin::dashboard::DashboardAdminApi;
use crate::admin::emails::EmailAdminApi;
use crate::admin::setup::SetupAdminApi;
use crate::admin::staff_alerts::StaffAlertAdminApi;
use crate::openapi::{self, Documents};
use crate::plugin_callbacks::PluginCallbackApi;

const PUBLIC_ABOUT: &str = "Directions, rates, signed quotes and claims. Amounts, rates and percentages are decimal strings. Integers have no \
    fraction. Times are RFC 3339 in UTC. Every path under /api and /front-api is also available under /en, which selects English texts. Errors \
    are RFC 9457 problem details with a stable code, which each operation lists in x-problem-codes. POST operations accept an \
    Idempotency-Key where declared: a repeated request with the same key from the same caller returns the first response and has no \
    further effect.";

const PARTNER_ABOUT: &str = "Quotes, claims and webhooks for shops, wallets and other partners. Every request except for the server time is \
    signed with a key; the guide explains how, with examples. Wallets that use the Trustee API find it under /trustee, with its own signatures, \
    names and errors. Elsewhere amounts, rates and percentages are decimal strings. Integers have no fraction. Times are \
    RFC 3339 in UTC. Errors are RFC 9457 problem details with a stable code, which each operation lists in x-problem-codes. Responses to \
    signed requests state the remaining requests of this minute: RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset. Texts follow Accept-Language.";

const CONSOLE_ABOUT: &str = "The API of the operator console. Sign in to get a bearer token. Errors are RFC 9457 problem details with a stable \
    code, which each operation lists in x-problem-codes. A 403 response names the missing permission. \
    Integers have no fraction. Texts follow Accept-Language.";

impl App {
    pub(super) fn public_api(&self) -> OpenApiService<impl OpenApi + use<>, ()> {
        let calculator = (
            CalculatorApi::new(self.calculator.clone(), self.discounts.clone(), self.messengers.clone()),
            QuoteKeyApi(self.calculator.clone()),
        );
        let claims = (ClaimsApi::new(self.claims.clone(), self.secure_cookies), AccountClaimsApi(self.claims.clone()));
        let notifications = (BrowserNotificationsApi(self.claims.clone()), ChatsApi(self.claims.clone()));
        let saved = (SavedRequisitesApi(self.claims.clone()), notifications);
        let verification = VerificationApi(self.verification.clone());
        let accounts = customer_api(&self.customer_data(), &self.public_url);
        let referral = (ReferralApi(self.referral.clone()), PartnerAccessApi(self.partners.clone()));
        let discounts = DiscountsApi(self.discounts.clone());
        let content = (ContentApi(self.content.clone()), ReviewsApi(self.reviews.clone()));
        let growth = (FeedApi(self.feeds.clone()), ContestApi(self.contests.clone()), WaitlistApi(self.waitlist.clone()));
        let callbacks = PluginCallbackApi(self.clone());
        let apis = (calculator, claims, saved, verification, content, accounts, growth, discounts, referral, callbacks);
        service(apis, "Agio public API", PUBLIC_ABOUT)
    }

    pub(super) fn partner_api(&self) -> OpenApiService<impl OpenApi + use<>, ()> {
        let apis = (PartnerApi(self.partners.clone()), TrusteeApi(self.partners.clone()));
        service(apis, "Agio partner API", PARTNER_ABOUT)
    }

    pub(super) fn console_api(&self) -> OpenApiService<impl OpenApi + use<>, ()> {
        let staff = staff_api(&self.auth, self.permissions(), &self.texts);
        let market = (
            MarketAdminApi::new(self.calculator.clone(), self.texts.clone(), self.auth.clone()),
            RatesAdminApi(self.rates.clone()),
        );
        let claims = (
            ClaimsAdminApi::new(self.claims.clone()),
            RequisitesAdminApi(self.claims.clone()),
            TurnoverAdminApi::new(self.claims.clone(), self.brands.clone()),
        );
        let verification = VerificationAdminApi(self.verification.clone());
        let content =
            (ContentAdminApi(self.content.clone()), NewsAdminApi(self.content.clone()), ReviewsAdminApi(self.reviews.clone()));
        let discounts = DiscountsAdminApi::new(self.discounts.clone(), self.auth.clone());
        let referral = ReferralAdminApi(self.referral.clone());
        let approvals = ApprovalsAdminApi(self.approval_decisions());
        let growth = (
            FeedAdminApi(self.feeds.clone()),
            ContestAdminApi::new(self.contests.clone(), self.approvals.clone()),
            WaitlistAdminApi(self.waitlist.clone()),
        );
        let system = (
            (DashboardAdminApi(self.clone()), SetupAdminApi(self.clone()), BrandAdminApi(self.clone())),
            PluginsAdminApi(self.plugin_manager.clone()),
            approvals,
            EmailAdminApi(self.clone()),
            StaffAlertAdminApi(self.clone()),
            AuditAdminApi { app: self.clone(), texts: self.texts.clone() },
        );
        let partners = PartnerAdminApi(self.partners.clone());
        let payments = PaymentsAdminApi::new(self.payments.clone(), self.approvals.clone());
        let apis = (staff, system, claims, verification, content, market, growth, discounts, referral, partners, payments);
        service(apis, "Agio console API", CONSOLE_ABOUT)
    }

    /// What each operation of all APIs declares.
    pub fn declared_apis(&self) -> Vec<MetaApi> {
        fn declared<T: OpenApi>(_: &OpenApiService<T, ()>) -> Vec<MetaApi> {
            T::meta()
        }
        [declared(&self.public_api()), declared(&self.partner_api()), declared(&self.console_api())]
            .into_iter()
            .flatten()
            .collect()
    }

    /// Generates the documents that the repository publishes.
    pub fn generate_documents(&self) -> Documents {
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
        .contact(ContactObject::new().name("The operator of the exchange"))
        .license(LicenseObject::new("MIT OR Apache-2.0").url("https://spdx.org/licenses/MIT.html"))
        .server(ServerObject::new("/"))
}

//! The calls by which a customer keeps the partner access of their account.

use std::sync::Arc;

use agio_core::outbox::State;
use agio_core::{Error, Result};
use agio_http::{Answer, Created, CustomerAuth, Done, IdempotencyKey, Input, Outcome, Visitor};
use poem_openapi::param::{Header, Path, Query};
use poem_openapi::{OpenApi, Tags};
use uuid::Uuid;

use super::access_bodies::{
    AccessChange, AccessKey, AccessKeyMade, AccessKeyOrder, AccessOrder, AccessProof, AccessSecret, AccessView,
};
use super::access_news::AccessNewsPage;
use super::malformed;
use crate::Partners;

/// Rows of a page unless more or fewer are wanted, and the most there are.
const SIZE: u32 = 20;
const SIZE_MAX: u32 = 100;

#[derive(Tags)]
enum AccessTag {
    /// Exchanging for customers of one's own.
    PartnerAccess,
}

/// The calls of the account.
pub struct PartnerAccessApi(Arc<Partners>);

impl PartnerAccessApi {
    /// The calls.
    #[must_use]
    pub fn new(partners: Arc<Partners>) -> Self {
        Self(partners)
    }

    async fn view(&self, customer: &CustomerAuth) -> Result<AccessView> {
        Ok(AccessView::of(self.0.is_open(), self.0.access(&customer.0).await?))
    }
}

#[OpenApi(prefix_path = "/api/v1/users/me/partner", tag = "AccessTag::PartnerAccess")]
impl PartnerAccessApi {
    /// My partner access
    ///
    /// With keys, what was exchanged by them and what was earned.
    #[oai(path = "/", method = "get", operation_id = "getMyPartnerAccess")]
    async fn mine(&self, customer: CustomerAuth) -> Outcome<Answer<AccessView>> {
        Ok(Answer(self.view(&customer).await?))
    }

    /// Ask for partner access
    ///
    /// Needs a confirmed address. Sandbox keys can be made at once; staff decide about real claims and write. Whoever was declined may ask
    /// again, and whoever waits may change what they told. 409 `partner_is_approved`, `partner_suspended`, `partner_self_service_off`.
    #[oai(path = "/", method = "post", operation_id = "askForPartnerAccess")]
    async fn ask(&self, customer: CustomerAuth, visitor: Visitor, input: Input<AccessOrder>) -> Outcome<Answer<AccessView>> {
        self.0.ask(customer.0.clone(), input.0.into(), visitor.locale).await?;
        Ok(Answer(self.view(&customer).await?))
    }

    /// Change my partner access
    ///
    /// The contact and where news go, shown the password once more, and a code where the account has a second factor.
    #[oai(path = "/", method = "patch", operation_id = "changeMyPartnerAccess")]
    async fn change(&self, customer: CustomerAuth, input: Input<AccessChange>) -> Outcome<Answer<AccessView>> {
        let (email, callback, shown) = input.0.parts();
        self.0.change_own(customer.0.clone(), email, callback, shown).await?;
        Ok(Answer(self.view(&customer).await?))
    }

    /// Make another secret for my news
    ///
    /// From now on news are signed with it. It is not shown again.
    #[oai(path = "/secret", method = "post", operation_id = "changeMyPartnerSecret")]
    async fn secret(&self, customer: CustomerAuth, input: Input<AccessProof>) -> Outcome<Answer<AccessSecret>> {
        let made = self.0.change_own_secret(customer.0, input.0.into()).await?;
        Ok(Answer(AccessSecret { secret: made.secret }))
    }

    /// Make a key
    ///
    /// The answer holds its secret; it is not shown again. A key for real claims needs approved access, the password once more, and a code
    /// where the account has a second factor. The same `Idempotency-Key` gives the same key, whatever code it is shown with.
    #[oai(path = "/keys", method = "post", operation_id = "addMyPartnerKey")]
    async fn add_key(
        &self,
        customer: CustomerAuth,
        input: Input<AccessKeyOrder>,
        /// Any text of 8 to 255 visible ASCII characters, made anew for each key.
        #[oai(name = "Idempotency-Key")]
        key: Header<Option<String>>,
    ) -> Outcome<Created<AccessKeyMade>> {
        let (wish, shown) = input.0.parts();
        // A code counts once, so a call that is sent again carries another: it is the same call all the same.
        let content = serde_json::to_vec(&(&wish.title, wish.sandbox, &wish.scopes, &wish.networks)).map_err(Error::internal)?;
        let once = IdempotencyKey::check(key.0)?.for_content(format!("partner.own_key:{}", customer.0.id), &content);
        let made = self.0.make_own_key(customer.0, wish, shown, once).await?;
        Ok(Created { body: AccessKeyMade { key: AccessKey::of(&made.row, &[]), secret: made.secret }, cookie: None })
    }

    /// Revoke a key of mine
    ///
    /// It opens nothing from now on.
    #[oai(path = "/keys/:key/revoke", method = "post", operation_id = "revokeMyPartnerKey")]
    async fn revoke_key(&self, customer: CustomerAuth, key: Path<Uuid>) -> Outcome<Answer<AccessKey>> {
        Ok(Answer(AccessKey::of(&self.0.revoke_own_key(customer.0, key.0).await?, &[])))
    }

    /// What I was told
    ///
    /// News of claims, the newest first.
    #[oai(path = "/news", method = "get", operation_id = "listMyPartnerNews")]
    async fn news(
        &self,
        customer: CustomerAuth,
        /// `queued`, `sent` or `dead`; all where nothing is given.
        state: Query<Option<String>>,
        /// `nextCursor` of the page before.
        cursor: Query<Option<String>>,
        /// Rows of a page, at most 100.
        size: Query<Option<u32>>,
    ) -> Outcome<Answer<AccessNewsPage>> {
        let given = |text: Option<String>| text.filter(|text| !text.is_empty());
        let state: Option<State> = given(state.0).map(|name| name.parse().map_err(|_| malformed("state"))).transpose()?;
        let before = given(cursor.0).map(|text| text.parse().map_err(|_| malformed("cursor"))).transpose()?;
        let size = size.0.unwrap_or(SIZE);
        if !(1..=SIZE_MAX).contains(&size) {
            return Err(malformed("size").into());
        }
        let news = self.0.own_news(&customer.0, state, before, i64::from(size) + 1).await?;
        Ok(Answer(AccessNewsPage::of(news, size as usize)?))
    }

    /// Tell me once more
    ///
    /// What could not be delivered is tried anew, and what was delivered is sent again as the same event. 409 `message_waits` while it is
    /// still being tried.
    #[oai(path = "/news/:message/resend", method = "post", operation_id = "resendMyPartnerNews")]
    async fn resend(&self, customer: CustomerAuth, message: Path<i64>) -> Outcome<Done> {
        self.0.tell_own_again(customer.0, message.0).await?;
        Ok(Done)
    }
}

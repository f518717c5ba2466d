//! Requisites a customer keeps, as their account and the calculator show them.

use std::collections::BTreeMap;
use std::sync::Arc;

use agio_core::texts::Locale;
use agio_http::{Answer, Created, CustomerAuth, Done, Input, Moment, Outcome, Visitor};
use poem_openapi::param::{Path, Query};
use poem_openapi::types::Example;
use poem_openapi::{Object, OpenApi};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::Tag;
use super::form::ClaimRequisite;
use crate::{Claims, SavedRequisites};

/// The account's calls about requisites.
pub struct SavedRequisitesApi(Arc<Claims>);

impl SavedRequisitesApi {
    /// Over what the house's claims keep.
    #[must_use]
    pub fn new(claims: Arc<Claims>) -> Self {
        Self(claims)
    }
}

/// Requisites that are kept.
#[derive(Serialize, Object)]
#[serde(rename_all = "camelCase")]
#[oai(rename_all = "camelCase")]
struct AccountRequisites {
    /// Identifier.
    id: Uuid,
    /// The currency they are of.
    currency_id: i64,
    /// Its code.
    code: String,
    /// Its name.
    name: String,
    /// The values: masked in a list, open where one set is asked for.
    fields: Vec<ClaimRequisite>,
    /// When they were kept.
    created_at: Moment,
}

/// Everything that is kept, the newest first.
#[derive(Serialize, Object)]
struct AccountRequisitesList {
    /// The requisites.
    items: Vec<AccountRequisites>,
}

/// Requisites to be kept.
#[derive(Deserialize, Object)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[oai(rename_all = "camelCase", deny_unknown_fields, example)]
struct AccountRequisitesOrder {
    /// The currency, by its id.
    currency_id: i64,
    /// The values by the names of the currency's fields; those of either side, as many as there are.
    values: BTreeMap<String, String>,
}

impl Example for AccountRequisitesOrder {
    fn example() -> Self {
        Self { currency_id: 14, values: BTreeMap::from([("card".into(), "2200000000000004".into())]) }
    }
}

impl AccountRequisites {
    fn of(saved: SavedRequisites, locale: Locale) -> Self {
        Self {
            id: saved.id,
            currency_id: saved.currency.id,
            code: saved.currency.code.clone(),
            name: saved.currency.name.get(locale).to_owned(),
            // What is masked was masked when it was kept.
            fields: ClaimRequisite::all(saved.requisites, locale, true),
            created_at: saved.created_at.into(),
        }
    }
}

#[OpenApi(prefix_path = "/api/v1/users/me/requisites", tag = "Tag::Claims")]
impl SavedRequisitesApi {
    /// Requisites I keep
    ///
    /// Masked; what is kept is sealed where it lies.
    #[oai(path = "/", method = "get", operation_id = "getMyRequisites")]
    async fn list(
        &self,
        customer: CustomerAuth,
        visitor: Visitor,
        /// Only those of one currency, by its id.
        #[oai(name = "currency_id")]
        currency_id: Query<Option<i64>>,
    ) -> Outcome<Answer<AccountRequisitesList>> {
        let saved = self.0.saved_requisites(&customer.0, currency_id.0).await?;
        Ok(Answer(AccountRequisitesList {
            items: saved.into_iter().map(|saved| AccountRequisites::of(saved, visitor.locale)).collect(),
        }))
    }

    /// Keep requisites
    ///
    /// The same ones are kept once, and the answer is what is kept. A claim can keep its own: `extras.keepRequisites`. An account keeps none
    /// until its address is confirmed.
    #[oai(path = "/", method = "post", operation_id = "keepMyRequisites")]
    async fn keep(
        &self,
        customer: CustomerAuth,
        visitor: Visitor,
        input: Input<AccountRequisitesOrder>,
    ) -> Outcome<Created<AccountRequisites>> {
        let AccountRequisitesOrder { currency_id, values } = input.0;
        let saved = self.0.save_requisites(customer.0, currency_id, &values).await?;
        Ok(Created { body: AccountRequisites::of(saved, visitor.locale), cookie: None })
    }

    /// Open requisites
    ///
    /// One set with its whole values, to fill in a claim.
    #[oai(path = "/:id", method = "get", operation_id = "openMyRequisites")]
    async fn open(&self, customer: CustomerAuth, visitor: Visitor, id: Path<Uuid>) -> Outcome<Answer<AccountRequisites>> {
        let saved = self.0.open_requisites(&customer.0, id.0).await?;
        Ok(Answer(AccountRequisites::of(saved, visitor.locale)))
    }

    /// Forget requisites
    #[oai(path = "/:id", method = "delete", operation_id = "forgetMyRequisites")]
    async fn forget(&self, customer: CustomerAuth, id: Path<Uuid>) -> Outcome<Done> {
        self.0.forget_requisites(customer.0, id.0).await?;
        Ok(Done)
    }
}

//! A customer's saved requisites.

use std::collections::BTreeMap;
use std::sync::Arc;

use agio_core::texts::Locale;
use agio_http::{ApiResult, Created, CustomerAuth, DateTime, JsonBody, JsonResponse, NoContent, Visitor, body};
use poem_openapi::OpenApi;
use poem_openapi::param::{Path, Query};
use poem_openapi::types::Example;
use uuid::Uuid;

use super::Tag;
use super::form::ClaimRequisite;
use crate::{Claims, SavedRequisites};

pub struct SavedRequisitesApi(pub Arc<Claims>);

/// Saved requisites.
#[body(response)]
struct SavedRequisitesView {
    /// Identifier.
    id: Uuid,
    /// The currency.
    currency_id: i64,
    /// Its code.
    code: String,
    /// Its name.
    name: String,
    /// The values, masked in a list.
    fields: Vec<ClaimRequisite>,
    /// When they were saved.
    created_at: DateTime,
}

/// All saved requisites, the newest first.
#[body(response)]
struct SavedRequisitesList {
    /// The requisites.
    items: Vec<SavedRequisitesView>,
}

/// Requisites to save.
#[body(request, example)]
struct SaveRequisitesRequest {
    /// The currency id.
    currency_id: i64,
    /// The values by field name, for the fields of either side.
    values: BTreeMap<String, String>,
}

impl Example for SaveRequisitesRequest {
    fn example() -> Self {
        Self { currency_id: 14, values: BTreeMap::from([("card".into(), "2200000000000004".into())]) }
    }
}

impl SavedRequisitesView {
    fn of(saved: SavedRequisites, locale: Locale) -> Self {
        Self {
            id: saved.id,
            currency_id: saved.currency.id,
            code: saved.currency.code.clone(),
            name: saved.currency.name.get(locale).to_owned(),
            // A list's values were masked when they were saved.
            fields: ClaimRequisite::all(saved.requisites, locale, true),
            created_at: saved.created_at.into(),
        }
    }
}

#[OpenApi(prefix_path = "/api/v1/users/me/requisites", tag = "Tag::Claims")]
impl SavedRequisitesApi {
    /// List saved requisites
    ///
    /// The values are masked. They are stored encrypted.
    #[oai(path = "/", method = "get", operation_id = "listSavedRequisites")]
    async fn list(
        &self,
        customer: CustomerAuth,
        visitor: Visitor,
        /// Only requisites of this currency id.
        #[oai(name = "currency_id")]
        currency_id: Query<Option<i64>>,
    ) -> ApiResult<JsonResponse<SavedRequisitesList>> {
        let saved = self.0.saved_requisites(&customer.0, currency_id.0).await?;
        Ok(JsonResponse(SavedRequisitesList {
            items: saved.into_iter().map(|saved| SavedRequisitesView::of(saved, visitor.locale)).collect(),
        }))
    }

    /// Save requisites
    ///
    /// Saving the same requisites again returns the saved ones. A claim can save its own: `extras.keepRequisites`. An
    /// account can save none until its e-mail address is confirmed.
    #[oai(path = "/", method = "post", operation_id = "saveRequisites")]
    async fn keep(
        &self,
        customer: CustomerAuth,
        visitor: Visitor,
        input: JsonBody<SaveRequisitesRequest>,
    ) -> ApiResult<Created<SavedRequisitesView>> {
        let SaveRequisitesRequest { currency_id, values } = input.0;
        let saved = self.0.save_requisites(customer.0, currency_id, &values).await?;
        Ok(Created { body: SavedRequisitesView::of(saved, visitor.locale), cookie: None })
    }

    /// Get saved requisites
    ///
    /// Returns the full values, to fill in a claim.
    #[oai(path = "/:id", method = "get", operation_id = "getSavedRequisites")]
    async fn open(
        &self,
        customer: CustomerAuth,
        visitor: Visitor,
        id: Path<Uuid>,
    ) -> ApiResult<JsonResponse<SavedRequisitesView>> {
        let saved = self.0.get_saved_requisites(&customer.0, id.0).await?;
        Ok(JsonResponse(SavedRequisitesView::of(saved, visitor.locale)))
    }

    /// Delete saved requisites
    ///
    /// Existing claims keep theirs.
    #[oai(path = "/:id", method = "delete", operation_id = "deleteSavedRequisites")]
    async fn forget(&self, customer: CustomerAuth, id: Path<Uuid>) -> ApiResult<NoContent> {
        self.0.delete_saved_requisites(customer.0, id.0).await?;
        Ok(NoContent)
    }
}

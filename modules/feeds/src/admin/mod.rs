//! Admin API.

mod bodies;

use std::collections::BTreeMap;
use std::sync::Arc;

use agio_core::Error;
use agio_http::{ApiResult, Created, IdempotencyKey, JsonBody, JsonResponse, NoContent, StaffAuth, Visitor};
use poem_openapi::param::{Header, Path, Query};
use poem_openapi::{OpenApi, Tags};
use uuid::Uuid;

use crate::service::{DirectionSetup, NewAggregator, OWN_FEED};
use crate::{AGGREGATORS_EDIT, AGGREGATORS_READ, Feeds};

use bodies::{
    Aggregator, AggregatorDirection, AggregatorFeed, AggregatorList, CreateAggregatorRequest, FeedFinding,
    UpdateAggregatorDirectionRequest, UpdateAggregatorRequest,
};

#[derive(Tags)]
enum AdminTag {
    /// Exchange aggregators and their rate feeds.
    Aggregators,
}

pub struct FeedAdminApi(pub Arc<Feeds>);

impl FeedAdminApi {
    async fn aggregator(&self, id: Uuid) -> ApiResult<Aggregator> {
        let row = self.0.all().await?.into_iter().find(|row| row.id == id);
        let row = row.ok_or_else(|| Error::not_found("aggregator_not_found"))?;
        let rendered = self.0.feed(&row.slug).await?;
        Ok(Aggregator::of(row, &rendered))
    }
}

#[OpenApi(prefix_path = "/api/admin/v1/aggregators", tag = "AdminTag::Aggregators")]
impl FeedAdminApi {
    /// List aggregators
    ///
    /// Requires `aggregators.read`.
    #[oai(path = "/", method = "get", operation_id = "listAggregators")]
    async fn list(&self, staff: StaffAuth, visitor: Visitor) -> ApiResult<JsonResponse<AggregatorList>> {
        staff.require(AGGREGATORS_READ)?;
        self.0.refresh().await?;
        let own = AggregatorFeed::of(OWN_FEED, &*self.0.feed(OWN_FEED).await?);
        let mut items = Vec::new();
        for row in self.0.all().await? {
            let rendered = self.0.feed(&row.slug).await?;
            items.push(Aggregator::of(row, &rendered));
        }
        let finding = |active| FeedFinding::of(&self.0, active, visitor.locale);
        let findings = self.0.findings().into_iter().map(finding).collect();
        Ok(JsonResponse(AggregatorList::of(own, items, findings)))
    }

    /// Create an aggregator
    ///
    /// Its feed is at `/export/SLUG/rates.xml` and `.json`. Requires `aggregators.edit`.
    #[oai(path = "/", method = "post", operation_id = "createAggregator")]
    async fn add(
        &self,
        staff: StaffAuth,
        input: JsonBody<CreateAggregatorRequest>,
        #[oai(name = "Idempotency-Key")] key: Header<Option<String>>,
    ) -> ApiResult<Created<Aggregator>> {
        let by = staff.require(AGGREGATORS_EDIT)?;
        let key = IdempotencyKey::check(key.0)?.for_body(format!("aggregator.add:{}", by.id), &input.0)?;
        let (slug, change) = input.0.parts()?;
        let id = self.0.add(NewAggregator { slug, change }, by, key).await?;
        Ok(Created { body: self.aggregator(id).await?, cookie: None })
    }

    /// Update an aggregator
    ///
    /// Omitted values stay as they are. 409 `aggregator_changed` if the revision is stale. Requires `aggregators.edit`.
    #[oai(path = "/:id", method = "patch", operation_id = "updateAggregator")]
    async fn change(
        &self,
        staff: StaffAuth,
        id: Path<Uuid>,
        input: JsonBody<UpdateAggregatorRequest>,
    ) -> ApiResult<JsonResponse<Aggregator>> {
        let by = staff.require(AGGREGATORS_EDIT)?;
        let (revision, change) = input.0.parts()?;
        self.0.change(id.0, revision, change, by).await?;
        Ok(JsonResponse(self.aggregator(id.0).await?))
    }

    /// Delete an aggregator
    ///
    /// Its feed returns 404; to pause it, disable it instead. Requires `aggregators.edit`.
    #[oai(path = "/:id", method = "delete", operation_id = "deleteAggregator")]
    async fn remove(&self, staff: StaffAuth, id: Path<Uuid>) -> ApiResult<NoContent> {
        self.0.remove(id.0, staff.require(AGGREGATORS_EDIT)?).await?;
        Ok(NoContent)
    }

    /// List feed directions
    ///
    /// Requires `aggregators.read`.
    #[oai(path = "/directions", method = "get", operation_id = "listAggregatorDirections")]
    async fn directions(
        &self,
        staff: StaffAuth,
        /// The given currency.
        from: Query<i64>,
    ) -> ApiResult<JsonResponse<Vec<AggregatorDirection>>> {
        staff.require(AGGREGATORS_READ)?;
        let shown = self.0.directions_from(from.0)?.into_iter().map(AggregatorDirection::from).collect();
        Ok(JsonResponse(shown))
    }

    /// Update a feed direction
    ///
    /// The marks replace the defaults; derived marks are added. Requires `aggregators.edit`.
    #[oai(path = "/directions/:from/:to", method = "put", operation_id = "updateAggregatorDirection")]
    async fn update_direction(
        &self,
        staff: StaffAuth,
        /// The given currency.
        from: Path<i64>,
        /// The received currency.
        to: Path<i64>,
        input: JsonBody<UpdateAggregatorDirectionRequest>,
    ) -> ApiResult<JsonResponse<Vec<AggregatorDirection>>> {
        let by = staff.require(AGGREGATORS_EDIT)?;
        let setup = DirectionSetup { from: from.0, to: to.0, listed: input.0.listed, marks: bodies::chosen(input.0.marks) };
        self.0.update_direction(setup, by).await?;
        Ok(JsonResponse(self.0.directions_from(from.0)?.into_iter().map(AggregatorDirection::from).collect()))
    }
}

/// Codes by currency id; each currency at most once.
fn codes(given: Vec<bodies::AggregatorCurrencyCode>) -> Result<BTreeMap<i64, String>, Error> {
    let mut codes = BTreeMap::new();
    for (place, code) in given.into_iter().enumerate() {
        if codes.insert(code.currency_id, code.code.trim().to_owned()).is_some() {
            return Err(Error::unprocessable("validation_failed").at(format!("codes[{place}]"), "code_repeated"));
        }
    }
    Ok(codes)
}

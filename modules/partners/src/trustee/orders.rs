//! Trustee estimates and orders.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use agio_contracts::{ClaimState, CurrencyInfo, CurrencyKind, PartnerAction, PartnerClaimRequest, QuotedSide};
use agio_core::idempotency::Key;
use agio_core::texts::Locale;
use agio_core::{Error, ErrorKind, Result};
use agio_http::{ApiEnum, Nullable};
use rust_decimal::Decimal;
use uuid::Uuid;

use super::api::bodies::{
    TrusteeAmounts, TrusteeCancellation, TrusteeCancellationStatus, TrusteeEstimate, TrusteeEstimateRequest, TrusteeOrder,
    TrusteeOrderRequest, TrusteeRateType,
};
use super::api::num::Num;
use super::checks::{filled, on_side, require_no_extra_fee, require_orderable, require_short_texts, share_of_payment};
use super::errors::with_contract_fields;
use super::sides::{PaymentFields, network, rates, receiving, sending};
use super::status::{TrusteeOrderStatus, is_unpaid, status_of};
use super::store::{self, TrusteeOrderRow};
use crate::Partners;
use crate::api::PartnerClaimView;
use crate::model::PartnerRateType;
use crate::service::PartnerCaller;
use crate::store as partners;

/// Trustee requires a fixed rate to hold at least this long.
const MIN_RATE_HOLD: Duration = Duration::from_secs(30);

/// Retries when the claim found for an order has ended.
const ATTEMPTS: usize = 3;

type Sides = (Arc<CurrencyInfo>, Arc<CurrencyInfo>);

impl Partners {
    /// # Errors
    /// 404 `currency_unknown`, `pair_unavailable`; 422 at the amount, the network, the rate type or a fee.
    pub async fn estimate_trustee_amount(
        &self,
        caller: &PartnerCaller,
        request: TrusteeEstimateRequest,
    ) -> Result<TrusteeEstimate> {
        require_no_extra_fee(&[("extraFromFee", request.extra_from_fee.0), ("extraToFee", request.extra_to_fee.0)])?;
        let (from, to) =
            self.sides((&request.from, request.from_network.0.as_deref()), (&request.to, request.to_network.0.as_deref()))?;
        let side = match (request.from_amount.0, request.to_amount.0) {
            (Some(send), None) => QuotedSide::Give(send.0),
            (None, Some(receive)) => QuotedSide::Receive(receive.0),
            _ => return Err(Error::unprocessable("validation_failed").at("fromAmount", "one_amount_needed")),
        };
        let quote = self.offers.quote(from.id, to.id, side, MIN_RATE_HOLD).map_err(|refused| on_side(refused, side))?;
        require_orderable(&quote.pair, request.rate_type.0.map(|wanted| wanted.0))?;
        let partner = partners::partner(&mut self.platform.db.read().await?, caller.partner.id).await?;
        let sums = TrusteeAmounts {
            from_amount: Num(quote.give),
            to_amount: Num(quote.receive),
            from_revenue_share: Num(share_of_payment(&partner, quote.give, &from)?),
            ..empty_amounts(&(from, to), quote.pair.rate, quote.pair.fees, quote.pair.floating.is_some())?
        };
        let is_fixed = quote.pair.floating.is_none();
        Ok(TrusteeEstimate {
            sums,
            rate_id: is_fixed.then_some(quote.token),
            rate_id_expiration_timestamp: is_fixed.then_some(quote.expires_at.0.div_euclid(1_000)),
        })
    }

    /// While an order waits for payment, an equal order of the same key returns it.
    ///
    /// # Errors
    /// Whatever prevents an estimate or a claim; 409 `rate_changed` if the promised rate has expired.
    pub async fn create_trustee_order(
        &self,
        caller: &PartnerCaller,
        request: TrusteeOrderRequest,
        locale: Locale,
    ) -> Result<TrusteeOrder> {
        require_no_extra_fee(&[("extraFromFee", request.extra_from_fee.0), ("extraToFee", request.extra_to_fee.0)])?;
        require_short_texts(&[("userId", &request.user_id.0), ("redirectUrl", &request.redirect_url.0)])?;
        let request_json = serde_json::to_string(&request).map_err(Error::internal)?;
        let vault = &self.platform.vault;
        let fingerprints = store::fingerprints(vault, &request_json);
        let fingerprint = &fingerprints[0];
        for _ in 0..ATTEMPTS {
            let mut rows = Vec::new();
            // Orders stored under replaced encryption keys are older.
            for fingerprint in fingerprints.iter().rev() {
                rows.extend(store::of_content(&mut self.platform.db.read().await?, caller.key, fingerprint).await?);
            }
            if let Some(row) = rows.last() {
                match self.get_claim(caller, row.claim_id, locale).await {
                    Ok(claim) if is_unpaid(claim.state.0) => return self.trustee_order_view(caller, row, &claim, locale).await,
                    Ok(_) => {}
                    // Sandbox claims are deleted after a while.
                    Err(gone) if gone.kind() == ErrorKind::NotFound => {}
                    Err(failed) => return Err(failed),
                }
            }
            let turn = i64::try_from(rows.len()).map_err(Error::internal)?;
            let key = Key {
                scope: format!("partner.trustee:{}", caller.key),
                key: format!("{fingerprint}-{turn}"),
                fingerprint: fingerprint.clone(),
            };
            let (claim_request, fees) = self.trustee_claim_request(caller, &request, key, locale).await?;
            let created = self
                .create_claim(caller, claim_request, locale)
                .await
                .map_err(|refused| self.with_field_names(refused, &request.to))?;
            let row = TrusteeOrderRow {
                claim_id: created.id(),
                partner_id: caller.partner.id,
                key_id: caller.key,
                fingerprint: fingerprint.clone(),
                turn,
                sandbox: caller.sandbox,
                request: vault.seal(&store::purpose(created.id()), request_json.as_bytes()),
                fee_from: fees.0.to_string(),
                fee_to: fees.1.to_string(),
                created_at: self.platform.clock.now(),
            };
            let stored = row.clone();
            let insertion = self.platform.db.write(move |tx| {
                let row = stored.clone();
                Box::pin(async move { store::insert(tx, &row).await })
            });
            insertion.await?;
            // An earlier request may have been interrupted before storing its order, and its claim may have ended
            // since.
            if is_unpaid(created.state.0) {
                return self.trustee_order_view(caller, &row, &created, locale).await;
            }
        }
        Err(Error::new(ErrorKind::Unavailable, "overloaded").retry_after(1))
    }

    /// # Errors
    /// 404 `claim_not_found`.
    pub async fn get_trustee_order(&self, caller: &PartnerCaller, id: &str, locale: Locale) -> Result<TrusteeOrder> {
        let row = self.trustee_row(caller, id).await?;
        let claim = self.get_claim(caller, row.claim_id, locale).await?;
        self.trustee_order_view(caller, &row, &claim, locale).await
    }

    /// Possible until it is paid. Repeating it changes nothing.
    ///
    /// # Errors
    /// 404 `claim_not_found`; 409 `transition_not_allowed` once it is paid.
    pub async fn cancel_trustee_order(&self, caller: &PartnerCaller, id: &str, locale: Locale) -> Result<TrusteeCancellation> {
        let row = self.trustee_row(caller, id).await?;
        self.act_on_claim(caller, row.claim_id, PartnerAction::Cancel, locale).await?;
        Ok(TrusteeCancellation { status: ApiEnum(TrusteeCancellationStatus::Success) })
    }

    async fn trustee_row(&self, caller: &PartnerCaller, id: &str) -> Result<TrusteeOrderRow> {
        let unknown = || Error::not_found("claim_not_found");
        let id = Uuid::try_parse(id).map_err(|_| unknown())?;
        store::of_claim(&mut self.platform.db.read().await?, caller.partner.id, id).await?.ok_or_else(unknown)
    }

    /// The claim request for an order, and the fixed fees of its pair.
    async fn trustee_claim_request(
        &self,
        caller: &PartnerCaller,
        request: &TrusteeOrderRequest,
        key: Key,
        locale: Locale,
    ) -> Result<(PartnerClaimRequest, (Decimal, Decimal))> {
        let (from, to) =
            self.sides((&request.from, request.from_network.0.as_deref()), (&request.to, request.to_network.0.as_deref()))?;
        let rate_id = filled(&request.rate_id.0);
        if request.rate_type.0 == Some(ApiEnum(TrusteeRateType::Fixed)) && rate_id.is_none() {
            return Err(Error::unprocessable("validation_failed").at("rateId", "required"));
        }
        let side = QuotedSide::Give(request.from_amount.0);
        let quote = self.offers.quote(from.id, to.id, side, MIN_RATE_HOLD).map_err(|refused| on_side(refused, side))?;
        require_orderable(&quote.pair, request.rate_type.0.map(|wanted| wanted.0))?;
        let inputs = receiving(&to).ok_or_else(|| Error::not_found("pair_unavailable"))?;
        let mut receive_requisites = BTreeMap::from([(inputs.details.name.clone(), request.to_payment_details.clone())]);
        match (filled(&request.to_memo.0), inputs.memo) {
            (Some(memo), Some(input)) => _ = receive_requisites.insert(input.name.clone(), memo.to_owned()),
            (Some(_), None) => return Err(Error::unprocessable("validation_failed").at("toMemo", "unknown_field")),
            (None, _) => {}
        }
        let give_requisites = match (filled(&request.from_payment_details.0), sending(&from, quote.pair.verification)) {
            (Some(details), PaymentFields::Details(input)) => BTreeMap::from([(input.name.clone(), details.to_owned())]),
            _ => BTreeMap::new(),
        };
        let partner = partners::partner(&mut self.platform.db.read().await?, caller.partner.id).await?;
        let claim_request = PartnerClaimRequest {
            partner: caller.partner.clone(),
            from: from.id,
            to: to.id,
            give: request.from_amount.0,
            // Without a `rateId` the amount is an estimate; the response has the actual one.
            receive: if rate_id.is_some() { request.to_amount.0 } else { quote.receive },
            quote: Some(rate_id.map_or(quote.token, str::to_owned)),
            city: None,
            // Trustee sends no customer e-mail address.
            email: partner.email,
            give_requisites,
            receive_requisites,
            reference: None,
            callback: None,
            locale,
            terms_version: None,
            aml_consent: false,
            accepted_terms: None,
            key,
        };
        Ok((claim_request, quote.pair.fees))
    }

    fn with_field_names(&self, refused: Error, to: &str) -> Error {
        let to = self.offers.by_code(to);
        let memo = to.as_deref().and_then(receiving).and_then(|inputs| inputs.memo);
        with_contract_fields(refused, memo.map(|input| input.name.as_str()))
    }

    fn sides(&self, from: (&str, Option<&str>), to: (&str, Option<&str>)) -> Result<Sides> {
        let side = |fields: [&str; 2], (code, network_code): (&str, Option<&str>)| {
            let currency = self.currency(fields[0], code)?;
            match network_code.filter(|code| !code.is_empty()) {
                Some(code) if network(&currency) != Some(code) => {
                    Err(Error::unprocessable("validation_failed").at(fields[1], "network_differs"))
                }
                _ => Ok(currency),
            }
        };
        Ok((side(["from", "fromNetwork"], from)?, side(["to", "toNetwork"], to)?))
    }

    async fn trustee_order_view(
        &self,
        caller: &PartnerCaller,
        row: &TrusteeOrderRow,
        claim: &PartnerClaimView,
        locale: Locale,
    ) -> Result<TrusteeOrder> {
        let request = self.platform.vault.open(&store::purpose(row.claim_id), &row.request)?;
        let request: TrusteeOrderRequest =
            serde_json::from_slice(&request).map_err(|_| Error::internal("the stored order is unreadable"))?;
        let status = status_of(claim.state.0, claim.status.0);
        let sides = (self.currency("from", &claim.from.code)?, self.currency("to", &claim.to.code)?);
        let (give_share, receive_share) = self.revenue_shares(caller, claim, &sides).await?;
        let fee = |text: &str| text.parse::<Decimal>().map_err(Error::internal);
        let is_crypto = sides.0.kind == CurrencyKind::Crypto;
        let payment = claim.payment.0.as_ref().filter(|_| is_crypto);
        // For a crypto payment the page is only needed for verification.
        let needs_page = !is_crypto || claim.state.0 == ClaimState::Verification;
        let to_amount = match status {
            TrusteeOrderStatus::NotEntireWithdraw => claim.paid_out.0.as_ref().map_or(Decimal::ZERO, |paid| paid.0),
            _ => claim.to.amount.0,
        };
        let floating = claim.rate_type.0 == PartnerRateType::Floating;
        Ok(TrusteeOrder {
            id: row.claim_id.to_string(),
            status: ApiEnum(status),
            pay_url: needs_page.then(|| self.claim_page(row.claim_id, locale)),
            pay_crypto_address: payment.map(|payment| payment.value.clone()),
            pay_crypto_memo: payment.and_then(|payment| payment.memo.0.clone()),
            sums: TrusteeAmounts {
                from_amount: Num(claim.from.amount.0),
                to_amount: Num(to_amount),
                from_revenue_share: Num(give_share),
                to_revenue_share: Num(receive_share),
                ..empty_amounts(&sides, claim.course.0, (fee(&row.fee_from)?, fee(&row.fee_to)?), floating)?
            },
            from_amount_received: Num(claim.received.0.as_ref().map_or(Decimal::ZERO, |received| received.0)),
            user_id: request.user_id.0,
            redirect_url: request.redirect_url,
            to_payment_details: request.to_payment_details,
            from_payment_details: request.from_payment_details.0,
            to_memo: request.to_memo.0,
            from_tx_hash: Nullable(claim.tx_in.0.as_ref().map(|transaction| transaction.id.clone())),
            to_tx_hash: Nullable(claim.tx_out.0.as_ref().map(|transaction| transaction.id.clone())),
        })
    }

    /// The wallet's commission per side: booked, or as far as it is known.
    async fn revenue_shares(
        &self,
        caller: &PartnerCaller,
        claim: &PartnerClaimView,
        sides: &Sides,
    ) -> Result<(Decimal, Decimal)> {
        let mut tx = self.platform.db.read().await?;
        if let Some(given) = partners::commissions::of_claim(&mut tx, claim.id()).await? {
            let of = |side: &CurrencyInfo| {
                let units = if side.id == given.currency_id { given.units } else { 0 };
                side.amount(units).value()
            };
            return Ok((of(&sides.0), of(&sides.1)));
        }
        let partner = partners::partner(&mut tx, caller.partner.id).await?;
        Ok((share_of_payment(&partner, claim.from.amount.0, &sides.0)?, Decimal::ZERO))
    }

    fn claim_page(&self, id: Uuid, locale: Locale) -> String {
        let language = match locale {
            Locale::Ru => "",
            Locale::En => "/en",
        };
        format!("{}{language}/claim/{id}", self.site)
    }
}

fn empty_amounts(sides: &Sides, rate: Decimal, fees: (Decimal, Decimal), floating: bool) -> Result<TrusteeAmounts> {
    let (from, to) = sides;
    let (from_rate, to_rate) = rates(rate).ok_or_else(|| Error::not_found("pair_unavailable"))?;
    let nothing = Num(Decimal::ZERO);
    Ok(TrusteeAmounts {
        from: from.code.clone(),
        to: to.code.clone(),
        from_network: Nullable(network(from).map(str::to_owned)),
        to_network: Nullable(network(to).map(str::to_owned)),
        from_amount: nothing,
        to_amount: nothing,
        from_rate: Num(from_rate),
        to_rate: Num(to_rate),
        from_fee: Num(fees.0),
        to_fee: Num(fees.1),
        extra_from_fee: nothing,
        extra_to_fee: nothing,
        from_revenue_share: nothing,
        to_revenue_share: nothing,
        rate_type: ApiEnum(TrusteeRateType::of(floating)),
    })
}

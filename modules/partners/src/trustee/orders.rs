//! Estimates and orders, on top of what partners do otherwise.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use agio_core::idempotency::Key;
use agio_core::needs::{CurrencyFacts, PartnerAct, QuotedSide};
use agio_core::texts::Locale;
use agio_core::{Amount, Error, Kind, Result};
use agio_http::Null;
use rust_decimal::Decimal;
use uuid::Uuid;

use super::api::bodies::{
    TrusteeCancellation, TrusteeEstimate, TrusteeEstimateWish, TrusteeOrder, TrusteeOrderWish, TrusteeRateType, TrusteeSums,
};
use super::api::num::Num;
use super::checks::{adds_no_fee, fits, given, is_short, of_side, share_of_sent};
use super::sides::{CRYPTO, Sending, network, rates, receiving, sending};
use super::status::{OrderStatus, is_unpaid, status_of};
use super::store::{self, OrderRow};
use super::words::in_contract_words;
use crate::Partners;
use crate::api::PartnerClaimBody;
use crate::service::{NewOrder, PartnerCaller, RateType};
use crate::store as partners;

/// For how long at least the contract wants a fixed rate to be held.
const RATE_HELD: Duration = Duration::from_secs(30);

/// How often an order is made anew because what was made under its name has ended by now.
const TRIES: usize = 3;

/// Both currencies of an exchange.
type Sides = (Arc<CurrencyFacts>, Arc<CurrencyFacts>);

impl Partners {
    /// What is received for an amount, or sent for one.
    ///
    /// # Errors
    /// 404 `currency_unknown`, `pair_unavailable`; 422 at the amount, the network, the type of the rate or a fee.
    pub async fn trustee_estimate(&self, caller: &PartnerCaller, wish: TrusteeEstimateWish) -> Result<TrusteeEstimate> {
        adds_no_fee(&[("extraFromFee", wish.extra_from_fee.0), ("extraToFee", wish.extra_to_fee.0)])?;
        let (from, to) = self.sides((&wish.from, wish.from_network.0.as_deref()), (&wish.to, wish.to_network.0.as_deref()))?;
        let side = match (wish.from_amount.0, wish.to_amount.0) {
            (Some(send), None) => QuotedSide::Send(send.0),
            (None, Some(receive)) => QuotedSide::Receive(receive.0),
            _ => return Err(Error::unprocessable("validation_failed").at("fromAmount", "one_amount_needed")),
        };
        let quote = self.offers.quote(from.id, to.id, side, RATE_HELD).map_err(|refused| of_side(refused, side))?;
        fits(&quote.pair, wish.rate_type.0)?;
        let partner = partners::partner(&mut self.platform.db.read().await?, caller.party.id).await?;
        let sums = TrusteeSums {
            from_amount: Num(quote.send),
            to_amount: Num(quote.receive),
            from_revenue_share: Num(share_of_sent(&partner, quote.send, &from)?),
            ..blank(&(from, to), quote.pair.course, quote.pair.fees, quote.pair.floating.is_some())?
        };
        let is_fixed = quote.pair.floating.is_none();
        Ok(TrusteeEstimate {
            sums,
            rate_id: is_fixed.then_some(quote.token),
            rate_id_expiration_timestamp: is_fixed.then_some(quote.expires_at.0.div_euclid(1_000)),
        })
    }

    /// Makes an order. While it waits for its payment, the same order of the same key is that order.
    ///
    /// # Errors
    /// What prevents an estimate or a claim; 409 `rate_changed` when the promise holds no longer.
    pub async fn trustee_make(&self, caller: &PartnerCaller, wish: TrusteeOrderWish, locale: Locale) -> Result<TrusteeOrder> {
        adds_no_fee(&[("extraFromFee", wish.extra_from_fee.0), ("extraToFee", wish.extra_to_fee.0)])?;
        is_short(&[("userId", &wish.user_id.0), ("redirectUrl", &wish.redirect_url.0)])?;
        let asked = serde_json::to_string(&wish).map_err(Error::internal)?;
        let vault = &self.platform.vault;
        let fingerprints = store::fingerprints(vault, &asked);
        let fingerprint = &fingerprints[0];
        for _ in 0..TRIES {
            let mut rows = Vec::new();
            // Those of keys that were replaced are the older ones.
            for fingerprint in fingerprints.iter().rev() {
                rows.extend(store::of_content(&mut self.platform.db.read().await?, caller.key, fingerprint).await?);
            }
            if let Some(row) = rows.last() {
                match self.one(caller, row.claim_id, locale).await {
                    Ok(claim) if is_unpaid(&claim.state) => return self.trustee_told(caller, row, &claim, locale).await,
                    Ok(_) => {}
                    // A rehearsal is forgotten after a time.
                    Err(gone) if gone.kind() == Kind::NotFound => {}
                    Err(failed) => return Err(failed),
                }
            }
            let turn = i64::try_from(rows.len()).map_err(Error::internal)?;
            let (new, fees) = self.trustee_order(caller, &wish, locale).await?;
            let key = Key {
                scope: format!("partner.trustee:{}", caller.key),
                key: format!("{fingerprint}-{turn}"),
                fingerprint: fingerprint.clone(),
            };
            let made = self.make(caller, new, key, locale).await.map_err(|refused| self.explained(refused, &wish.to))?;
            let row = OrderRow {
                claim_id: made.id(),
                partner_id: caller.party.id,
                key_id: caller.key,
                fingerprint: fingerprint.clone(),
                turn,
                sandbox: caller.sandbox,
                asked: vault.seal(&store::purpose(made.id()), asked.as_bytes()),
                fee_from: fees.0.to_string(),
                fee_to: fees.1.to_string(),
                created_at: self.platform.clock.now(),
            };
            let kept = row.clone();
            let keep = self.platform.db.write(move |tx| {
                let row = kept.clone();
                Box::pin(async move { store::insert(tx, &row).await })
            });
            keep.await?;
            // The first call may have been cut off before its order was written down here, and the claim have ended since.
            if is_unpaid(&made.state) {
                return self.trustee_told(caller, &row, &made, locale).await;
            }
        }
        Err(Error::new(Kind::Unavailable, "overloaded").retry_after(1))
    }

    /// An order as it stands.
    ///
    /// # Errors
    /// 404 `claim_not_found`.
    pub async fn trustee_order_of(&self, caller: &PartnerCaller, id: &str, locale: Locale) -> Result<TrusteeOrder> {
        let row = self.trustee_row(caller, id).await?;
        let claim = self.one(caller, row.claim_id, locale).await?;
        self.trustee_told(caller, &row, &claim, locale).await
    }

    /// Gives an order up before it is paid. Giving it up again changes nothing.
    ///
    /// # Errors
    /// 404 `claim_not_found`; 409 `transition_not_allowed` after that.
    pub async fn trustee_cancel(&self, caller: &PartnerCaller, id: &str, locale: Locale) -> Result<TrusteeCancellation> {
        let row = self.trustee_row(caller, id).await?;
        self.act(caller, row.claim_id, PartnerAct::Cancel, locale).await?;
        Ok(TrusteeCancellation { status: "SUCCESS".to_owned() })
    }

    async fn trustee_row(&self, caller: &PartnerCaller, id: &str) -> Result<OrderRow> {
        let unknown = || Error::not_found("claim_not_found");
        let id = Uuid::try_parse(id).map_err(|_| unknown())?;
        store::of_claim(&mut self.platform.db.read().await?, caller.party.id, id).await?.ok_or_else(unknown)
    }

    /// The claim an order asks for, and the fixed fees of its pair.
    async fn trustee_order(
        &self,
        caller: &PartnerCaller,
        wish: &TrusteeOrderWish,
        locale: Locale,
    ) -> Result<(NewOrder, (Decimal, Decimal))> {
        let (from, to) = self.sides((&wish.from, wish.from_network.0.as_deref()), (&wish.to, wish.to_network.0.as_deref()))?;
        let promise = given(&wish.rate_id.0);
        if wish.rate_type.0 == Some(TrusteeRateType::Fixed) && promise.is_none() {
            return Err(Error::unprocessable("validation_failed").at("rateId", "required"));
        }
        let side = QuotedSide::Send(wish.from_amount.0);
        let quote = self.offers.quote(from.id, to.id, side, RATE_HELD).map_err(|refused| of_side(refused, side))?;
        fits(&quote.pair, wish.rate_type.0)?;
        let inputs = receiving(&to).ok_or_else(|| Error::not_found("pair_unavailable"))?;
        let mut to_requisites = BTreeMap::from([(inputs.details.name.clone(), wish.to_payment_details.clone())]);
        match (given(&wish.to_memo.0), inputs.memo) {
            (Some(memo), Some(input)) => _ = to_requisites.insert(input.name.clone(), memo.to_owned()),
            (Some(_), None) => return Err(Error::unprocessable("validation_failed").at("toMemo", "unknown_field")),
            (None, _) => {}
        }
        let from_requisites = match (given(&wish.from_payment_details.0), sending(&from, quote.pair.proof)) {
            (Some(details), Sending::Details(input)) => BTreeMap::from([(input.name.clone(), details.to_owned())]),
            _ => BTreeMap::new(),
        };
        let partner = partners::partner(&mut self.platform.db.read().await?, caller.party.id).await?;
        let new = NewOrder {
            from: from.code.clone(),
            to: to.code.clone(),
            send: wish.from_amount.0,
            // Without a promise the contract takes the amount for an estimate: the answer says what it is.
            receive: if promise.is_some() { wish.to_amount.0 } else { quote.receive },
            quote: Some(promise.map_or(quote.token, str::to_owned)),
            // The contract has no address of the customer's.
            email: partner.email,
            from_requisites,
            to_requisites,
            reference: None,
            callback: None,
            locale,
            terms_version: None,
            aml_consent: false,
        };
        Ok((new, quote.pair.fees))
    }

    /// What prevented a claim, with the fields called as the contract calls them.
    fn explained(&self, refused: Error, to: &str) -> Error {
        let to = self.offers.named(to);
        let memo = to.as_deref().and_then(receiving).and_then(|inputs| inputs.memo);
        in_contract_words(refused, memo.map(|input| input.name.as_str()))
    }

    /// The currencies of both sides, each by its code and the network that goes with it.
    fn sides(&self, from: (&str, Option<&str>), to: (&str, Option<&str>)) -> Result<Sides> {
        let side = |fields: [&str; 2], (code, asked): (&str, Option<&str>)| {
            let currency = self.named(fields[0], code)?;
            match asked.filter(|asked| !asked.is_empty()) {
                Some(asked) if network(&currency) != Some(asked) => {
                    Err(Error::unprocessable("validation_failed").at(fields[1], "network_differs"))
                }
                _ => Ok(currency),
            }
        };
        Ok((side(["from", "fromNetwork"], from)?, side(["to", "toNetwork"], to)?))
    }

    async fn trustee_told(
        &self,
        caller: &PartnerCaller,
        row: &OrderRow,
        claim: &PartnerClaimBody,
        locale: Locale,
    ) -> Result<TrusteeOrder> {
        let asked = self.platform.vault.open(&store::purpose(row.claim_id), &row.asked)?;
        let asked: TrusteeOrderWish = serde_json::from_slice(&asked).map_err(|_| Error::internal("this is no order"))?;
        let status = status_of(&claim.state).ok_or_else(|| Error::internal(format!("no status for {}", claim.state)))?;
        let sides = (self.named("from", &claim.from.code)?, self.named("to", &claim.to.code)?);
        let (sent, received) = self.trustee_shares(caller, claim, &sides).await?;
        let fee = |text: &str| text.parse::<Decimal>().map_err(Error::internal);
        let is_crypto = sides.0.kind == CRYPTO;
        let payment = claim.payment.0.as_ref().filter(|_| is_crypto);
        // Who pays to an address needs our page only to show something first.
        let needs_page = !is_crypto || claim.state == "verification";
        let to_amount = match status {
            OrderStatus::NotEntireWithdraw => claim.paid_out.0.as_ref().map_or(Decimal::ZERO, |arrived| arrived.0),
            _ => claim.to.amount.0,
        };
        let floating = RateType::from(claim.rate_type) == RateType::Floating;
        Ok(TrusteeOrder {
            id: row.claim_id.to_string(),
            status: status.to_string(),
            pay_url: needs_page.then(|| self.claim_page(row.claim_id, locale)),
            pay_crypto_address: payment.map(|payment| payment.value.clone()),
            pay_crypto_memo: payment.and_then(|payment| payment.memo.0.clone()),
            sums: TrusteeSums {
                from_amount: Num(claim.from.amount.0),
                to_amount: Num(to_amount),
                from_revenue_share: Num(sent),
                to_revenue_share: Num(received),
                ..blank(&sides, claim.course.0, (fee(&row.fee_from)?, fee(&row.fee_to)?), floating)?
            },
            from_amount_received: Num(claim.received.0.as_ref().map_or(Decimal::ZERO, |came| came.0)),
            user_id: asked.user_id.0,
            redirect_url: asked.redirect_url,
            to_payment_details: asked.to_payment_details,
            from_payment_details: asked.from_payment_details.0,
            to_memo: asked.to_memo.0,
            from_tx_hash: Null(claim.tx_in.0.as_ref().map(|transaction| transaction.id.clone())),
            to_tx_hash: Null(claim.tx_out.0.as_ref().map(|transaction| transaction.id.clone())),
        })
    }

    /// What the wallet earns of what is sent and of what is received: what it was given, or will be as far as that is known.
    async fn trustee_shares(
        &self,
        caller: &PartnerCaller,
        claim: &PartnerClaimBody,
        sides: &Sides,
    ) -> Result<(Decimal, Decimal)> {
        let mut tx = self.platform.db.read().await?;
        if let Some(given) = partners::commissions::of_claim(&mut tx, claim.id()).await? {
            let of = |side: &CurrencyFacts| {
                let units = if side.id == given.currency_id { given.units } else { 0 };
                Amount::of_units(units, side.scale).value()
            };
            return Ok((of(&sides.0), of(&sides.1)));
        }
        let partner = partners::partner(&mut tx, caller.party.id).await?;
        Ok((share_of_sent(&partner, claim.from.amount.0, &sides.0)?, Decimal::ZERO))
    }

    fn claim_page(&self, id: Uuid, locale: Locale) -> String {
        let language = match locale {
            Locale::Ru => "",
            Locale::En => "/en",
        };
        format!("{}{language}/claim/{id}", self.site)
    }
}

/// An exchange before its amounts are put in.
fn blank(sides: &Sides, course: Decimal, fees: (Decimal, Decimal), floating: bool) -> Result<TrusteeSums> {
    let (from, to) = sides;
    let (from_rate, to_rate) = rates(course).ok_or_else(|| Error::not_found("pair_unavailable"))?;
    let nothing = Num(Decimal::ZERO);
    Ok(TrusteeSums {
        from: from.code.clone(),
        to: to.code.clone(),
        from_network: Null(network(from).map(str::to_owned)),
        to_network: Null(network(to).map(str::to_owned)),
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
        rate_type: TrusteeRateType::of(floating),
    })
}

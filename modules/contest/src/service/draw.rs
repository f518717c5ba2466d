//! The draw and its approval.

use std::collections::BTreeSet;
use std::sync::Arc;

use agio_approvals::{ApprovalFact, ApprovalHandler, ApprovalRequest, ApprovalRow, outdated};
use agio_core::idempotency::{self, Key};
use agio_core::identity::{Actor, Permission, Staff};
use agio_core::texts::Locale;
use agio_core::{BoxFuture, Error, Result, Timestamp, Tx, hex};
use agio_ledger::{Account, TransferBatch};
use agio_mail::{Email, Recipient, format_money};
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::{Contests, changed, check_revision, not_found, record_audit, secret_purpose};
use crate::CONTEST_EDIT;
use crate::model::ContestState;
use crate::model::draw::{Entrant, commitment, seed, winners};
use crate::store::{self, ContestRow, EntryRow, PrizeRow};

/// Length of the public randomness.
const VALUE_LENGTH: std::ops::RangeInclusive<usize> = 8..=200;
const REFERENCE_MAX: usize = 500;

/// Kind of approval request.
const KIND: &str = "contest_draw";

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PublicRandomness {
    pub revision: i64,
    pub value: String,
    pub reference: String,
}

/// Stored with the approval request.
#[derive(Serialize, Deserialize)]
struct DrawPayload {
    contest: Uuid,
    drawing: PublicRandomness,
}

impl Contests {
    /// Requests approval of the public randomness. A person who enters it alone could choose the winner, so a second
    /// person must always check it at the source.
    ///
    /// # Errors
    /// 404 `contest_not_found`; 409 `contest_changed`, `contest_not_closed`, `contest_too_early`, `approval_waits`; 422 `validation_failed`.
    pub async fn draw(
        self: &Arc<Self>,
        id: Uuid,
        drawing: PublicRandomness,
        staff: Staff,
        key: Option<Key>,
    ) -> Result<ApprovalRow> {
        let drawing = validated(drawing)?;
        let (this, input, now) = (self.clone(), Arc::new((drawing, staff)), self.platform.clock.now());
        let approval = idempotency::once(&self.platform.db, key, now, move |tx| {
            let (this, input) = (this.clone(), input.clone());
            Box::pin(async move {
                let (drawing, staff) = (&input.0, &input.1);
                let row = lock_drawable(tx, id, drawing.revision, now).await?;
                let shown = vec![
                    ApprovalFact::new("contest", row.title_ru.clone()),
                    ApprovalFact::new("public_source", row.source_ru.clone()),
                    ApprovalFact::new("public_value", drawing.value.clone()),
                    ApprovalFact::new("public_reference", drawing.reference.clone()),
                ];
                let payload =
                    serde_json::to_value(DrawPayload { contest: id, drawing: drawing.clone() }).map_err(Error::internal)?;
                let approval = ApprovalRequest { kind: KIND, about: ("contest", id.to_string()), shown, payload };
                Ok(this.approvals.propose(tx, approval, staff).await?.id)
            })
        })
        .await?;
        self.approvals.get(&mut self.platform.db.read().await?, approval).await
    }

    /// Reveals the secret, draws the winners, books their prizes and e-mails them.
    async fn carry_out_draw(&self, tx: &mut Tx, id: Uuid, drawing: &PublicRandomness, by: &Actor, now: Timestamp) -> Result<()> {
        let mut row = lock_drawable(tx, id, drawing.revision, now).await?;
        let secret = self.platform.vault.open(&secret_purpose(id), &row.secret)?;
        if hex::encode(commitment(&secret)) != row.commitment {
            return Err(Error::internal("the secret of a contest does not match its commitment"));
        }
        let won = result(&row, &secret, &drawing.value, store::void_numbers(tx, id).await?, store::prizes(tx, id).await?)?;
        row.revealed = Some(hex::encode(secret));
        row.public_value = Some(drawing.value.clone());
        row.public_reference = Some(drawing.reference.clone());
        (row.state, row.drawn_at, row.updated_at) = (ContestState::Drawn, Some(now), now);
        if won.is_empty() {
            row.state = ContestState::Paid;
        }
        if !store::update(tx, &mut row).await? {
            return Err(changed());
        }
        for (prize, number) in &won {
            let entry =
                store::entry(tx, id, *number).await?.ok_or_else(|| Error::internal("the winning entry does not exist"))?;
            self.book_prize(tx, &row, *prize, &entry, now).await?;
        }
        let winners: Vec<_> = won.iter().map(|(_, number)| number).collect();
        let after = json!({ "publicValue": drawing.value, "reference": drawing.reference, "winners": winners });
        record_audit(tx, by, "drawn", id, (None, Some(after)), now).await
    }

    /// Books a prize from our income and e-mails the winner.
    async fn book_prize(&self, tx: &mut Tx, row: &ContestRow, prize: PrizeRow, entry: &EntryRow, now: Timestamp) -> Result<()> {
        let winner = self.platform.random.uuid_at(now);
        store::insert_winner(tx, winner, row.id, prize, entry.id).await?;
        self.ledger.open_currency(tx, prize.currency_id).await?;
        self.ledger.open(tx, Account::Prize(winner), prize.currency_id).await?;
        let batch = TransferBatch::new(self.platform.random.uuid_at(now), "contest_drawn", row.id, now);
        let (amount, _) = self.prize_amount(prize.currency_id, prize.units)?;
        let batch = batch.with_transfer(Account::IncomeSpread, Account::Prize(winner), amount);
        self.ledger.post(tx, &batch).await?;
        let locale = entry.locale;
        let title = if locale == Locale::Ru { &row.title_ru } else { &row.title_en };
        let (amount, code) = self.prize_amount(prize.currency_id, prize.units)?;
        let message = Email::new("contest_won", ("contest", row.id.to_string()))
            .with("title", title)
            .with("place", prize.place)
            .with("number", entry.claim_number)
            .with("prize", format_money(amount.value(), &code, locale))
            .with_button("/contest");
        self.mailer.send(tx, &Recipient { email: entry.email.clone(), locale }, &message, now).await
    }
}

/// Locks the contest until the transaction ends.
async fn lock_drawable(tx: &mut Tx, id: Uuid, revision: i64, now: Timestamp) -> Result<ContestRow> {
    let is_closed = store::lock_closed(tx, id).await?;
    let row = store::one(tx, id).await?.ok_or_else(not_found)?;
    check_revision(&row, revision)?;
    if !is_closed {
        return Err(Error::conflict("contest_not_closed"));
    }
    if now < row.public_at {
        return Err(Error::conflict("contest_too_early").with("at", row.public_at));
    }
    Ok(row)
}

/// Carries out approved draws.
pub struct ApprovedDraw(pub Arc<Contests>);

impl ApprovalHandler for ApprovedDraw {
    fn handles(&self) -> (&'static str, Permission) {
        (KIND, CONTEST_EDIT)
    }

    fn execute<'t>(self: Arc<Self>, tx: &'t mut Tx, approval: &'t ApprovalRow, _: &'t Staff) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move {
            let DrawPayload { contest, drawing } = approval.read()?;
            let now = self.0.platform.clock.now();
            lock_drawable(tx, contest, drawing.revision, now).await.map_err(|_| outdated())?;
            self.0.carry_out_draw(tx, contest, &drawing, &approval.proposer(), now).await
        })
    }
}

/// Prizes with the numbers of the winning claims.
fn result(row: &ContestRow, secret: &[u8], value: &str, void: Vec<i64>, prizes: Vec<PrizeRow>) -> Result<Vec<(PrizeRow, i64)>> {
    let fault = || Error::internal("the list of entries of a contest is unreadable");
    let list = row.entrants.as_deref().unwrap_or_default();
    let entrants = list.lines().map(Entrant::read).collect::<Option<Vec<_>>>().ok_or_else(fault)?;
    let digest = row.entrants_digest.as_deref().and_then(hex::decode::<32>).ok_or_else(fault)?;
    let void: BTreeSet<i64> = void.into_iter().collect();
    let won = winners(&seed(secret, &digest, value), &entrants, &void, prizes.len());
    Ok(prizes.into_iter().zip(won).collect())
}

fn validated(drawing: PublicRandomness) -> Result<PublicRandomness> {
    let refused = |field: &str, code| Error::unprocessable("validation_failed").at(field, code);
    let (value, reference) = (drawing.value.trim().to_owned(), drawing.reference.trim().to_owned());
    if !VALUE_LENGTH.contains(&value.len()) || !value.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(refused("value", "contest_value_malformed"));
    }
    if reference.is_empty() {
        return Err(refused("reference", "required"));
    }
    if reference.chars().count() > REFERENCE_MAX || reference.chars().any(char::is_control) {
        return Err(refused("reference", "text_too_long").with("max", REFERENCE_MAX));
    }
    Ok(PublicRandomness { value, reference, ..drawing })
}

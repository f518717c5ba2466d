//! The draw.

use std::collections::BTreeSet;
use std::sync::Arc;

use agio_approvals::{Approvable, Fact, Proposal, Stored, outdated};
use agio_core::idempotency::{self, Key};
use agio_core::identity::{Actor, Permission, Staff};
use agio_core::texts::Locale;
use agio_core::{BoxFuture, Error, Result, Timestamp, Tx, hex};
use agio_ledger::{Account, Batch};
use agio_mail::{Addressee, Letter, amount_in_words};
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::{Contests, changed, is_seen, not_found, sealing, write_down};
use crate::CONTEST_EDIT;
use crate::model::State;
use crate::model::draw::{Entrant, commitment, seed, winners};
use crate::store::{self, Entry, Prize, Row};

/// Letters of a public value.
const VALUE_LENGTH: std::ops::RangeInclusive<usize> = 8..=200;
/// The longest reference.
const REFERENCE_MAX: usize = 500;

/// The kind of proposals by which contests are drawn.
const KIND: &str = "contest_draw";

/// What a draw is made with.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Drawing {
    /// The revision that was seen.
    pub revision: i64,
    /// The public value, letter by letter as its source shows it.
    pub value: String,
    /// Where it can be seen.
    pub reference: String,
}

/// What a proposal keeps of a draw.
#[derive(Serialize, Deserialize)]
struct Kept {
    contest: Uuid,
    drawing: Drawing,
}

impl Contests {
    /// Proposes the public value a contest is drawn with. Whoever types it could choose who wins, so a colleague who looked at the source
    /// agrees first, whether or not other things take two people.
    ///
    /// # Errors
    /// 404 `contest_not_found`; 409 `contest_changed`, `contest_not_closed`, `contest_too_early`, `approval_waits`; 422 `validation_failed`.
    pub async fn draw(self: &Arc<Self>, id: Uuid, drawing: Drawing, staff: Staff, key: Option<Key>) -> Result<Stored> {
        let drawing = checked(drawing)?;
        let (this, kept, now) = (self.clone(), Arc::new((drawing, staff)), self.platform.clock.now());
        let proposal = idempotency::once(&self.platform.db, key, now, move |tx| {
            let (this, kept) = (this.clone(), kept.clone());
            Box::pin(async move {
                let (drawing, staff) = (&kept.0, &kept.1);
                let row = drawable(tx, id, drawing.revision, now).await?;
                let shown = vec![
                    Fact::new("contest", row.title_ru.clone()),
                    Fact::new("public_source", row.source_ru.clone()),
                    Fact::new("public_value", drawing.value.clone()),
                    Fact::new("public_reference", drawing.reference.clone()),
                ];
                let payload = serde_json::to_value(Kept { contest: id, drawing: drawing.clone() }).map_err(Error::internal)?;
                let proposal = Proposal { kind: KIND, about: ("contest", id.to_string()), shown, payload };
                Ok(this.approvals.propose(tx, proposal, staff).await?.id)
            })
        })
        .await?;
        self.approvals.proposal(&mut self.platform.db.read().await?, proposal).await
    }

    /// Draws: reveals the secret, finds the winners, owes them their prizes in the books and writes to them.
    async fn draw_in(&self, tx: &mut Tx, id: Uuid, drawing: &Drawing, by: &Actor, now: Timestamp) -> Result<()> {
        let mut row = drawable(tx, id, drawing.revision, now).await?;
        let secret = self.platform.vault.open(&sealing(id), &row.secret)?;
        if hex::encode(commitment(&secret)) != row.commitment {
            return Err(Error::internal("the secret of a contest is not what was committed to"));
        }
        let won = result(&row, &secret, &drawing.value, store::void_numbers(tx, id).await?, store::prizes(tx, id).await?)?;
        row.revealed = Some(hex::encode(secret));
        row.public_value = Some(drawing.value.clone());
        row.public_reference = Some(drawing.reference.clone());
        (row.state, row.drawn_at, row.updated_at) = (State::Drawn, Some(now), now);
        if won.is_empty() {
            row.state = State::Paid;
        }
        if !store::update(tx, &mut row).await? {
            return Err(changed());
        }
        for (prize, number) in &won {
            let entry = store::entry(tx, id, *number).await?.ok_or_else(|| Error::internal("a winner did not enter"))?;
            self.owe(tx, &row, *prize, &entry, now).await?;
        }
        let winners: Vec<_> = won.iter().map(|(_, number)| number).collect();
        let after = json!({ "publicValue": drawing.value, "reference": drawing.reference, "winners": winners });
        write_down(tx, by, "drawn", id, (None, Some(after)), now).await
    }

    /// Takes a prize out of what the house earned and owes it to its winner, who is told.
    async fn owe(&self, tx: &mut Tx, row: &Row, prize: Prize, entry: &Entry, now: Timestamp) -> Result<()> {
        let winner = self.platform.random.uuid_at(now);
        store::insert_winner(tx, winner, row.id, prize, entry.id).await?;
        self.ledger.open_currency(tx, prize.currency_id).await?;
        self.ledger.open(tx, Account::Prize(winner), prize.currency_id).await?;
        let batch = Batch::new(self.platform.random.uuid_at(now), "contest_drawn", row.id, now);
        let batch = batch.moving(Account::IncomeSpread, Account::Prize(winner), prize.currency_id, prize.units);
        self.ledger.post(tx, &batch).await?;
        let locale: Locale = entry.locale.parse().unwrap_or_default();
        let title = if locale == Locale::Ru { &row.title_ru } else { &row.title_en };
        let (amount, code) = self.sum(prize.currency_id, prize.units)?;
        let letter = Letter::new("contest_won", ("contest", row.id.to_string()))
            .with("title", title)
            .with("place", prize.place)
            .with("number", entry.claim_number)
            .with("prize", format!("{} {code}", amount_in_words(amount.value(), locale)))
            .linking("/contest");
        self.mailroom.send(tx, &Addressee { email: entry.email.clone(), locale }, &letter, now).await
    }
}

/// A contest that can be drawn now, locked until the transaction ends.
async fn drawable(tx: &mut Tx, id: Uuid, revision: i64, now: Timestamp) -> Result<Row> {
    let is_closed = store::lock_closed(tx, id).await?;
    let row = store::one(tx, id).await?.ok_or_else(not_found)?;
    is_seen(&row, revision)?;
    if !is_closed {
        return Err(Error::conflict("contest_not_closed"));
    }
    if now < row.public_at {
        return Err(Error::conflict("contest_too_early").with("at", row.public_at));
    }
    Ok(row)
}

/// Draws with a value that a colleague agreed to.
pub struct AgreedDraw(pub Arc<Contests>);

impl Approvable for AgreedDraw {
    fn kind(&self) -> &'static str {
        KIND
    }

    fn permission(&self) -> Permission {
        CONTEST_EDIT
    }

    fn carry_out<'t>(self: Arc<Self>, tx: &'t mut Tx, proposal: &'t Stored, _: &'t Staff) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move {
            let Kept { contest, drawing } = proposal.read()?;
            let now = self.0.platform.clock.now();
            drawable(tx, contest, drawing.revision, now).await.map_err(|_| outdated())?;
            self.0.draw_in(tx, contest, &drawing, &proposal.proposer(), now).await
        })
    }
}

/// The prizes with the numbers of the claims that win them.
fn result(row: &Row, secret: &[u8], value: &str, void: Vec<i64>, prizes: Vec<Prize>) -> Result<Vec<(Prize, i64)>> {
    let fault = || Error::internal("the list of a contest cannot be read");
    let list = row.entrants.as_deref().unwrap_or_default();
    let entrants = list.lines().map(Entrant::read).collect::<Option<Vec<_>>>().ok_or_else(fault)?;
    let digest = row.entrants_digest.as_deref().and_then(hex::decode::<32>).ok_or_else(fault)?;
    let void: BTreeSet<i64> = void.into_iter().collect();
    let won = winners(&seed(secret, &digest, value), &entrants, &void, prizes.len());
    Ok(prizes.into_iter().zip(won).collect())
}

fn checked(drawing: Drawing) -> Result<Drawing> {
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
    Ok(Drawing { value, reference, ..drawing })
}

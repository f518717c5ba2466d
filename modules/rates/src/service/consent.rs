//! Rules that may take a rate far: one person proposes them, and another agrees.

use std::sync::Arc;

use agio_approvals::{Approvable, Fact, Proposal, RATE_PERCENT, Said, Stored, outdated};
use agio_core::identity::{Permission, Staff};
use agio_core::money::plain;
use agio_core::{BoxFuture, Error, Result, Tx};
use rust_decimal::Decimal;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::Rates;
use crate::RATES_EDIT;
use crate::model::decide::decide;
use crate::model::reach::{Reach, goes_far};
use crate::model::rules::{Checkpoint, Rules};
use crate::model::schedule::Window;

pub(super) const CHANGED: &str = "rate_rules";

/// What a proposal keeps.
#[derive(Serialize, Deserialize)]
struct Change {
    revision: i64,
    rules: Rules,
}

impl Rates {
    /// What an approver has to see of new rules, where they let the rate go further than one person may move it; nothing where one person decides.
    ///
    /// # Errors
    /// 404 `pair_unknown`.
    pub(super) async fn needs_consent(&self, pair: i64, after: &Rules) -> Result<Option<Vec<Fact>>> {
        if !self.approvals.are_on() {
            return Ok(None);
        }
        let Some(start) = self.start_with(true).await? else { return Ok(None) };
        let unknown = || Error::not_found("pair_unknown");
        let of_book = start.known.pairs.iter().find(|known| known.id == pair).ok_or_else(unknown)?;
        let before = start.rules.get(&pair).cloned().unwrap_or_default();
        let spread = of_book.spread_percent;
        let ruled = decide(&start.known, &start.rules).ruling;
        let added = ruled.pairs.iter().filter(|ruling| ruling.pair == pair).flat_map(|ruling| &ruling.adjustments);
        let margin = spread - added.map(agio_core::needs::Adjustment::percent).sum::<Decimal>();
        let (old, new) = (before.reach(spread), after.reach(spread));
        let percent = Decimal::from(self.platform.settings.int(RATE_PERCENT));
        if !goes_far(margin, old, new, percent) {
            return Ok(None);
        }
        let direction = format!("{} → {}", of_book.codes.0, of_book.codes.1);
        let mut facts = vec![Fact::new("pair", direction)];
        facts.extend(Fact::change("rate_margin", Some(Said::from(told(old))), Some(Said::from(told(new)))));
        let said = |text: Option<String>| text.map(Said::from);
        for ((name, before), (_, after)) in parts(&before).into_iter().zip(parts(after)) {
            facts.extend(Fact::change(name, said(before), said(after)));
        }
        Ok(Some(facts))
    }

    pub(super) async fn propose_rules(
        &self,
        tx: &mut Tx,
        (pair, revision): (i64, i64),
        rules: &Rules,
        shown: Vec<Fact>,
        staff: &Staff,
    ) -> Result<Stored> {
        let payload = json!(Change { revision, rules: rules.clone() });
        let about = ("pair", pair.to_string());
        self.approvals.propose(tx, Proposal { kind: CHANGED, about, shown, payload }, staff).await
    }

    async fn carry_out_rules(&self, tx: &mut Tx, proposal: &Stored) -> Result<()> {
        let Change { revision, rules } = proposal.read()?;
        let pair = proposal.about_id.parse().map_err(Error::internal)?;
        let put = self.put_rules(tx, pair, revision, &rules, &proposal.proposer()).await;
        put.map_err(|error| if error.code() == "rate_rules_changed" { outdated() } else { error })
    }
}

fn told(reach: Reach) -> String {
    let percent = |value: Decimal| plain(value.normalize());
    if reach.least == reach.most {
        return percent(reach.least);
    }
    format!("{} … {}", percent(reach.least), percent(reach.most))
}

/// What rules say, part by part, in as few words as numbers need.
fn parts(rules: &Rules) -> [(&'static str, Option<String>); 7] {
    let points = |all: &[Checkpoint]| {
        let said: Vec<_> = all.iter().map(|point| format!("{}: {}", plain(point.from), plain(point.percent))).collect();
        said.join(", ")
    };
    let window = |window: &Window| {
        let days: Vec<_> = window.days.iter().map(ToString::to_string).collect();
        let percent = window.percent.map_or_else(|| "×".to_owned(), plain);
        format!("{} {}–{}: {percent}", days.join(","), window.from, window.to)
    };
    let place = rules
        .position
        .as_ref()
        .map(|position| format!("{}: {}–{}, ±{}", position.monitor, position.best, position.worst, plain(position.step)));
    let reserve = rules.reserve.as_ref().map(|reserve| format!("{}; {}", plain(reserve.target), points(&reserve.levels)));
    let hours = rules.schedule.as_ref().map(|schedule| schedule.windows.iter().map(window).collect::<Vec<_>>().join("; "));
    [
        ("rate_place", place),
        ("rate_reserve", reserve),
        ("rate_moves", (!rules.moves.is_empty()).then(|| points(&rules.moves))),
        ("rate_hours", hours),
        ("rate_sources", rules.sources.map(|count| count.to_string())),
        ("rate_jump", rules.jump_percent.map(plain)),
        ("rate_resume", rules.resume_after.map(|count| count.to_string())),
    ]
}

/// Rules a colleague agreed to.
pub struct AgreedRules(pub Arc<Rates>);

impl Approvable for AgreedRules {
    fn kind(&self) -> &'static str {
        CHANGED
    }

    fn permission(&self) -> Permission {
        RATES_EDIT
    }

    fn carry_out<'t>(self: Arc<Self>, tx: &'t mut Tx, proposal: &'t Stored, _: &'t Staff) -> BoxFuture<'t, Result<()>> {
        Box::pin(async move { self.0.carry_out_rules(tx, proposal).await })
    }
}

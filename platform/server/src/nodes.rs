//! Several nodes on one PostgreSQL: what one makes durable, the others learn at once.
//!
//! A node says which of its things changed; the others read those anew from the database and tell their own listeners. Words may be
//! lost with a connection, so a gap makes a node read everything, and the jobs do so from time to time in any case.

use std::collections::BTreeSet;
use std::time::Duration;

use agio_core::Result;
use agio_core::db::{Ear, Heard};
use agio_core::live::Notice;
use agio_core::random::{OsRandom, Random as _};
use tokio::sync::broadcast::error::RecvError;
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::app::App;

/// What a node says when it cannot say what changed.
const EVERYTHING: &str = "everything";

/// How long to rest after the ear could not be opened.
const REST: Duration = Duration::from_secs(2);

/// How long notices are gathered before they are passed on together: a busy node makes hundreds in a second.
const GATHERING: Duration = Duration::from_millis(25);

/// Tells the other nodes and listens to them until the set is dropped. Does nothing on SQLite.
///
/// # Errors
/// The database cannot be reached.
pub async fn start(app: &App) -> Result<JoinSet<()>> {
    let mut running = JoinSet::new();
    let Some(ear) = app.platform.db.ear().await? else { return Ok(running) };
    // The operating system's randomness, whatever the house was given: nodes must not share a name.
    let node = OsRandom::default().uuid();
    running.spawn(tell(app.clone(), node));
    running.spawn(listen(app.clone(), node, ear));
    Ok(running)
}

async fn tell(app: App, node: Uuid) {
    let mut own = app.platform.live.listen_to_own();
    loop {
        let words = match own.recv().await {
            Ok(notice) => notice.to_string(),
            Err(RecvError::Lagged(_)) => EVERYTHING.to_owned(),
            Err(RecvError::Closed) => return,
        };
        let mut gathered = BTreeSet::from([words]);
        tokio::time::sleep(GATHERING).await;
        while let Ok(notice) = own.try_recv() {
            gathered.insert(notice.to_string());
        }
        for words in gathered {
            if let Err(error) = app.platform.db.say(&format!("{node} {words}")).await {
                tracing::warn!(%error, words, "the other nodes were not told");
            }
        }
    }
}

async fn listen(app: App, node: Uuid, mut ear: Ear) {
    loop {
        let heard = ear.hear().await;
        let refreshed = match &heard {
            Ok(Heard::Words(said)) => match said.split_once(' ') {
                Some((speaker, _)) if speaker == node.to_string() => continue,
                Some((_, words)) => learn(&app, words).await,
                None => continue,
            },
            Ok(Heard::Gap) => learn(&app, EVERYTHING).await,
            Err(_) => {
                tokio::time::sleep(REST).await;
                continue;
            }
        };
        if let Err(error) = refreshed {
            tracing::warn!(%error, ?heard, "what another node changed could not be read; a job will");
        }
    }
}

/// Reads what another node changed and tells the listeners of this one.
async fn learn(app: &App, words: &str) -> Result<()> {
    let Ok(notice) = words.parse::<Notice>() else { return app.refresh_all().await };
    app.refresh(notice).await?;
    app.platform.live.pass_on(notice);
    Ok(())
}

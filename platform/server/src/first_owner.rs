//! How the first owner of an exchange gets in.

use std::io::{IsTerminal as _, stdout};
use std::path::Path;

use agio_core::Result;
use agio_core::identity::Role;

use crate::app::App;
use crate::config::Config;

/// While there are no staff, invites an owner at this address and prints the link, or says how to. The link is a
/// secret: it is printed on a terminal only, because other output ends up in logs.
///
/// # Errors
/// 422 `bad_email` at `email`.
pub async fn welcome(app: &App, config: &Config, email: Option<&str>, file: Option<&Path>) -> Result<()> {
    if app.auth.has_staff().await? {
        return Ok(());
    }
    if let Some(email) = email.filter(|_| stdout().is_terminal()) {
        let link = app.auth.invite_from_cli(email, Role::Owner, config.notices.language).await?;
        println!("\nOpen the console as its owner. The link works once, for one day:\n\n    {link}\n");
        return Ok(());
    }
    if let Some((_, until)) = app.auth.invited_owner().await? {
        tracing::info!(%until, "there are no staff yet, and an owner is invited");
        return Ok(());
    }
    let options = file.map(|file| format!("--config {} ", file.display())).unwrap_or_default();
    let command = format!("agio {options}staff add --owner EMAIL");
    tracing::warn!(
        command,
        "there are no staff yet: run this command with the options of the server, and open the link it prints"
    );
    Ok(())
}

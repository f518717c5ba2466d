//! SQL of invitations.

use agio_core::identity::Role;
use agio_core::texts::Locale;
use agio_core::{Result, Timestamp, Tx, execute, fetch_all, fetch_optional};
use uuid::Uuid;

agio_core::statements! {
    /// A newer invitation takes the place of an older one to the same address.
    PUT_INVITATION = "INSERT INTO staff_invitation (id, email, role, locale, digest, invited_by, created_at, expires_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        ON CONFLICT (email) DO UPDATE SET id = excluded.id, role = excluded.role, locale = excluded.locale, digest = excluded.digest,
            invited_by = excluded.invited_by, created_at = excluded.created_at, expires_at = excluded.expires_at";
    INVITATIONS = "SELECT id, email, role, locale, invited_by, created_at, expires_at FROM staff_invitation ORDER BY created_at DESC, id LIMIT $1";
    INVITATION = "SELECT id, email, role, locale, invited_by, created_at, expires_at FROM staff_invitation WHERE id = $1";
    INVITATION_BY_LINK = "SELECT id, email, role, locale, invited_by, created_at, expires_at FROM staff_invitation
        WHERE digest = $1 AND expires_at > $2";
    INVITED_OWNER = "SELECT email, expires_at FROM staff_invitation WHERE role = 'owner' AND expires_at > $1
        ORDER BY expires_at DESC, id LIMIT 1";
    TAKE_INVITATION = "DELETE FROM staff_invitation WHERE digest = $1 AND expires_at > $2
        RETURNING id, email, role, locale, invited_by, created_at, expires_at";
    WITHDRAW_INVITATION = "DELETE FROM staff_invitation WHERE id = $1 RETURNING email";
    WITHDRAW_INVITATIONS_BY = "DELETE FROM staff_invitation WHERE invited_by = $1";
}

/// Maximum number of listed invitations.
const INVITATIONS_MAX: i64 = 1_000;

#[derive(Clone, Debug, sqlx::FromRow)]
pub struct InvitationRow {
    pub id: Uuid,
    pub email: String,
    pub role: Role,
    /// Language of the e-mail.
    pub locale: Locale,
    /// `None` from the command line.
    pub invited_by: Option<Uuid>,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
}

/// `digest` is of the token in the link.
pub async fn put(tx: &mut Tx, new: &InvitationRow, digest: &str) -> Result<()> {
    let InvitationRow { id, email, role, locale, invited_by, created_at, expires_at } = new;
    execute!(tx, PUT_INVITATION, *id, email, *role, *locale, digest, *invited_by, *created_at, *expires_at).map(drop)
}

/// Pending and expired invitations, newest first.
pub async fn all(tx: &mut Tx) -> Result<Vec<InvitationRow>> {
    fetch_all!(tx, InvitationRow, INVITATIONS, INVITATIONS_MAX)
}

pub async fn by_id(tx: &mut Tx, id: Uuid) -> Result<Option<InvitationRow>> {
    fetch_optional!(tx, InvitationRow, INVITATION, id)
}

/// The invitation of a valid link.
pub async fn by_link(tx: &mut Tx, digest: &str, now: Timestamp) -> Result<Option<InvitationRow>> {
    fetch_optional!(tx, InvitationRow, INVITATION_BY_LINK, digest, now)
}

/// The address of the owner's invitation that is valid longest, and until when.
pub async fn owner(tx: &mut Tx, now: Timestamp) -> Result<Option<(String, Timestamp)>> {
    fetch_optional!(tx, (String, Timestamp), INVITED_OWNER, now)
}

/// The invitation of a valid link, deleted.
pub async fn take(tx: &mut Tx, digest: &str, now: Timestamp) -> Result<Option<InvitationRow>> {
    fetch_optional!(tx, InvitationRow, TAKE_INVITATION, digest, now)
}

/// Deletes an invitation and returns its address.
pub async fn withdraw(tx: &mut Tx, id: Uuid) -> Result<Option<String>> {
    Ok(fetch_optional!(tx, (String,), WITHDRAW_INVITATION, id)?.map(|(email,)| email))
}

/// Deletes all invitations by a staff member.
pub async fn withdraw_by(tx: &mut Tx, staff: Uuid) -> Result<()> {
    execute!(tx, WITHDRAW_INVITATIONS_BY, staff).map(drop)
}

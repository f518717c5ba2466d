-- Partners: who calls with keys of their own, what they called with, and what was made through them.

-- The partner a claim was made through, the partner's own name for it, and where news of it go where that is not the usual place.
ALTER TABLE claim ADD COLUMN partner_id UUID;
ALTER TABLE claim ADD COLUMN partner_ref TEXT;
ALTER TABLE claim ADD COLUMN partner_callback TEXT;
CREATE INDEX claim_by_partner ON claim (partner_id, public_id) WHERE partner_id IS NOT NULL;
CREATE UNIQUE INDEX claim_by_partner_ref ON claim (partner_id, partner_ref) WHERE partner_ref IS NOT NULL;

CREATE TABLE partner (
    id             UUID PRIMARY KEY NOT NULL,
    name           TEXT NOT NULL,
    email          TEXT NOT NULL,
    enabled        BOOLEAN NOT NULL,
    -- Where news go that are not sent elsewhere; empty: nowhere.
    callback_url   TEXT NOT NULL,
    -- What news are signed with, sealed.
    webhook_secret TEXT NOT NULL,
    revision       BIGINT NOT NULL,
    created_at     BIGINT NOT NULL,
    updated_at     BIGINT NOT NULL
);

CREATE TABLE partner_key (
    id         UUID PRIMARY KEY NOT NULL,
    partner_id UUID NOT NULL REFERENCES partner (id),
    -- The name calls carry.
    name       TEXT NOT NULL UNIQUE,
    title      TEXT NOT NULL,
    -- Whether claims made with it are rehearsals that move no money.
    sandbox    BOOLEAN NOT NULL,
    -- What it may do, and from which networks; lists with spaces. No network: from everywhere.
    scopes     TEXT NOT NULL,
    networks   TEXT NOT NULL,
    per_minute BIGINT NOT NULL CHECK (per_minute BETWEEN 1 AND 6000),
    -- What calls are signed with, sealed: the same signature is made here to compare.
    secret     TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    revoked_at BIGINT
);
CREATE INDEX partner_key_by_partner ON partner_key (partner_id, created_at);

-- Nonces of calls whose signature would still be taken. The key makes one use of each.
CREATE TABLE partner_nonce (
    key_id     UUID NOT NULL,
    nonce      TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (key_id, nonce)
);
CREATE INDEX partner_nonce_by_time ON partner_nonce (expires_at);

-- Rehearsed claims: they move no money and stand in no book.
CREATE TABLE partner_rehearsal (
    id         UUID PRIMARY KEY NOT NULL,
    partner_id UUID NOT NULL REFERENCES partner (id),
    number     BIGINT NOT NULL,
    reference  TEXT,
    callback   TEXT,
    position   TEXT NOT NULL,
    -- The claim as it is told, JSON.
    claim      TEXT NOT NULL,
    revision   BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    UNIQUE (partner_id, number)
);
CREATE UNIQUE INDEX partner_rehearsal_by_ref ON partner_rehearsal (partner_id, reference) WHERE reference IS NOT NULL;
CREATE INDEX partner_rehearsal_by_time ON partner_rehearsal (updated_at);

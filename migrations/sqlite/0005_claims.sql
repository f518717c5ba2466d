-- Claims: what a customer asked for, where it stands, and every step it took.

CREATE TABLE claim (
    public_id         INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    id                BLOB NOT NULL UNIQUE,
    state             TEXT NOT NULL,
    -- The state it was in when it was stopped.
    stopped_in        TEXT,
    -- Counts every change, so that nobody acts on what they no longer see.
    revision          BIGINT NOT NULL,
    -- The tab of the desk the state belongs to.
    desk              TEXT NOT NULL,
    email             TEXT NOT NULL,
    locale            TEXT NOT NULL,
    guest_digest      TEXT NOT NULL,
    address_digest    TEXT NOT NULL,
    referral          TEXT,
    from_id           BIGINT NOT NULL,
    to_id             BIGINT NOT NULL,
    from_code         TEXT NOT NULL,
    to_code           TEXT NOT NULL,
    send_units        BIGINT NOT NULL CHECK (send_units > 0),
    send_scale        BIGINT NOT NULL,
    receive_units     BIGINT NOT NULL CHECK (receive_units > 0),
    receive_scale     BIGINT NOT NULL,
    worth_units       BIGINT NOT NULL,
    course            TEXT NOT NULL,
    bonus             TEXT NOT NULL,
    terms             TEXT NOT NULL,
    -- When these terms were agreed, and for how long they hold.
    terms_at          BIGINT NOT NULL,
    hold_minutes      BIGINT NOT NULL,
    floating          BOOLEAN NOT NULL,
    terms_version     TEXT,
    aml_consent       BOOLEAN NOT NULL,
    from_requisites   TEXT NOT NULL,
    to_requisites     TEXT NOT NULL,
    refund_requisites TEXT,
    -- The first requisite of either side, to be found by.
    from_value        TEXT,
    to_value          TEXT,
    -- What the books hold for the claim; they are empty when it ends.
    hold_id           BLOB,
    in_units          BIGINT NOT NULL CHECK (in_units >= 0),
    out_units         BIGINT NOT NULL CHECK (out_units >= 0),
    refund_units      BIGINT NOT NULL CHECK (refund_units >= 0),
    received_units    BIGINT NOT NULL CHECK (received_units >= 0),
    paid_out_units    BIGINT NOT NULL CHECK (paid_out_units >= 0),
    -- Where the customer pays.
    requisite_id      BLOB,
    requisite_day     BIGINT,
    payment_value     TEXT,
    payment_holder    TEXT,
    payment_memo      TEXT,
    expires_at        BIGINT,
    due_at            BIGINT NOT NULL,
    answer_by         BIGINT,
    reason            TEXT,
    tx_in             TEXT,
    tx_out            TEXT,
    tx_refund         TEXT,
    offer             TEXT,
    -- The operator who has it in hand.
    holder_id         BLOB,
    holder_name       TEXT,
    created_at        BIGINT NOT NULL,
    updated_at        BIGINT NOT NULL,
    CHECK (state NOT IN ('completed', 'refunded', 'cancelled', 'expired', 'rejected')
        OR (hold_id IS NULL AND in_units = 0 AND out_units = 0 AND refund_units = 0)),
    CHECK ((state = 'on_hold') = (stopped_in IS NOT NULL))
);
-- The first claim is number 100001: short to say, and it does not tell how young the house is.
INSERT INTO sqlite_sequence (name, seq) VALUES ('claim', 100000);
CREATE INDEX claim_desk_by_due ON claim (desk, due_at, public_id);
CREATE INDEX claim_desk_by_age ON claim (desk, public_id);
CREATE INDEX claim_open_by_due ON claim (due_at, public_id) WHERE desk <> 'closed';
CREATE INDEX claim_open_by_age ON claim (public_id) WHERE desk <> 'closed';
CREATE INDEX claim_by_email ON claim (email);
CREATE INDEX claim_unpaid_by_address ON claim (address_digest) WHERE state IN ('created', 'verification', 'awaiting_payment');
CREATE INDEX claim_unpaid_by_email ON claim (email) WHERE state IN ('created', 'verification', 'awaiting_payment');
CREATE INDEX claim_by_deadline ON claim (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX claim_by_from_value ON claim (from_value) WHERE from_value IS NOT NULL;
CREATE INDEX claim_by_to_value ON claim (to_value) WHERE to_value IS NOT NULL;
CREATE INDEX claim_by_payment ON claim (payment_value) WHERE payment_value IS NOT NULL;
CREATE INDEX claim_by_tx_in ON claim (tx_in) WHERE tx_in IS NOT NULL;
CREATE INDEX claim_by_tx_out ON claim (tx_out) WHERE tx_out IS NOT NULL;

-- Every step of every claim: who, what, why, and the ledger batch that went with it.
CREATE TABLE claim_event (
    id         INTEGER PRIMARY KEY NOT NULL,
    claim_id   BLOB NOT NULL REFERENCES claim (id),
    at         BIGINT NOT NULL,
    actor      TEXT NOT NULL,
    actor_id   BLOB,
    actor_name TEXT,
    action     TEXT NOT NULL,
    from_state TEXT,
    to_state   TEXT,
    revision   BIGINT NOT NULL,
    reason     TEXT,
    note       TEXT,
    batch_id   BLOB
);
CREATE INDEX claim_event_by_claim ON claim_event (claim_id, id);
CREATE TRIGGER claim_event_is_never_changed BEFORE UPDATE ON claim_event
BEGIN
    SELECT RAISE(ABORT, 'the history of a claim is never changed');
END;
CREATE TRIGGER claim_event_is_never_deleted BEFORE DELETE ON claim_event
BEGIN
    SELECT RAISE(ABORT, 'the history of a claim is never deleted');
END;

-- A payment that came pays one claim, whatever else is said of it.
CREATE TABLE claim_payment (
    currency_id BIGINT NOT NULL,
    tx_id       TEXT NOT NULL,
    claim_id    BLOB NOT NULL REFERENCES claim (id),
    created_at  BIGINT NOT NULL,
    PRIMARY KEY (currency_id, tx_id)
);

CREATE TABLE claim_receipt (
    id           BLOB PRIMARY KEY NOT NULL,
    claim_id     BLOB NOT NULL REFERENCES claim (id),
    name         TEXT NOT NULL,
    media_type   TEXT NOT NULL,
    size         BIGINT NOT NULL,
    -- Of the file as it was sent.
    sha256       TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    delete_after BIGINT NOT NULL,
    deleted_at   BIGINT
);
CREATE INDEX claim_receipt_by_claim ON claim_receipt (claim_id, created_at);
CREATE INDEX claim_receipt_by_content ON claim_receipt (sha256);
CREATE INDEX claim_receipt_to_delete ON claim_receipt (delete_after) WHERE deleted_at IS NULL;

-- The requisites customers pay to.
CREATE TABLE requisite (
    id           BLOB PRIMARY KEY NOT NULL,
    currency_id  BIGINT NOT NULL,
    value        TEXT NOT NULL,
    holder       TEXT,
    memo         TEXT,
    enabled      BOOLEAN NOT NULL,
    daily_limit  BIGINT,
    -- How much was asked to be paid here on a day, numbered from 1970-01-01 UTC.
    taken_day    BIGINT NOT NULL,
    taken_units  BIGINT NOT NULL CHECK (taken_units >= 0),
    last_used_at BIGINT,
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL
);
CREATE INDEX requisite_by_turn ON requisite (currency_id, enabled, last_used_at);

-- Who changed the requisites, and how: what was and what is, as JSON.
CREATE TABLE requisite_event (
    id           INTEGER PRIMARY KEY NOT NULL,
    requisite_id BLOB NOT NULL REFERENCES requisite (id),
    at           BIGINT NOT NULL,
    actor_id     BLOB NOT NULL,
    actor_name   TEXT NOT NULL,
    before       TEXT,
    after        TEXT NOT NULL
);
CREATE INDEX requisite_event_by_requisite ON requisite_event (requisite_id, id);
CREATE TRIGGER requisite_event_is_never_changed BEFORE UPDATE ON requisite_event
BEGIN
    SELECT RAISE(ABORT, 'the history of a requisite is never changed');
END;
CREATE TRIGGER requisite_event_is_never_deleted BEFORE DELETE ON requisite_event
BEGIN
    SELECT RAISE(ABORT, 'the history of a requisite is never deleted');
END;

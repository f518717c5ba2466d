-- Payments that plugins watch and make: how each currency is handled, what came, addresses ready to be given, and every try to send money.

CREATE TABLE payment_route (
    currency_id   BIGINT PRIMARY KEY NOT NULL REFERENCES currency (id),
    -- The plugin that watches the network and pays on it.
    driver        TEXT NOT NULL,
    -- Whether customers are given its addresses.
    enabled       BOOLEAN NOT NULL,
    confirmations BIGINT NOT NULL CHECK (confirmations BETWEEN 1 AND 1000),
    -- A payment that differs by this much at most is taken for the agreed one.
    tolerance     BIGINT NOT NULL CHECK (tolerance >= 0),
    -- What is less than this is not looked at.
    dust          BIGINT NOT NULL CHECK (dust >= 0),
    -- The plugin that judges where money comes from.
    screening     TEXT,
    -- Whether payouts leave without staff, and how much at a time and on a day.
    auto_payout   BOOLEAN NOT NULL,
    claim_limit   BIGINT NOT NULL CHECK (claim_limit >= 0),
    day_limit     BIGINT NOT NULL CHECK (day_limit >= 0),
    -- How much left on a day, numbered from 1970-01-01 UTC.
    spent_day     BIGINT NOT NULL,
    spent_units   BIGINT NOT NULL CHECK (spent_units >= 0),
    -- Where the watch stands: what the driver said last.
    seen_to       TEXT,
    height        BIGINT,
    watched_at    BIGINT,
    fault         TEXT,
    fault_at      BIGINT,
    revision      BIGINT NOT NULL,
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL
);

-- Addresses made ahead, and those that claims were given. An address is given once.
CREATE TABLE payment_address (
    id          INTEGER PRIMARY KEY NOT NULL,
    currency_id BIGINT NOT NULL REFERENCES currency (id),
    driver      TEXT NOT NULL,
    -- The key the driver made it under.
    made_for    TEXT NOT NULL UNIQUE,
    address     TEXT NOT NULL,
    memo        TEXT NOT NULL,
    claim_id    BLOB UNIQUE REFERENCES claim (id),
    taken_at    BIGINT,
    created_at  BIGINT NOT NULL,
    UNIQUE (currency_id, address, memo)
);
CREATE INDEX payment_address_ready ON payment_address (currency_id, id) WHERE claim_id IS NULL;

-- Claims whose payments are watched. What counts up is looked at again.
CREATE TABLE payment_watch (
    claim_id   BLOB PRIMARY KEY NOT NULL REFERENCES claim (id),
    changed    BIGINT NOT NULL,
    looked_at  BIGINT NOT NULL,
    -- When to look although nothing changed.
    look_after BIGINT
);
CREATE INDEX payment_watch_changed ON payment_watch (claim_id) WHERE changed > looked_at;
CREATE INDEX payment_watch_due ON payment_watch (look_after) WHERE look_after IS NOT NULL;

-- Money that came. A movement belongs to one claim at most, and to that for good.
CREATE TABLE payment_movement (
    id            INTEGER PRIMARY KEY NOT NULL,
    currency_id   BIGINT NOT NULL REFERENCES currency (id),
    tx_id         TEXT NOT NULL,
    output        BIGINT NOT NULL,
    address       TEXT NOT NULL,
    memo          TEXT NOT NULL,
    units         BIGINT NOT NULL CHECK (units >= 0),
    confirmations BIGINT NOT NULL CHECK (confirmations >= 0),
    -- Since when it is no longer part of the network's history.
    gone_at       BIGINT,
    claim_id      BLOB REFERENCES claim (id),
    -- Whether the claim's books have it.
    counted       BOOLEAN NOT NULL,
    -- Why staff should look at it, since when, and whether somebody did.
    trouble       TEXT,
    trouble_at    BIGINT,
    settled_by    TEXT,
    -- What is known of where it comes from.
    screening     TEXT NOT NULL CHECK (screening IN ('none', 'pending', 'low', 'high', 'stopped')),
    report        TEXT,
    screen_after  BIGINT,
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL,
    UNIQUE (currency_id, tx_id, output)
);
CREATE INDEX payment_movement_by_claim ON payment_movement (claim_id) WHERE claim_id IS NOT NULL;
CREATE INDEX payment_movement_troubles ON payment_movement (trouble_at) WHERE trouble IS NOT NULL;
CREATE INDEX payment_movement_to_screen ON payment_movement (screen_after) WHERE screening = 'pending';

-- Tries to send money, each written before a driver is asked.
CREATE TABLE payment_attempt (
    -- What the driver knows it by: the claim and its revision.
    id            TEXT PRIMARY KEY NOT NULL,
    claim_id      BLOB NOT NULL REFERENCES claim (id),
    claim_number  BIGINT NOT NULL,
    kind          TEXT NOT NULL CHECK (kind IN ('payout', 'refund')),
    currency_id   BIGINT NOT NULL REFERENCES currency (id),
    driver        TEXT NOT NULL,
    address       TEXT NOT NULL,
    memo          TEXT,
    units         BIGINT NOT NULL CHECK (units > 0),
    state         TEXT NOT NULL CHECK (state IN ('queued', 'sending', 'sent', 'unknown', 'never_sent', 'returned', 'confirmed', 'cancelled')),
    tx_id         TEXT,
    confirmations BIGINT NOT NULL,
    fee           TEXT,
    -- What was wrong last, for staff.
    fault         TEXT,
    -- The day whose limit it counts against.
    day           BIGINT NOT NULL,
    asks          BIGINT NOT NULL,
    asked_at      BIGINT,
    ask_after     BIGINT NOT NULL,
    -- Who let it go, where it was staff.
    staff_id      BLOB,
    staff_name    TEXT,
    staff_role    TEXT,
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL
);
-- Money of one kind leaves once for a claim: while one try may have sent it there is no other.
CREATE UNIQUE INDEX payment_attempt_once ON payment_attempt (claim_id, kind) WHERE state IN ('queued', 'sending', 'sent', 'unknown', 'confirmed');
CREATE INDEX payment_attempt_by_claim ON payment_attempt (claim_id, created_at);
CREATE INDEX payment_attempt_open ON payment_attempt (ask_after) WHERE state IN ('queued', 'sending', 'sent', 'unknown');
CREATE INDEX payment_attempt_troubled ON payment_attempt (updated_at) WHERE state IN ('unknown', 'never_sent', 'returned');
CREATE INDEX payment_attempt_by_age ON payment_attempt (created_at);

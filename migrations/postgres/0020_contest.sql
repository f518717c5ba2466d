-- Contests: periods, prizes, entries from exchanges that are done, and draws anybody can compute again.

CREATE TABLE contest (
    id               UUID PRIMARY KEY NOT NULL,
    state            TEXT NOT NULL CHECK (state IN ('planned', 'running', 'closed', 'drawn', 'paid', 'cancelled')),
    title_ru         TEXT NOT NULL,
    title_en         TEXT NOT NULL,
    rules_ru         TEXT NOT NULL,
    rules_en         TEXT NOT NULL,
    starts_at        BIGINT NOT NULL,
    ends_at          BIGINT NOT NULL,
    -- From when on the public value may be taken: after the list is fixed.
    public_at        BIGINT NOT NULL,
    -- For how much of the base currency an exchange is one ticket; nothing where each is one.
    per_worth        TEXT,
    most_weight      BIGINT NOT NULL CHECK (most_weight BETWEEN 1 AND 1000000),
    -- The value that nobody controls, named before the period begins.
    source_ru        TEXT NOT NULL,
    source_en        TEXT NOT NULL,
    -- SHA-256 of the secret, and the secret sealed until the draw reveals it.
    commitment       TEXT NOT NULL,
    secret           TEXT NOT NULL,
    revealed         TEXT,
    -- The list of entrants, line by line, and its SHA-256.
    entrants         TEXT,
    entrants_digest  TEXT,
    public_value     TEXT,
    public_reference TEXT,
    -- How often it was entered; the row is locked by counting, so that nobody enters a list that is being fixed.
    entries          BIGINT NOT NULL,
    revision         BIGINT NOT NULL,
    created_at       BIGINT NOT NULL,
    updated_at       BIGINT NOT NULL,
    closed_at        BIGINT,
    drawn_at         BIGINT,
    CHECK (starts_at < ends_at AND ends_at < public_at),
    CHECK (state NOT IN ('closed', 'drawn', 'paid') OR (entrants IS NOT NULL AND entrants_digest IS NOT NULL)),
    CHECK (state NOT IN ('drawn', 'paid') OR (revealed IS NOT NULL AND public_value IS NOT NULL))
);
CREATE INDEX contest_by_time ON contest (starts_at);

CREATE TABLE contest_prize (
    contest_id  UUID NOT NULL REFERENCES contest (id),
    place       BIGINT NOT NULL CHECK (place >= 1),
    currency_id BIGINT NOT NULL REFERENCES currency (id),
    units       BIGINT NOT NULL CHECK (units > 0),
    PRIMARY KEY (contest_id, place)
);

CREATE TABLE contest_entry (
    id           UUID PRIMARY KEY NOT NULL,
    contest_id   UUID NOT NULL REFERENCES contest (id),
    claim_id     UUID NOT NULL,
    claim_number BIGINT NOT NULL,
    -- Who, as a keyed digest: the same for all entries of an address in one contest.
    person       TEXT NOT NULL,
    email        TEXT NOT NULL,
    locale       TEXT NOT NULL CHECK (locale IN ('ru', 'en')),
    -- Who, as the public sees them.
    name         TEXT NOT NULL,
    weight       BIGINT NOT NULL CHECK (weight BETWEEN 1 AND 1000000),
    -- When the exchange was taken back.
    voided_at    BIGINT,
    created_at   BIGINT NOT NULL,
    UNIQUE (contest_id, claim_id),
    UNIQUE (contest_id, claim_number)
);
CREATE INDEX contest_entry_by_claim ON contest_entry (claim_id);

CREATE TABLE contest_winner (
    id          UUID PRIMARY KEY NOT NULL,
    contest_id  UUID NOT NULL REFERENCES contest (id),
    place       BIGINT NOT NULL,
    entry_id    UUID NOT NULL UNIQUE REFERENCES contest_entry (id),
    currency_id BIGINT NOT NULL REFERENCES currency (id),
    units       BIGINT NOT NULL CHECK (units > 0),
    paid_at     BIGINT,
    paid_name   TEXT,
    note        TEXT,
    UNIQUE (contest_id, place),
    CHECK ((paid_at IS NULL) = (paid_name IS NULL))
);

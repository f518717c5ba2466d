-- Discounts: what customers get on top of the rate for the volume of their exchanges, and promo codes.

-- The promo code a claim uses.
ALTER TABLE claim ADD COLUMN promo TEXT;

-- The table of tiers as a whole: which state of it an operator saw, and the ticker its amounts are in. While the house counts in
-- another currency, the tiers give nothing.
CREATE TABLE discount_scale (
    id       BIGINT PRIMARY KEY NOT NULL CHECK (id = 1),
    revision BIGINT NOT NULL CHECK (revision > 0),
    ticker   TEXT
);
INSERT INTO discount_scale (id, revision, ticker) VALUES (1, 1, NULL);

-- From this volume on so much is added to the rate: millionths of the base currency, hundredths of a percent.
CREATE TABLE discount_tier (
    min_units  BIGINT PRIMARY KEY NOT NULL CHECK (min_units > 0),
    percent_e2 BIGINT NOT NULL CHECK (percent_e2 > 0 AND percent_e2 <= 5000)
);

-- Exchanges that are done, and what they were worth when they were. One whose worth could not be told waits for it.
CREATE TABLE discount_exchange (
    claim_id    UUID PRIMARY KEY NOT NULL,
    -- Whose volume it adds to: an account's, or an e-mail address's where a guest made it.
    party       TEXT NOT NULL,
    customer_id UUID,
    email       TEXT NOT NULL,
    currency_id BIGINT NOT NULL,
    sent_units  BIGINT NOT NULL CHECK (sent_units >= 0),
    sent_scale  BIGINT NOT NULL,
    state       TEXT NOT NULL CHECK (state IN ('waiting', 'counted', 'undone')),
    -- Millionths of the base currency, and its ticker.
    units       BIGINT CHECK (units >= 0),
    ticker      TEXT,
    done_at     BIGINT NOT NULL,
    CHECK (state <> 'counted' OR (units IS NOT NULL AND ticker IS NOT NULL))
);
CREATE INDEX discount_exchange_waiting ON discount_exchange (done_at) WHERE state = 'waiting';
CREATE INDEX discount_exchange_by_ticker ON discount_exchange (ticker) WHERE state = 'counted';

-- The sum of what is counted, for each party.
CREATE TABLE discount_volume (
    party       TEXT NOT NULL,
    ticker      TEXT NOT NULL,
    customer_id UUID,
    email       TEXT NOT NULL,
    units       BIGINT NOT NULL CHECK (units >= 0),
    exchanges   BIGINT NOT NULL CHECK (exchanges >= 0),
    updated_at  BIGINT NOT NULL,
    PRIMARY KEY (party, ticker)
);
CREATE INDEX discount_volume_by_size ON discount_volume (ticker, units, party);
CREATE INDEX discount_volume_by_email ON discount_volume (email);

-- Promo codes, in upper case.
CREATE TABLE promo_code (
    code         TEXT PRIMARY KEY NOT NULL,
    percent_e2   BIGINT NOT NULL CHECK (percent_e2 > 0 AND percent_e2 <= 5000),
    -- How often it may be used in all, and by one customer; nothing means as often as they like.
    uses_max     BIGINT CHECK (uses_max > 0),
    per_customer BIGINT CHECK (per_customer > 0),
    uses         BIGINT NOT NULL CHECK (uses >= 0),
    -- What a claim must be worth at least, in millionths of the currency with this ticker.
    least_units  BIGINT CHECK (least_units > 0),
    least_ticker TEXT,
    starts_at    BIGINT NOT NULL,
    ends_at      BIGINT,
    note         TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    created_by   UUID NOT NULL,
    created_name TEXT NOT NULL,
    stopped_at   BIGINT,
    CHECK (uses_max IS NULL OR uses <= uses_max),
    CHECK (ends_at IS NULL OR ends_at > starts_at),
    CHECK ((least_units IS NULL) = (least_ticker IS NULL))
);
CREATE INDEX promo_code_by_time ON promo_code (created_at, code);

-- Which claims use a code. One that ended without an exchange gave it back.
CREATE TABLE promo_use (
    claim_id     UUID PRIMARY KEY NOT NULL,
    claim_number BIGINT NOT NULL,
    code         TEXT NOT NULL REFERENCES promo_code (code),
    customer_id  UUID,
    email        TEXT NOT NULL,
    taken_at     BIGINT NOT NULL,
    returned_at  BIGINT
);
CREATE INDEX promo_use_by_code ON promo_use (code, taken_at, claim_id);
CREATE INDEX promo_use_by_email ON promo_use (code, email);
CREATE INDEX promo_use_by_customer ON promo_use (code, customer_id) WHERE customer_id IS NOT NULL;

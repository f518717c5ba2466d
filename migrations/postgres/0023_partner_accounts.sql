-- Partner accounts: customers who ask for partner access, what partners earn by their claims, and how often their keys are used.

-- The account that asked for access with its confirmed address, the site it is for, and the language of its letters. Partners that staff added
-- have no account.
ALTER TABLE partner ADD COLUMN customer_id UUID;
ALTER TABLE partner ADD COLUMN customer_email TEXT;
ALTER TABLE partner ADD COLUMN site TEXT NOT NULL DEFAULT '';
ALTER TABLE partner ADD COLUMN locale TEXT NOT NULL DEFAULT 'ru' CHECK (locale IN ('ru', 'en'));
-- Live keys are good while the partner is approved; sandbox keys at once.
ALTER TABLE partner ADD COLUMN standing TEXT NOT NULL DEFAULT 'approved' CHECK (standing IN ('requested', 'approved', 'declined'));
-- Why it was declined, in words for the customer.
ALTER TABLE partner ADD COLUMN reason TEXT;
-- What the partner earns by claims that are completed: so many percent of the profit, or of the amount.
ALTER TABLE partner ADD COLUMN commission_kind TEXT NOT NULL DEFAULT 'profit' CHECK (commission_kind IN ('profit', 'amount'));
ALTER TABLE partner ADD COLUMN commission_percent TEXT NOT NULL DEFAULT '0';
-- Counts movements of the partner's money; whoever moves it counts it up first and so keeps others waiting.
ALTER TABLE partner ADD COLUMN moves BIGINT NOT NULL DEFAULT 0;
CREATE UNIQUE INDEX partner_of_customer ON partner (customer_id) WHERE customer_id IS NOT NULL;

-- What a partner earned by one claim, in the currency it is a share of.
CREATE TABLE partner_accrual (
    id           UUID PRIMARY KEY NOT NULL,
    partner_id   UUID NOT NULL REFERENCES partner (id),
    claim_id     UUID NOT NULL,
    claim_number BIGINT NOT NULL,
    state        TEXT NOT NULL CHECK (state IN ('accrued', 'reversed')),
    kind         TEXT NOT NULL CHECK (kind IN ('profit', 'amount')),
    percent      TEXT NOT NULL,
    currency_id  BIGINT NOT NULL,
    scale        BIGINT NOT NULL,
    -- What the share is of, and the share.
    of_units     BIGINT NOT NULL CHECK (of_units > 0),
    units        BIGINT NOT NULL CHECK (units > 0),
    -- What of it was set off against a debt, and what was not there any more when it was taken back.
    set_off      BIGINT NOT NULL CHECK (set_off >= 0 AND set_off <= units),
    short        BIGINT NOT NULL CHECK (short >= 0 AND short <= units),
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL,
    CHECK (state = 'reversed' OR short = 0)
);
-- A claim is earned by once, unless it was taken back in between.
CREATE UNIQUE INDEX partner_accrual_of_claim ON partner_accrual (claim_id) WHERE state <> 'reversed';
CREATE INDEX partner_accrual_of ON partner_accrual (partner_id, currency_id);

-- What partners were paid of their balances.
CREATE TABLE partner_payout (
    id          UUID PRIMARY KEY NOT NULL,
    partner_id  UUID NOT NULL REFERENCES partner (id),
    currency_id BIGINT NOT NULL,
    scale       BIGINT NOT NULL,
    units       BIGINT NOT NULL CHECK (units > 0),
    -- The transaction it was paid by.
    tx          TEXT NOT NULL,
    paid_by     UUID NOT NULL,
    paid_name   TEXT NOT NULL,
    created_at  BIGINT NOT NULL
);
CREATE INDEX partner_payout_of ON partner_payout (partner_id, created_at, id);

-- How often a key was used in a minute and on a day, both numbered from 1970-01-01 UTC. Minutes bound it on all nodes together and are soon
-- forgotten; days are for the partner to look at.
CREATE TABLE partner_minute (
    key_id UUID NOT NULL,
    minute BIGINT NOT NULL,
    calls  BIGINT NOT NULL,
    PRIMARY KEY (key_id, minute)
);
CREATE INDEX partner_minute_by_time ON partner_minute (minute);
CREATE TABLE partner_day (
    key_id UUID NOT NULL,
    day    BIGINT NOT NULL,
    calls  BIGINT NOT NULL,
    PRIMARY KEY (key_id, day)
);
CREATE INDEX partner_day_by_time ON partner_day (day);

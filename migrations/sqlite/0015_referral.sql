-- The referral programme: who came by whose link, what referrers earn by their exchanges, and how they are paid.

-- Terms referrers earn by. One programme holds for all but those who have one of their own.
CREATE TABLE referral_programme (
    id         BLOB PRIMARY KEY NOT NULL,
    name       TEXT NOT NULL UNIQUE,
    is_default BOOLEAN NOT NULL,
    -- The version of the terms that holds.
    revision   BIGINT NOT NULL
);
CREATE UNIQUE INDEX referral_programme_default ON referral_programme (is_default) WHERE is_default;

-- Every version of the terms there ever was; what was earned names the one it was earned by.
CREATE TABLE referral_terms (
    programme_id   BLOB NOT NULL REFERENCES referral_programme (id),
    revision       BIGINT NOT NULL,
    kind           TEXT NOT NULL CHECK (kind IN ('profit', 'amount')),
    -- JSON: from which referred volume on in the base currency, and how many percent.
    tiers          TEXT NOT NULL,
    -- In the base currency; what is less is not accrued.
    accrual_min    TEXT NOT NULL,
    hold_hours     BIGINT NOT NULL CHECK (hold_hours >= 0),
    -- In the currency of the balance.
    withdrawal_min TEXT NOT NULL,
    changed_at     BIGINT NOT NULL,
    changed_by     BLOB,
    changed_name   TEXT,
    PRIMARY KEY (programme_id, revision)
);
CREATE TRIGGER referral_terms_are_never_changed BEFORE UPDATE ON referral_terms
BEGIN
    SELECT RAISE(ABORT, 'terms are never changed');
END;
CREATE TRIGGER referral_terms_are_never_deleted BEFORE DELETE ON referral_terms
BEGIN
    SELECT RAISE(ABORT, 'terms are never deleted');
END;
INSERT INTO referral_programme (id, name, is_default, revision) VALUES (X'0f3c8a5e7b1d4e2a9c6d1b2a3f4e5d6c', 'Standard', TRUE, 1);
INSERT INTO referral_terms (programme_id, revision, kind, tiers, accrual_min, hold_hours, withdrawal_min, changed_at)
    VALUES (X'0f3c8a5e7b1d4e2a9c6d1b2a3f4e5d6c', 1, 'profit', '[{"from":"0","percent":"20"},{"from":"10000","percent":"25"},{"from":"50000","percent":"30"}]',
        '0.01', 72, '10', 0);

-- An account that asked for its link.
CREATE TABLE referral_referrer (
    customer_id  BLOB PRIMARY KEY NOT NULL,
    code         TEXT NOT NULL UNIQUE,
    email        TEXT NOT NULL,
    programme_id BLOB REFERENCES referral_programme (id),
    -- The currency of the balance, for good once there is one.
    currency_id  BIGINT,
    -- What referred exchanges were worth, in ten-thousandths of the base currency.
    volume       BIGINT NOT NULL DEFAULT 0,
    -- What was taken back and was not there any more, in units; set off against what is earned next.
    debt         BIGINT NOT NULL DEFAULT 0 CHECK (debt >= 0),
    -- Counts every change; whoever moves the referrer's money counts it up first and so keeps others waiting.
    revision     BIGINT NOT NULL DEFAULT 1,
    created_at   BIGINT NOT NULL
);
CREATE INDEX referral_referrer_by_age ON referral_referrer (created_at, customer_id);
CREATE INDEX referral_referrer_by_email ON referral_referrer (email);

-- Who came by whose link: the first one holds for good. A party is an account or an e-mail address.
CREATE TABLE referral_bond (
    party       TEXT PRIMARY KEY NOT NULL,
    referrer_id BLOB NOT NULL REFERENCES referral_referrer (customer_id),
    customer_id BLOB,
    email       TEXT NOT NULL,
    created_at  BIGINT NOT NULL
);
CREATE INDEX referral_bond_of ON referral_bond (referrer_id, created_at);

-- Browsers and network addresses a referrer was seen with, as digests: whoever exchanges from there may be the referrer.
CREATE TABLE referral_mark (
    referrer_id BLOB NOT NULL REFERENCES referral_referrer (customer_id),
    mark        TEXT NOT NULL,
    seen_at     BIGINT NOT NULL,
    PRIMARY KEY (referrer_id, mark)
);
CREATE INDEX referral_mark_by_age ON referral_mark (seen_at);

-- How many came by a link on a day, numbered from 1970-01-01 UTC.
CREATE TABLE referral_visit (
    referrer_id BLOB NOT NULL REFERENCES referral_referrer (customer_id),
    day         BIGINT NOT NULL,
    visits      BIGINT NOT NULL,
    PRIMARY KEY (referrer_id, day)
);
-- How often one household was counted, so that it is not counted without end. The mark is a keyed digest that holds for a day, and the row is
-- forgotten soon after.
CREATE TABLE referral_visitor (
    day         BIGINT NOT NULL,
    mark        TEXT NOT NULL,
    referrer_id BLOB NOT NULL,
    visits      BIGINT NOT NULL,
    PRIMARY KEY (day, mark, referrer_id)
);

-- What a referrer earned by one exchange.
CREATE TABLE referral_accrual (
    id           BLOB PRIMARY KEY NOT NULL,
    referrer_id  BLOB NOT NULL REFERENCES referral_referrer (customer_id),
    claim_id     BLOB NOT NULL,
    claim_number BIGINT NOT NULL,
    -- Who exchanged.
    customer_id  BLOB,
    email        TEXT NOT NULL,
    state        TEXT NOT NULL CHECK (state IN ('review', 'unpriced', 'held', 'available', 'none', 'refused', 'reversed')),
    -- Why staff are to look: codes of what speaks for the referrer having exchanged themselves.
    flags        TEXT NOT NULL,
    -- Why there is no price, or why nothing is earned: a code.
    reason       TEXT,
    -- What staff said when they decided.
    words        TEXT,
    programme_id BLOB NOT NULL,
    terms        BIGINT NOT NULL,
    kind         TEXT NOT NULL CHECK (kind IN ('profit', 'amount')),
    percent      TEXT NOT NULL,
    -- What the share is of: so many units of a currency.
    of_currency  BIGINT NOT NULL,
    of_units     BIGINT NOT NULL,
    of_scale     BIGINT NOT NULL,
    -- What the exchange adds to the referred volume, in ten-thousandths of the base currency, and whether it was added.
    volume       BIGINT NOT NULL,
    is_counted   BOOLEAN NOT NULL,
    currency_id  BIGINT,
    scale        BIGINT NOT NULL,
    units        BIGINT NOT NULL CHECK (units >= 0),
    -- When what is held may be asked for.
    available_at BIGINT NOT NULL,
    day          BIGINT NOT NULL,
    decided_by   BLOB,
    decided_name TEXT,
    decided_at   BIGINT,
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL,
    CHECK (state NOT IN ('unpriced', 'none') OR units = 0),
    CHECK (state NOT IN ('review', 'held', 'available') OR (units > 0 AND currency_id IS NOT NULL))
);
-- An exchange is earned by once, unless it was taken back in between.
CREATE UNIQUE INDEX referral_accrual_of_claim ON referral_accrual (claim_id) WHERE state <> 'reversed';
CREATE INDEX referral_accrual_of ON referral_accrual (referrer_id, created_at, id);
CREATE INDEX referral_accrual_by_day ON referral_accrual (referrer_id, day);
CREATE INDEX referral_accrual_due ON referral_accrual (available_at) WHERE state = 'held';
CREATE INDEX referral_accrual_by_age ON referral_accrual (created_at, id);
CREATE INDEX referral_accrual_open ON referral_accrual (created_at, id) WHERE state IN ('review', 'unpriced');

-- What a referrer asked to be paid.
CREATE TABLE referral_withdrawal (
    id           BLOB PRIMARY KEY NOT NULL,
    referrer_id  BLOB NOT NULL REFERENCES referral_referrer (customer_id),
    email        TEXT NOT NULL,
    locale       TEXT NOT NULL CHECK (locale IN ('ru', 'en')),
    state        TEXT NOT NULL CHECK (state IN ('requested', 'approved', 'paid', 'refused')),
    -- Of the balance, and what is paid for it: the same amount of the same asset, maybe over another network.
    currency_id  BIGINT NOT NULL,
    scale        BIGINT NOT NULL,
    units        BIGINT NOT NULL CHECK (units > 0),
    payout_id    BIGINT NOT NULL,
    payout_code  TEXT NOT NULL,
    payout_scale BIGINT NOT NULL,
    payout_units BIGINT NOT NULL CHECK (payout_units > 0),
    -- Where to, as JSON.
    requisites   TEXT NOT NULL,
    reason       TEXT,
    tx           TEXT,
    approved_by  BLOB,
    approved_name TEXT,
    decided_by   BLOB,
    decided_name TEXT,
    revision     BIGINT NOT NULL,
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL,
    CHECK ((state = 'paid') = (tx IS NOT NULL)),
    CHECK ((state = 'refused') = (reason IS NOT NULL))
);
CREATE INDEX referral_withdrawal_of ON referral_withdrawal (referrer_id, created_at, id);
CREATE INDEX referral_withdrawal_by_age ON referral_withdrawal (created_at, id);
CREATE INDEX referral_withdrawal_open ON referral_withdrawal (created_at, id) WHERE state IN ('requested', 'approved');

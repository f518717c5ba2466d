-- The schema of SQLite. `migrations/postgres` holds the same schema for PostgreSQL; a test compares them.
--
-- Amounts are BIGINT units of their currency's scale, instants BIGINT microseconds since 1970-01-01 UTC, decimals TEXT,
-- lists and objects JSON in TEXT. Rows of append-only tables are never changed or deleted: triggers refuse it.


-- Settings, idempotency keys, storage probe

CREATE TABLE setting (
    name       TEXT PRIMARY KEY NOT NULL,
    value      TEXT NOT NULL,
    changed_at BIGINT NOT NULL,
    changed_by BLOB
);

CREATE TABLE idempotency (
    scope       TEXT NOT NULL,
    key         TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    answer      TEXT NOT NULL,
    created_at  BIGINT NOT NULL,
    PRIMARY KEY (scope, key)
);
CREATE INDEX idempotency_by_age ON idempotency (created_at);

CREATE TABLE storage_probe (
    mark BIGINT NOT NULL
);

-- Names of the keys that values may be sealed with, so that a missing key is noticed before anything is written.
CREATE TABLE vault_key (
    id         TEXT PRIMARY KEY NOT NULL,
    created_at BIGINT NOT NULL
);


-- Ledger

CREATE TABLE ledger_account (
    name            TEXT PRIMARY KEY NOT NULL,
    currency_id     BIGINT NOT NULL,
    balance         BIGINT NOT NULL DEFAULT 0,
    may_be_negative BOOLEAN NOT NULL,
    UNIQUE (name, currency_id),
    CHECK (may_be_negative OR balance >= 0),
    CHECK (typeof(balance) = 'integer')
);
CREATE TRIGGER ledger_account_is_never_deleted BEFORE DELETE ON ledger_account
BEGIN
    SELECT RAISE(ABORT, 'ledger accounts are never deleted');
END;

CREATE TABLE ledger_transfer (
    id          INTEGER PRIMARY KEY NOT NULL,
    batch_id    BLOB NOT NULL,
    seq         BIGINT NOT NULL,
    currency_id BIGINT NOT NULL,
    debit       TEXT NOT NULL,
    credit      TEXT NOT NULL,
    amount      BIGINT NOT NULL CHECK (amount > 0),
    reason      TEXT NOT NULL,
    about       BLOB NOT NULL,
    note        TEXT,
    actor       TEXT,
    created_at  BIGINT NOT NULL,
    UNIQUE (batch_id, seq),
    CHECK (debit <> credit),
    FOREIGN KEY (debit, currency_id) REFERENCES ledger_account (name, currency_id),
    FOREIGN KEY (credit, currency_id) REFERENCES ledger_account (name, currency_id)
);
CREATE INDEX ledger_transfer_currency ON ledger_transfer (currency_id, created_at);
CREATE INDEX ledger_transfer_about ON ledger_transfer (about);
CREATE TRIGGER ledger_transfer_moves AFTER INSERT ON ledger_transfer
BEGIN
    UPDATE ledger_account SET balance = balance - NEW.amount WHERE name = NEW.debit;
    UPDATE ledger_account SET balance = balance + NEW.amount WHERE name = NEW.credit;
END;
CREATE TRIGGER ledger_transfer_is_never_changed BEFORE UPDATE ON ledger_transfer
BEGIN
    SELECT RAISE(ABORT, 'ledger transfers are never changed');
END;
CREATE TRIGGER ledger_transfer_is_never_deleted BEFORE DELETE ON ledger_transfer
BEGIN
    SELECT RAISE(ABORT, 'ledger transfers are never deleted');
END;

-- Both sides of every transfer, as a bookkeeper reads them.
CREATE VIEW ledger_entry AS
    SELECT id, batch_id, seq, debit AS account, currency_id, -amount AS amount, reason, about, created_at FROM ledger_transfer
    UNION ALL
    SELECT id, batch_id, seq, credit AS account, currency_id, amount, reason, about, created_at FROM ledger_transfer;

-- A hold on a part of the reserve: held, then exactly one of posted, released or expired.
CREATE TABLE ledger_hold (
    id          BLOB PRIMARY KEY NOT NULL,
    currency_id BIGINT NOT NULL,
    amount      BIGINT NOT NULL CHECK (amount > 0),
    about       BLOB NOT NULL,
    state       TEXT NOT NULL CHECK (state = 'held' OR state = 'posted' OR state = 'released' OR state = 'expired'),
    created_at  BIGINT NOT NULL,
    ended_at    BIGINT,
    CHECK ((state = 'held') = (ended_at IS NULL))
);
CREATE INDEX ledger_hold_open ON ledger_hold (currency_id) WHERE state = 'held';
CREATE TRIGGER ledger_hold_ends_once BEFORE UPDATE ON ledger_hold
WHEN OLD.state <> 'held' OR NEW.id <> OLD.id OR NEW.amount <> OLD.amount OR NEW.currency_id <> OLD.currency_id
BEGIN
    SELECT RAISE(ABORT, 'a hold ends once and is never changed');
END;
CREATE TRIGGER ledger_hold_is_never_deleted BEFORE DELETE ON ledger_hold
BEGIN
    SELECT RAISE(ABORT, 'holds are never deleted');
END;

-- How far the transfers were checked (one row), and the sum of every account's entries up to there. What comes after is
-- checked at each start; everything is checked each day.
CREATE TABLE ledger_checkpoint (
    position BIGINT PRIMARY KEY NOT NULL
);

CREATE TABLE ledger_checkpoint_balance (
    account TEXT PRIMARY KEY NOT NULL,
    balance BIGINT NOT NULL
);

-- When all of the ledger or of the audit log was last checked, and how many faults were found.
CREATE TABLE full_check (
    subject TEXT PRIMARY KEY NOT NULL CHECK (subject IN ('ledger', 'audit')),
    at      BIGINT NOT NULL,
    faults  BIGINT NOT NULL
);


-- Audit log and outbox

-- Entries in several chains side by side; each entry's digest covers its predecessor's.
CREATE TABLE audit (
    chain      BIGINT NOT NULL,
    number     BIGINT NOT NULL,
    at         BIGINT NOT NULL,
    actor_kind TEXT NOT NULL CHECK (actor_kind = 'staff' OR actor_kind = 'customer' OR actor_kind = 'guest' OR actor_kind = 'partner' OR actor_kind = 'system'),
    actor_id   BLOB,
    actor_name TEXT NOT NULL,
    address    TEXT,
    action     TEXT NOT NULL,
    about_kind TEXT NOT NULL,
    about_id   TEXT NOT NULL,
    before     TEXT,
    after      TEXT,
    digest     TEXT NOT NULL,
    PRIMARY KEY (chain, number)
);
CREATE INDEX audit_by_time ON audit (at, chain, number);
CREATE INDEX audit_by_thing ON audit (about_kind, about_id, at);
CREATE INDEX audit_by_actor ON audit (actor_id, at) WHERE actor_id IS NOT NULL;
CREATE INDEX audit_by_action ON audit (action, at);
CREATE TRIGGER audit_is_never_changed BEFORE UPDATE ON audit
BEGIN
    SELECT RAISE(ABORT, 'audit is append-only');
END;
CREATE TRIGGER audit_is_never_deleted BEFORE DELETE ON audit
BEGIN
    SELECT RAISE(ABORT, 'audit is append-only');
END;
-- An entry is the head of its chain from the moment it is written.
CREATE TRIGGER audit_is_head AFTER INSERT ON audit
BEGIN
    UPDATE audit_chain SET number = NEW.number, digest = NEW.digest WHERE chain = NEW.chain;
END;

-- The head of each chain.
CREATE TABLE audit_chain (
    chain  BIGINT PRIMARY KEY NOT NULL,
    number BIGINT NOT NULL,
    digest TEXT NOT NULL
);

-- The last verified entry of each chain.
CREATE TABLE audit_checkpoint (
    chain  BIGINT PRIMARY KEY NOT NULL,
    number BIGINT NOT NULL,
    digest TEXT NOT NULL
);

-- Messages to the outside: email, notifications, webhooks. A row is written in the transaction of its cause and
-- delivered after the commit, at least once.
CREATE TABLE outbox (
    id           INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    channel      TEXT NOT NULL,
    recipient    TEXT NOT NULL,
    kind         TEXT NOT NULL,
    about_kind   TEXT NOT NULL,
    about_id     TEXT NOT NULL,
    payload      TEXT NOT NULL,
    state        TEXT NOT NULL CHECK (state = 'queued' OR state = 'sent' OR state = 'dead'),
    attempts     BIGINT NOT NULL,
    next_at      BIGINT NOT NULL,
    -- The delivering node's lease.
    leased_until BIGINT NOT NULL,
    fault        TEXT,
    created_at   BIGINT NOT NULL,
    settled_at   BIGINT
);
CREATE INDEX outbox_queue ON outbox (channel, recipient, id) WHERE state = 'queued';
CREATE INDEX outbox_by_channel ON outbox (channel, state, id);
CREATE INDEX outbox_due ON outbox (channel, next_at, id) WHERE state = 'queued';
CREATE INDEX outbox_by_age ON outbox (state, settled_at) WHERE settled_at IS NOT NULL;


-- Approvals

CREATE TABLE approval (
    id            BLOB PRIMARY KEY NOT NULL,
    kind          TEXT NOT NULL,
    about_kind    TEXT NOT NULL,
    about_id      TEXT NOT NULL,
    shown         TEXT NOT NULL,
    payload       TEXT NOT NULL,
    state         TEXT NOT NULL CHECK (state IN ('waiting', 'approved', 'rejected', 'withdrawn', 'expired')),
    proposed_by   BLOB NOT NULL,
    proposed_name TEXT NOT NULL,
    proposed_at   BIGINT NOT NULL,
    expires_at    BIGINT NOT NULL,
    decided_by    BLOB,
    decided_name  TEXT,
    decided_at    BIGINT,
    reason        TEXT,
    CHECK ((state = 'waiting') = (decided_at IS NULL)),
    -- Two-person approval: nobody decides their own request.
    CHECK (state NOT IN ('approved', 'rejected') OR (decided_by IS NOT NULL AND decided_by <> proposed_by))
);
CREATE INDEX approval_by_time ON approval (proposed_at);
CREATE UNIQUE INDEX approval_waiting ON approval (kind, about_kind, about_id) WHERE state = 'waiting';
CREATE INDEX approval_by_thing ON approval (about_kind, about_id, kind, proposed_at);


-- Email

-- Emails sent to a mailbox since `since`, and those held back for one digest email.
CREATE TABLE mail_count (
    mailbox    TEXT PRIMARY KEY NOT NULL,
    since      BIGINT NOT NULL,
    sent       BIGINT NOT NULL,
    held       BIGINT NOT NULL,
    held_since BIGINT,
    email      TEXT,
    locale     TEXT CHECK (locale IN ('ru', 'en')),
    CHECK ((held > 0) = (held_since IS NOT NULL AND email IS NOT NULL AND locale IS NOT NULL))
);
CREATE INDEX mail_count_held ON mail_count (held_since) WHERE held_since IS NOT NULL;
CREATE INDEX mail_count_by_age ON mail_count (since);


-- Staff accounts

CREATE TABLE staff (
    id            BLOB PRIMARY KEY NOT NULL,
    email         TEXT NOT NULL UNIQUE,
    name          TEXT NOT NULL,
    role          TEXT NOT NULL CHECK (role IN ('owner', 'operator', 'cashier', 'editor', 'auditor')),
    password_hash TEXT NOT NULL,
    disabled      BOOLEAN NOT NULL DEFAULT FALSE,
    created_at    BIGINT NOT NULL,
    -- The language of their emails.
    locale        TEXT NOT NULL DEFAULT 'ru' CHECK (locale IN ('ru', 'en'))
);

-- At most one invitation per address; its link is stored as a digest and deleted when accepted.
CREATE TABLE staff_invitation (
    id         BLOB PRIMARY KEY NOT NULL,
    -- In lower case.
    email      TEXT NOT NULL UNIQUE,
    role       TEXT NOT NULL CHECK (role IN ('owner', 'operator', 'cashier', 'editor', 'auditor')),
    locale     TEXT NOT NULL CHECK (locale IN ('ru', 'en')),
    digest     TEXT NOT NULL UNIQUE,
    -- NULL when invited from the command line.
    invited_by BLOB REFERENCES staff (id),
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);


-- Customer accounts

CREATE TABLE customer (
    id            BLOB PRIMARY KEY NOT NULL,
    -- In lower case.
    email         TEXT NOT NULL UNIQUE,
    password_hash TEXT NOT NULL,
    locale        TEXT NOT NULL CHECK (locale IN ('ru', 'en')),
    referral      TEXT,
    activated_at  BIGINT,
    banned_at     BIGINT,
    created_at    BIGINT NOT NULL,
    ban_reason    TEXT
);
CREATE INDEX customer_by_age ON customer (created_at, id);

-- Payment details that customers save for their next claims.
CREATE TABLE customer_requisite (
    id          BLOB PRIMARY KEY NOT NULL,
    customer_id BLOB NOT NULL REFERENCES customer (id),
    currency_id BIGINT NOT NULL,
    -- Values by field, sealed.
    sealed      TEXT NOT NULL,
    -- The same, masked, for lists.
    masked      TEXT NOT NULL,
    -- Keyed digest of the values, so that equal ones are stored once.
    digest      TEXT NOT NULL,
    created_at  BIGINT NOT NULL,
    UNIQUE (customer_id, currency_id, digest)
);

-- Requests for emailed links and sign-ups. Whether the address has an account is looked up later, so that the time of
-- the response reveals nothing.
CREATE TABLE customer_request (
    id            BLOB PRIMARY KEY NOT NULL,
    kind          TEXT NOT NULL CHECK (kind IN ('activation', 'password_reset', 'sign_up')),
    email         TEXT NOT NULL,
    address       TEXT NOT NULL,
    created_at    BIGINT NOT NULL,
    -- For sign-ups only.
    password_hash TEXT,
    locale        TEXT,
    referral      TEXT,
    -- A failed request is retried later and given up after some tries; owners are alerted.
    tries         BIGINT NOT NULL DEFAULT 0,
    next_at       BIGINT NOT NULL DEFAULT 0,
    given_up_at   BIGINT,
    CHECK ((kind = 'sign_up') = (password_hash IS NOT NULL))
);
CREATE INDEX customer_request_given_up ON customer_request (given_up_at) WHERE given_up_at IS NOT NULL;


-- Sessions, second factors and sign-in attempts

CREATE TABLE account_session (
    id            BLOB PRIMARY KEY NOT NULL,
    staff_id      BLOB REFERENCES staff (id),
    customer_id   BLOB REFERENCES customer (id),
    generation    BIGINT NOT NULL,
    address       TEXT NOT NULL,
    agent         TEXT NOT NULL,
    created_at    BIGINT NOT NULL,
    refreshed_at  BIGINT NOT NULL,
    expires_at    BIGINT NOT NULL,
    -- When a node that caches the session must reload it.
    changed_at    BIGINT NOT NULL,
    ended_at      BIGINT,
    -- Whether a second factor was verified in this session, and when the session was last confirmed.
    second_factor BOOLEAN NOT NULL DEFAULT FALSE,
    confirmed_at  BIGINT,
    CHECK ((staff_id IS NULL) <> (customer_id IS NULL))
);
CREATE INDEX account_session_changed ON account_session (changed_at);
CREATE INDEX account_session_by_end ON account_session (expires_at);
CREATE INDEX account_session_ended ON account_session (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX account_session_by_staff ON account_session (staff_id) WHERE ended_at IS NULL;
CREATE INDEX account_session_by_customer ON account_session (customer_id) WHERE ended_at IS NULL;

-- Refresh tokens replaced recently: another tab may still present one.
CREATE TABLE session_refresh (
    session_id BLOB NOT NULL REFERENCES account_session (id) ON DELETE CASCADE,
    generation BIGINT NOT NULL,
    used_at    BIGINT NOT NULL,
    PRIMARY KEY (session_id, generation)
);

CREATE TABLE token_key (
    id         TEXT PRIMARY KEY NOT NULL,
    sealed     TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

-- Emailed links of customers and staff: at most one per purpose and account, stored as a digest, deleted when used.
CREATE TABLE account_link (
    account_id BLOB NOT NULL,
    purpose    TEXT NOT NULL CHECK (purpose IN ('activation', 'password_reset', 'staff_password_reset', 'email_change', 'email_undo')),
    digest     TEXT NOT NULL UNIQUE,
    expires_at BIGINT NOT NULL,
    -- The new address of a change, or the address to go back to.
    email      TEXT,
    PRIMARY KEY (account_id, purpose),
    CHECK ((purpose IN ('email_change', 'email_undo')) = (email IS NOT NULL))
);
CREATE INDEX account_link_by_age ON account_link (expires_at);

-- Browsers and networks an account of a customer or staff member was used from, as digests.
CREATE TABLE known_device (
    account_id BLOB NOT NULL,
    digest     TEXT NOT NULL,
    used_at    BIGINT NOT NULL,
    PRIMARY KEY (account_id, digest)
);
CREATE INDEX known_device_by_age ON known_device (used_at);

-- Authenticator apps of customers and staff. Without confirmed_at the set-up is not finished.
CREATE TABLE second_factor (
    account_id   BLOB PRIMARY KEY NOT NULL,
    sealed       TEXT NOT NULL,
    confirmed_at BIGINT,
    -- The time step of the last accepted code: each code is accepted once.
    last_step    BIGINT NOT NULL
);

CREATE TABLE recovery_code (
    account_id BLOB NOT NULL,
    digest     TEXT NOT NULL,
    PRIMARY KEY (account_id, digest)
);

-- Failed attempts to guess a secret, by account and by address, as digests.
CREATE TABLE attempt (
    counter TEXT PRIMARY KEY NOT NULL,
    counted BIGINT NOT NULL,
    at      BIGINT NOT NULL
);
CREATE INDEX attempt_by_age ON attempt (at);


-- Captcha

-- The key that signs captchas, sealed, and the answers already used.
CREATE TABLE captcha_key (
    id     BIGINT PRIMARY KEY NOT NULL,
    sealed TEXT NOT NULL
);

CREATE TABLE captcha_used (
    signature TEXT PRIMARY KEY NOT NULL,
    ends_at   BIGINT NOT NULL
);
CREATE INDEX captcha_used_by_end ON captcha_used (ends_at);


-- Staff alerts

-- When staff were last alerted of a cause, so that each cause alerts once an hour.
CREATE TABLE alert (
    cause   TEXT PRIMARY KEY NOT NULL,
    sent_at BIGINT NOT NULL
);


-- Market: currencies, pairs, rates, quotes

CREATE TABLE currency (
    id            BIGINT PRIMARY KEY NOT NULL,
    code          TEXT NOT NULL UNIQUE,
    ticker        TEXT NOT NULL,
    network_ru    TEXT NOT NULL,
    network_en    TEXT NOT NULL,
    kind          TEXT NOT NULL CHECK (kind IN ('crypto', 'bank', 'ewallet', 'cash')),
    name_ru       TEXT NOT NULL,
    name_en       TEXT NOT NULL,
    icon          TEXT NOT NULL,
    scale         BIGINT NOT NULL CHECK (scale BETWEEN 0 AND 8),
    round_digits  BIGINT NOT NULL CHECK (round_digits BETWEEN 0 AND scale),
    can_give      BOOLEAN NOT NULL,
    can_receive   BOOLEAN NOT NULL,
    position      BIGINT NOT NULL,
    inputs        TEXT NOT NULL,
    -- Where cash changes hands.
    cities        TEXT NOT NULL,
    reserve_floor BIGINT NOT NULL CHECK (reserve_floor >= 0),
    -- Offered nowhere. Claims, ledger and reports keep it.
    archived      BOOLEAN NOT NULL DEFAULT FALSE,
    revision      BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL
);
-- Amounts are stored in units of the scale, so another scale would change every one of them.
CREATE TRIGGER currency_scale_is_for_life BEFORE UPDATE OF scale ON currency
WHEN NEW.scale <> OLD.scale
BEGIN
    SELECT RAISE(ABORT, 'the scale of a currency is for life');
END;
CREATE TRIGGER currency_has_share AFTER INSERT ON currency
BEGIN
    INSERT INTO unproven_share (currency_id, units) VALUES (NEW.id, 0);
END;

CREATE TABLE pair (
    id                       BIGINT PRIMARY KEY NOT NULL,
    give_id                  BIGINT NOT NULL REFERENCES currency (id),
    receive_id                    BIGINT NOT NULL REFERENCES currency (id),
    enabled                  BOOLEAN NOT NULL,
    source                   TEXT NOT NULL CHECK (source IN ('manual', 'market')),
    manual_rate              TEXT,
    spread_percent           TEXT NOT NULL,
    give_fee_fixed           BIGINT NOT NULL CHECK (give_fee_fixed >= 0),
    give_fee_percent         TEXT NOT NULL,
    receive_fee_fixed        BIGINT NOT NULL CHECK (receive_fee_fixed >= 0),
    receive_fee_percent      TEXT NOT NULL,
    tiers                    TEXT NOT NULL,
    give_min                 BIGINT CHECK (give_min >= 0),
    give_max                 BIGINT CHECK (give_max >= 0),
    receive_min              BIGINT CHECK (receive_min >= 0),
    receive_max              BIGINT CHECK (receive_max >= 0),
    -- Amounts are multiples of these.
    give_step                BIGINT CHECK (give_step > 0),
    receive_step             BIGINT CHECK (receive_step > 0),
    hold_minutes             BIGINT NOT NULL CHECK (hold_minutes > 0),
    floating                 BOOLEAN NOT NULL,
    notices                  TEXT NOT NULL,
    revision                 BIGINT NOT NULL,
    updated_at               BIGINT NOT NULL,
    -- The verification this direction requires before payment.
    verification             TEXT NOT NULL DEFAULT 'none' CHECK (verification IN ('none', 'card', 'identity')),
    -- Tolerances of this direction: how far in percent the rate may have moved when a payment is late, and by how much
    -- the amount may differ. NULL: the setting applies.
    late_tolerance_percent   TEXT,
    amount_tolerance_fixed   BIGINT CHECK (amount_tolerance_fixed >= 0),
    amount_tolerance_percent TEXT,
    -- Minutes that a claim may stay reported as paid without a seen payment. NULL: the setting applies.
    reported_minutes         BIGINT CHECK (reported_minutes > 0),
    UNIQUE (give_id, receive_id),
    CHECK (give_id <> receive_id),
    CHECK (source <> 'manual' OR manual_rate IS NOT NULL)
);

-- A source's bid and ask: what one unit of `base` buys and sells for in `quote`.
CREATE TABLE observation (
    source      TEXT NOT NULL,
    base        TEXT NOT NULL,
    quote       TEXT NOT NULL,
    bid         TEXT NOT NULL,
    ask         TEXT NOT NULL,
    observed_at BIGINT NOT NULL,
    imported_at BIGINT NOT NULL,
    -- Whether the price came from a live source: it counts only through rate aggregation.
    is_live     BOOLEAN NOT NULL DEFAULT FALSE,
    PRIMARY KEY (source, base, quote, observed_at)
);
CREATE INDEX observation_live_by_time ON observation (observed_at) WHERE is_live;
CREATE INDEX observation_imported ON observation (source, base, quote, observed_at) WHERE NOT is_live;
CREATE INDEX observation_live ON observation (observed_at) WHERE is_live;

-- The aggregated price of two assets from live sources: JSON, or NULL where the sources disagree.
CREATE TABLE aggregated_price (
    base  TEXT NOT NULL,
    quote TEXT NOT NULL,
    price TEXT,
    PRIMARY KEY (base, quote)
);

-- Rate decisions for pairs that are not as their operator set them.
CREATE TABLE pair_rate_decision (
    pair_id      BIGINT PRIMARY KEY NOT NULL REFERENCES pair (id),
    -- Why it is suspended: JSON.
    suspension   TEXT,
    -- Adjustments to its rate: JSON.
    adjustments  TEXT NOT NULL,
    -- The largest price jump in percent, where the pair's rules set one.
    jump_percent TEXT,
    -- What its formula gives, where its rules have one: JSON.
    formula      TEXT
);

-- Configured rate sources. A source without a row is off.
CREATE TABLE rate_source (
    name            TEXT PRIMARY KEY NOT NULL,
    enabled         BOOLEAN NOT NULL,
    every_seconds   BIGINT NOT NULL CHECK (every_seconds > 0),
    max_age_seconds BIGINT NOT NULL CHECK (max_age_seconds > 0),
    -- Lower is more trusted.
    priority        BIGINT NOT NULL,
    -- Counts for agreement only, never as the price.
    cross_check     BOOLEAN NOT NULL,
    revision        BIGINT NOT NULL,
    updated_at      BIGINT NOT NULL,
    -- Last poll, last response, last error.
    polled_at       BIGINT NOT NULL,
    responded_at    BIGINT,
    prices          BIGINT NOT NULL,
    fault           TEXT,
    fault_at        BIGINT
);

-- The last price of each live source for two assets.
CREATE TABLE source_price (
    source      TEXT NOT NULL REFERENCES rate_source (name),
    base        TEXT NOT NULL,
    quote       TEXT NOT NULL,
    bid         TEXT NOT NULL,
    ask         TEXT NOT NULL,
    observed_at BIGINT NOT NULL,
    PRIMARY KEY (source, base, quote)
);

-- The last order book of an aggregator for a direction, by its currency codes: JSON.
CREATE TABLE order_book (
    source    TEXT NOT NULL REFERENCES rate_source (name),
    give_code TEXT NOT NULL,
    receive_code   TEXT NOT NULL,
    offers    TEXT NOT NULL,
    read_at   BIGINT NOT NULL,
    PRIMARY KEY (source, give_code, receive_code)
);

-- Rate rules of a pair, where they differ from the defaults: JSON.
CREATE TABLE rate_rule (
    pair_id    BIGINT PRIMARY KEY NOT NULL REFERENCES pair (id),
    rules      TEXT NOT NULL,
    revision   BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

-- State of a pair carried from one cycle to the next: JSON.
CREATE TABLE pair_rate_state (
    pair_id      BIGINT PRIMARY KEY NOT NULL REFERENCES pair (id),
    state        TEXT NOT NULL,
    -- When the sources suspended it; NULL while they do not.
    suspended_at BIGINT
);
CREATE INDEX pair_rate_state_suspended ON pair_rate_state (suspended_at) WHERE suspended_at IS NOT NULL;

-- History of a pair's rate.
CREATE TABLE rate_history (
    pair_id   BIGINT NOT NULL REFERENCES pair (id),
    at        BIGINT NOT NULL,
    market    TEXT NOT NULL,
    rate      TEXT,
    suspended BOOLEAN NOT NULL,
    PRIMARY KEY (pair_id, at)
);
CREATE INDEX rate_history_by_time ON rate_history (at);
CREATE INDEX rate_history_at ON rate_history (at);

-- The last cycle: the node that increments it runs it.
CREATE TABLE aggregation_cycle (
    id     BIGINT PRIMARY KEY NOT NULL CHECK (id = 1),
    number BIGINT NOT NULL,
    at     BIGINT NOT NULL
);

-- The sum of unproven_units of each received currency, which is bounded by a share of its reserve.
CREATE TABLE unproven_share (
    currency_id BIGINT PRIMARY KEY NOT NULL,
    units       BIGINT NOT NULL CHECK (units >= 0)
);

CREATE TABLE quote_signing_key (
    id         TEXT PRIMARY KEY NOT NULL,
    sealed     TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    -- Published when created, signs from this instant on, so that every node knows it by then.
    signs_from BIGINT NOT NULL,
    -- When the last quote signed with it expires; NULL while it has no successor.
    ends_at    BIGINT
);


-- Claims

-- Payment details that customers pay to.
CREATE TABLE requisite (
    id              BLOB PRIMARY KEY NOT NULL,
    currency_id     BIGINT NOT NULL,
    value           TEXT NOT NULL,
    holder          TEXT,
    memo            TEXT,
    enabled         BOOLEAN NOT NULL,
    -- How payments are told apart: by nothing, by a memo of each claim, or by its amount.
    identification  TEXT NOT NULL CHECK (identification IN ('none', 'memo', 'amount')),
    -- Lower comes first where the rotation goes by priority.
    priority        BIGINT NOT NULL,
    -- Its share of a day's claims where the rotation goes by weight.
    weight          BIGINT NOT NULL CHECK (weight > 0),
    -- Limits in units; NULL is none. Days and months are those of UTC.
    operation_min   BIGINT,
    operation_max   BIGINT,
    daily_limit     BIGINT,
    monthly_limit   BIGINT,
    daily_count     BIGINT,
    turnover_limit  BIGINT,
    one_time        BOOLEAN NOT NULL,
    cooling_minutes BIGINT NOT NULL,
    -- Units of claims, and their number: on a day, counted from 1970-01-01, in a month, counted from the year 0, and ever.
    -- Claims that ended unpaid do not count.
    used_day        BIGINT NOT NULL,
    used_units      BIGINT NOT NULL CHECK (used_units >= 0),
    used_count      BIGINT NOT NULL CHECK (used_count >= 0),
    used_month      BIGINT NOT NULL,
    month_units     BIGINT NOT NULL CHECK (month_units >= 0),
    total_units     BIGINT NOT NULL CHECK (total_units >= 0),
    total_count     BIGINT NOT NULL CHECK (total_count >= 0),
    -- When a claim last got it, and the last one that counts.
    last_used_at    BIGINT,
    cooling_from    BIGINT,
    created_at      BIGINT NOT NULL,
    updated_at      BIGINT NOT NULL
);
CREATE INDEX requisite_by_turn ON requisite (currency_id, enabled, last_used_at);

-- The order in which the payment details of a currency are given out, where staff have set one.
CREATE TABLE requisite_pool (
    currency_id BIGINT PRIMARY KEY NOT NULL,
    rotation    TEXT NOT NULL CHECK (rotation IN ('in_turn', 'least_used', 'priority', 'weighted')),
    updated_at  BIGINT NOT NULL
);

-- Which claim got which payment details.
CREATE TABLE requisite_use (
    claim_number BIGINT PRIMARY KEY NOT NULL,
    requisite_id BLOB NOT NULL REFERENCES requisite (id),
    currency_id  BIGINT NOT NULL,
    at           BIGINT NOT NULL,
    day          BIGINT NOT NULL,
    month        BIGINT NOT NULL,
    -- What counts against the limits: the claim's amount, then what was received; 0 if it ended unpaid.
    units        BIGINT NOT NULL CHECK (units >= 0),
    -- The memo of this claim alone. None is ever given twice, so that a late payment finds its own claim.
    memo         TEXT
);
CREATE INDEX requisite_use_by_requisite ON requisite_use (requisite_id, at, claim_number);
CREATE UNIQUE INDEX requisite_use_by_memo ON requisite_use (memo, currency_id) WHERE memo IS NOT NULL;

-- Changes to payment details: before and after, as JSON.
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

-- Requests for an email with links to one's claims. Whether there are such claims is looked up later, so that the time
-- of the response reveals nothing.
CREATE TABLE claim_search (
    id         BLOB PRIMARY KEY NOT NULL,
    email      TEXT NOT NULL,
    locale     TEXT NOT NULL CHECK (locale IN ('ru', 'en')),
    address    TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    -- The number of an older claim to include; NULL for none.
    number     BIGINT
);

-- The number the next claim gets.
CREATE VIEW next_claim_number AS SELECT seq + 1 AS number FROM sqlite_sequence WHERE name = 'claim';

-- Agreed terms of claims. They are equal for every claim at one rate and larger than the rest of a claim, so
-- they are stored once. Two equal rows would do no harm.
CREATE TABLE claim_terms (
    terms_id INTEGER PRIMARY KEY NOT NULL,
    terms    TEXT NOT NULL
);
CREATE INDEX claim_terms_by_words ON claim_terms (terms);

CREATE TABLE claim (
    public_id         INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL,
    id                BLOB NOT NULL UNIQUE,
    state             TEXT NOT NULL,
    -- The state it was in when it was put on hold.
    stopped_in        TEXT,
    -- Incremented by every change, for optimistic locking.
    revision          BIGINT NOT NULL,
    -- The tab of the console's queue for this state.
    queue              TEXT NOT NULL,
    email             TEXT NOT NULL,
    locale            TEXT NOT NULL,
    guest_digest      TEXT NOT NULL,
    address_digest    TEXT NOT NULL,
    referral          TEXT,
    give_id           BIGINT NOT NULL,
    receive_id             BIGINT NOT NULL,
    give_code         TEXT NOT NULL,
    receive_code           TEXT NOT NULL,
    give_units        BIGINT NOT NULL CHECK (give_units > 0),
    give_scale        BIGINT NOT NULL,
    receive_units     BIGINT NOT NULL CHECK (receive_units > 0),
    receive_scale     BIGINT NOT NULL,
    market_units      BIGINT NOT NULL,
    rate              TEXT NOT NULL,
    bonus             TEXT NOT NULL,
    agreed_at         BIGINT NOT NULL,
    hold_minutes      BIGINT NOT NULL,
    floating          BOOLEAN NOT NULL,
    terms_version     TEXT,
    aml_consent       BOOLEAN NOT NULL,
    give_requisites   TEXT NOT NULL,
    receive_requisites     TEXT NOT NULL,
    refund_requisites TEXT,
    -- Keyed digests of the first requisite of either side, for search.
    give_digest       TEXT,
    receive_digest         TEXT,
    -- What the ledger holds for the claim; zero when it ends.
    hold_id           BLOB,
    in_units          BIGINT NOT NULL CHECK (in_units >= 0),
    out_units         BIGINT NOT NULL CHECK (out_units >= 0),
    refund_units      BIGINT NOT NULL CHECK (refund_units >= 0),
    received_units    BIGINT NOT NULL CHECK (received_units >= 0),
    paid_out_units    BIGINT NOT NULL CHECK (paid_out_units >= 0),
    -- Where the customer pays.
    requisite_id      BLOB,
    payment_value     TEXT,
    payment_holder    TEXT,
    payment_memo      TEXT,
    -- The page of a bank or merchant on which the customer pays.
    payment_page      TEXT,
    expires_at        BIGINT,
    due_at            BIGINT NOT NULL,
    answer_by         BIGINT,
    reason            TEXT,
    tx_in             TEXT,
    tx_out            TEXT,
    tx_refund         TEXT,
    offer             TEXT,
    -- The operator it is assigned to.
    holder_id         BLOB,
    holder_name       TEXT,
    created_at        BIGINT NOT NULL,
    updated_at        BIGINT NOT NULL,
    -- The last verification the claim waited for.
    verification_id   BLOB,
    -- NULL for a guest.
    customer_id       BLOB,
    -- The promo code a claim uses.
    promo             TEXT,
    -- Where cash changes hands, as it was agreed.
    city              TEXT,
    -- The partner it was made through, the partner's reference, and its own webhook address if any.
    partner_id        BLOB,
    partner_ref       TEXT,
    partner_callback  TEXT,
    -- Never NULL for a claim.
    terms_id          BIGINT REFERENCES claim_terms (terms_id),
    -- When the payment was first seen, or its date as staff entered it; when the customer is warned that no payment is
    -- seen; and the units it holds for a customer who has proven nothing, while nothing has been received.
    paid_at           BIGINT,
    warn_at           BIGINT,
    unproven_units    BIGINT NOT NULL DEFAULT 0,
    -- Units of the payment that were refunded and have arrived.
    returned_units    BIGINT NOT NULL DEFAULT 0 CHECK (returned_units >= 0),
    -- When its personal data were masked, long after its end.
    masked_at         BIGINT,
    CHECK ((state <> 'completed'
        AND state <> 'refunded'
        AND state <> 'cancelled'
        AND state <> 'expired'
        AND state <> 'rejected')
        OR (hold_id IS NULL
        AND in_units = 0
        AND out_units = 0
        AND refund_units = 0)),
    CHECK ((state = 'on_hold') = (stopped_in IS NOT NULL))
);
CREATE INDEX claim_queue_by_due ON claim (queue, due_at, public_id);
CREATE INDEX claim_queue_by_age ON claim (queue, public_id);
CREATE INDEX claim_open_by_due ON claim (due_at, public_id) WHERE queue <> 'closed';
CREATE INDEX claim_open_by_age ON claim (public_id) WHERE queue <> 'closed';
CREATE INDEX claim_by_email ON claim (email);
CREATE INDEX claim_by_deadline ON claim (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX claim_by_payment ON claim (payment_value) WHERE payment_value IS NOT NULL;
CREATE INDEX claim_by_customer ON claim (customer_id) WHERE customer_id IS NOT NULL;
CREATE INDEX claim_by_partner ON claim (partner_id, public_id) WHERE partner_id IS NOT NULL;
CREATE UNIQUE INDEX claim_by_partner_ref ON claim (partner_id, partner_ref) WHERE partner_ref IS NOT NULL;
CREATE INDEX claim_to_warn ON claim (warn_at) WHERE warn_at IS NOT NULL;
CREATE INDEX claim_to_mask ON claim (updated_at) WHERE queue = 'closed' AND masked_at IS NULL;
CREATE INDEX claim_unpaid_by_address ON claim (address_digest) WHERE hold_id IS NOT NULL AND received_units = 0;
CREATE INDEX claim_by_tx_out ON claim (LOWER(tx_out)) WHERE tx_out IS NOT NULL;
CREATE INDEX claim_completed_by_browser ON claim (guest_digest) WHERE state = 'completed';
CREATE INDEX claim_by_from_digest ON claim (give_digest) WHERE give_digest IS NOT NULL;
CREATE INDEX claim_by_to_digest ON claim (receive_digest) WHERE receive_digest IS NOT NULL;

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

-- Every transition of every claim: actor, reason, and its ledger batch.
CREATE TABLE claim_event (
    id           INTEGER PRIMARY KEY NOT NULL,
    claim_number BIGINT NOT NULL REFERENCES claim (public_id),
    at           BIGINT NOT NULL,
    actor        TEXT NOT NULL,
    actor_id     BLOB,
    actor_name   TEXT,
    action       TEXT NOT NULL,
    from_state   TEXT,
    to_state     TEXT,
    revision     BIGINT NOT NULL,
    reason       TEXT,
    note         TEXT,
    batch_id     BLOB
);
CREATE INDEX claim_event_by_claim ON claim_event (claim_number, id);
CREATE TRIGGER claim_event_is_never_changed BEFORE UPDATE ON claim_event
BEGIN
    SELECT RAISE(ABORT, 'the history of a claim is never changed');
END;
CREATE TRIGGER claim_event_is_never_deleted BEFORE DELETE ON claim_event
BEGIN
    SELECT RAISE(ABORT, 'the history of a claim is never deleted');
END;

-- A payment is identified by its transaction id as its network compares ids. One transaction pays one claim.
CREATE TABLE claim_payment (
    currency_id BIGINT NOT NULL,
    tx_key      TEXT NOT NULL,
    tx_id       TEXT NOT NULL,
    claim_id    BLOB NOT NULL REFERENCES claim (id),
    created_at  BIGINT NOT NULL,
    PRIMARY KEY (currency_id, tx_key)
);
CREATE INDEX claim_payment_by_key ON claim_payment (tx_key);


-- Verification

CREATE TABLE verification (
    id           BLOB PRIMARY KEY NOT NULL,
    kind         TEXT NOT NULL CHECK (kind IN ('card', 'identity')),
    state        TEXT NOT NULL CHECK (state IN ('asked', 'sent', 'accepted', 'rejected', 'ended')),
    -- Why it is required: a code.
    cause        TEXT NOT NULL,
    -- The waiting claim; NULL where only an account asked.
    claim_id     BLOB,
    claim_number BIGINT,
    customer_id  BLOB,
    email        TEXT NOT NULL,
    locale       TEXT NOT NULL CHECK (locale IN ('ru', 'en')),
    -- The browser's digest, as in the claim.
    guest_digest TEXT NOT NULL,
    -- The card as a keyed digest and masked. Its number is not stored.
    card_digest  TEXT,
    card_masked  TEXT,
    -- Rounds: incremented each time the customer sends new photos.
    round        BIGINT NOT NULL,
    -- Why it was rejected or repeated, for the customer: a code, and text in both languages where needed.
    reason       TEXT,
    message_ru   TEXT,
    message_en   TEXT,
    decided_by   BLOB,
    decided_name TEXT,
    -- When the claim stops waiting for photos.
    expires_at   BIGINT,
    revision     BIGINT NOT NULL,
    created_at   BIGINT NOT NULL,
    -- When the photos of this round were complete.
    sent_at      BIGINT,
    decided_at   BIGINT,
    updated_at   BIGINT NOT NULL
);
CREATE INDEX verification_by_state ON verification (state, updated_at, id);
CREATE INDEX verification_by_claim ON verification (claim_id) WHERE claim_id IS NOT NULL;
CREATE INDEX verification_by_customer ON verification (customer_id) WHERE customer_id IS NOT NULL;

CREATE TABLE verification_photo (
    id              BLOB PRIMARY KEY NOT NULL,
    verification_id BLOB NOT NULL REFERENCES verification (id),
    round           BIGINT NOT NULL,
    name            TEXT NOT NULL,
    media_type      TEXT NOT NULL,
    size            BIGINT NOT NULL,
    -- Of the file as it was sent.
    sha256          TEXT NOT NULL,
    created_at      BIGINT NOT NULL,
    delete_after    BIGINT NOT NULL,
    deleted_at      BIGINT
);
CREATE INDEX verification_photo_of ON verification_photo (verification_id, created_at);
CREATE INDEX verification_photo_by_content ON verification_photo (sha256);
CREATE INDEX verification_photo_to_delete ON verification_photo (delete_after) WHERE deleted_at IS NULL;

-- What was accepted and is not requested from the same customer again: a card by its digest, an identity by none. The
-- customer is a keyed digest of the account or of the email address.
CREATE TABLE passed_verification (
    kind            TEXT NOT NULL CHECK (kind IN ('card', 'identity')),
    card_digest     TEXT NOT NULL,
    customer_digest TEXT NOT NULL,
    verification_id BLOB NOT NULL REFERENCES verification (id),
    verified_at     BIGINT NOT NULL,
    PRIMARY KEY (kind, card_digest, customer_digest)
);


-- Payments

CREATE TABLE payment_route (
    currency_id   BIGINT PRIMARY KEY NOT NULL REFERENCES currency (id),
    -- The plugin that watches the network and sends payouts.
    driver        TEXT NOT NULL,
    -- Whether customers are given its addresses.
    enabled       BOOLEAN NOT NULL,
    confirmations BIGINT NOT NULL CHECK (confirmations BETWEEN 1 AND 1000),
    -- A payment that differs by this much at most is taken for the agreed one.
    tolerance     BIGINT NOT NULL CHECK (tolerance >= 0),
    -- Smaller movements are ignored.
    dust          BIGINT NOT NULL CHECK (dust >= 0),
    -- The screening plugin.
    screening     TEXT,
    -- Automatic payouts: on or off, limit per payout and per day.
    auto_payout   BOOLEAN NOT NULL,
    claim_limit   BIGINT NOT NULL CHECK (claim_limit >= 0),
    day_limit     BIGINT NOT NULL CHECK (day_limit >= 0),
    -- How much left on a day, numbered from 1970-01-01 UTC.
    spent_day     BIGINT NOT NULL,
    spent_units   BIGINT NOT NULL CHECK (spent_units >= 0),
    -- The driver's cursor.
    cursor        TEXT,
    height        BIGINT,
    polled_at     BIGINT,
    fault         TEXT,
    fault_at      BIGINT,
    revision      BIGINT NOT NULL,
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL
);

-- Pre-generated addresses and those assigned to claims. An address is assigned once.
CREATE TABLE payment_address (
    id          INTEGER PRIMARY KEY NOT NULL,
    currency_id BIGINT NOT NULL REFERENCES currency (id),
    driver      TEXT NOT NULL,
    -- The key of the request to the driver.
    request_key TEXT NOT NULL UNIQUE,
    address     TEXT NOT NULL,
    memo        TEXT NOT NULL,
    claim_id    BLOB UNIQUE REFERENCES claim (id),
    assigned_at BIGINT,
    created_at  BIGINT NOT NULL,
    UNIQUE (currency_id, address, memo)
);
CREATE INDEX payment_address_ready ON payment_address (currency_id, id) WHERE claim_id IS NULL;

-- Claims whose driver is asked for an invoice. The row goes when the claim has it or no longer needs it.
CREATE TABLE payment_invoice (
    claim_id     BLOB PRIMARY KEY NOT NULL REFERENCES claim (id),
    currency_id  BIGINT NOT NULL REFERENCES currency (id),
    driver       TEXT NOT NULL,
    driver_calls BIGINT NOT NULL,
    next_call_at BIGINT NOT NULL
);
CREATE INDEX payment_invoice_due ON payment_invoice (next_call_at);

-- Claims whose payments are watched. A changed counter triggers processing.
CREATE TABLE payment_watch (
    claim_id   BLOB PRIMARY KEY NOT NULL REFERENCES claim (id),
    changed    BIGINT NOT NULL,
    processed  BIGINT NOT NULL,
    -- When to process it even without a change.
    process_after BIGINT
);
CREATE INDEX payment_watch_changed ON payment_watch (claim_id) WHERE changed > processed;
CREATE INDEX payment_watch_due ON payment_watch (process_after) WHERE process_after IS NOT NULL;

-- Incoming payments. A movement belongs to at most one claim, permanently.
CREATE TABLE payment_movement (
    id            INTEGER PRIMARY KEY NOT NULL,
    currency_id   BIGINT NOT NULL REFERENCES currency (id),
    tx_id         TEXT NOT NULL,
    output        BIGINT NOT NULL,
    address       TEXT NOT NULL,
    memo          TEXT NOT NULL,
    units         BIGINT NOT NULL CHECK (units >= 0),
    confirmations BIGINT NOT NULL CHECK (confirmations >= 0),
    -- When it was reorganised out of the network's history.
    gone_at       BIGINT,
    claim_id      BLOB REFERENCES claim (id),
    -- Whether it is booked to the claim.
    booked        BOOLEAN NOT NULL,
    -- Why it needs attention, since when, and whether it was resolved.
    issue         TEXT,
    issue_at      BIGINT,
    resolved_by    TEXT,
    -- Screening result.
    screening     TEXT NOT NULL CHECK (screening IN ('none', 'pending', 'low', 'high', 'held')),
    report        TEXT,
    screen_after  BIGINT,
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL,
    -- The transaction id as its network compares ids: the same movement is stored once.
    tx_key        TEXT,
    UNIQUE (currency_id, tx_id, output)
);
CREATE INDEX payment_movement_by_claim ON payment_movement (claim_id) WHERE claim_id IS NOT NULL;
CREATE INDEX payment_movement_issues ON payment_movement (issue_at) WHERE issue IS NOT NULL;
CREATE INDEX payment_movement_to_screen ON payment_movement (screen_after) WHERE screening = 'pending';
CREATE UNIQUE INDEX payment_movement_once ON payment_movement (currency_id, tx_key, output);

-- Payout attempts, each stored before the driver is called.
CREATE TABLE payment_attempt (
    -- The driver's idempotency key: the claim and its revision.
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
    -- The last error, for staff.
    fault         TEXT,
    -- The day whose limit it counts against.
    day           BIGINT NOT NULL,
    driver_calls  BIGINT NOT NULL,
    requested_at  BIGINT,
    next_call_at  BIGINT NOT NULL,
    -- The staff member who sent it, if any.
    staff_id      BLOB,
    staff_name    TEXT,
    staff_role    TEXT,
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL,
    -- When the payout was booked. NULL for one the ledger did not expect.
    booked_at     BIGINT
);
CREATE UNIQUE INDEX payment_attempt_once ON payment_attempt (claim_id, kind)
    WHERE state IN ('queued', 'sending', 'sent', 'unknown', 'confirmed');
CREATE INDEX payment_attempt_by_claim ON payment_attempt (claim_id, created_at);
CREATE INDEX payment_attempt_open ON payment_attempt (next_call_at)
    WHERE state IN ('queued', 'sending', 'sent', 'unknown');
CREATE INDEX payment_attempt_failed ON payment_attempt (updated_at)
    WHERE state IN ('unknown', 'never_sent', 'returned');
CREATE INDEX payment_attempt_by_age ON payment_attempt (created_at);


-- Discounts and promo codes

-- The tier table as a whole: its revision and the ticker of its amounts. While the base currency is
-- another one, tiers give nothing.
CREATE TABLE discount_scale (
    id       BIGINT PRIMARY KEY NOT NULL CHECK (id = 1),
    revision BIGINT NOT NULL CHECK (revision > 0),
    ticker   TEXT
);

-- The bonus from this volume on: millionths of the base currency, basis points.
CREATE TABLE discount_tier (
    min_units  BIGINT PRIMARY KEY NOT NULL CHECK (min_units > 0),
    percent_bps BIGINT NOT NULL CHECK (percent_bps > 0 AND percent_bps <= 5000)
);

-- Completed exchanges and their value at that time. One without a known value waits for it.
CREATE TABLE discount_exchange (
    claim_id    BLOB PRIMARY KEY NOT NULL,
    -- Whose volume it counts for: an account, or a guest's e-mail address.
    identity       TEXT NOT NULL,
    customer_id BLOB,
    email       TEXT NOT NULL,
    currency_id BIGINT NOT NULL,
    give_units  BIGINT NOT NULL CHECK (give_units >= 0),
    give_scale  BIGINT NOT NULL,
    state       TEXT NOT NULL CHECK (state IN ('waiting', 'counted', 'undone')),
    -- Millionths of the base currency, and its ticker.
    units       BIGINT CHECK (units >= 0),
    ticker      TEXT,
    done_at     BIGINT NOT NULL,
    CHECK (state <> 'counted' OR (units IS NOT NULL AND ticker IS NOT NULL))
);
CREATE INDEX discount_exchange_waiting ON discount_exchange (done_at) WHERE state = 'waiting';
CREATE INDEX discount_exchange_by_ticker ON discount_exchange (ticker) WHERE state = 'counted';

-- Counted volume per customer.
CREATE TABLE discount_volume (
    identity       TEXT NOT NULL,
    ticker      TEXT NOT NULL,
    customer_id BLOB,
    email       TEXT NOT NULL,
    units       BIGINT NOT NULL CHECK (units >= 0),
    exchanges   BIGINT NOT NULL CHECK (exchanges >= 0),
    updated_at  BIGINT NOT NULL,
    PRIMARY KEY (identity, ticker)
);
CREATE INDEX discount_volume_by_size ON discount_volume (ticker, units, identity);
CREATE INDEX discount_volume_by_email ON discount_volume (email);

-- Promo codes, in upper case.
CREATE TABLE promo_code (
    code         TEXT PRIMARY KEY NOT NULL,
    percent_bps   BIGINT NOT NULL CHECK (percent_bps > 0 AND percent_bps <= 5000),
    -- Uses allowed in all and per customer; NULL is unlimited.
    uses_max     BIGINT CHECK (uses_max > 0),
    per_customer BIGINT CHECK (per_customer > 0),
    uses         BIGINT NOT NULL CHECK (uses >= 0),
    -- The smallest claim it applies to, in millionths of the currency with this ticker.
    min_units  BIGINT CHECK (min_units > 0),
    min_ticker TEXT,
    starts_at    BIGINT NOT NULL,
    ends_at      BIGINT,
    note         TEXT NOT NULL,
    created_at   BIGINT NOT NULL,
    created_by   BLOB NOT NULL,
    created_name TEXT NOT NULL,
    stopped_at   BIGINT,
    CHECK (uses_max IS NULL OR uses <= uses_max),
    CHECK (ends_at IS NULL OR ends_at > starts_at),
    CHECK ((min_units IS NULL) = (min_ticker IS NULL))
);
CREATE INDEX promo_code_by_time ON promo_code (created_at, code);

-- Claims that use a code. One that ended without an exchange returned it.
CREATE TABLE promo_use (
    claim_id     BLOB PRIMARY KEY NOT NULL,
    claim_number BIGINT NOT NULL,
    code         TEXT NOT NULL REFERENCES promo_code (code),
    customer_id  BLOB,
    email        TEXT NOT NULL,
    redeemed_at     BIGINT NOT NULL,
    released_at  BIGINT,
    -- What identifies a customer who uses a code again: the normalised mailbox, and digests of the browser and of the
    -- payout details.
    mailbox      TEXT,
    browser      TEXT,
    payout       TEXT
);
CREATE INDEX promo_use_by_code ON promo_use (code, redeemed_at, claim_id);
CREATE INDEX promo_use_by_customer ON promo_use (code, customer_id) WHERE customer_id IS NOT NULL;
CREATE INDEX promo_use_by_mailbox ON promo_use (code, mailbox);
CREATE INDEX promo_use_by_browser ON promo_use (code, browser) WHERE browser IS NOT NULL;
CREATE INDEX promo_use_by_payout ON promo_use (code, payout) WHERE payout IS NOT NULL;


-- Referral plan

-- Referral plans. The default applies to everybody without a plan of their own.
CREATE TABLE referral_plan (
    id         BLOB PRIMARY KEY NOT NULL,
    name       TEXT NOT NULL UNIQUE,
    is_default BOOLEAN NOT NULL,
    -- The current version of its terms.
    revision   BIGINT NOT NULL
);
CREATE UNIQUE INDEX referral_plan_default ON referral_plan (is_default) WHERE is_default;

-- Every version of the terms; commissions name theirs.
CREATE TABLE referral_terms (
    plan_id   BLOB NOT NULL REFERENCES referral_plan (id),
    revision       BIGINT NOT NULL,
    kind           TEXT NOT NULL CHECK (kind IN ('profit', 'amount')),
    -- JSON: percent by referred volume in the base currency.
    tiers          TEXT NOT NULL,
    -- In the base currency; a smaller commission is not earned.
    min_commission    TEXT NOT NULL,
    hold_hours     BIGINT NOT NULL CHECK (hold_hours >= 0),
    -- In the currency of the balance.
    withdrawal_min TEXT NOT NULL,
    changed_at     BIGINT NOT NULL,
    changed_by     BLOB,
    changed_name   TEXT,
    PRIMARY KEY (plan_id, revision)
);
CREATE TRIGGER referral_terms_are_never_changed BEFORE UPDATE ON referral_terms
BEGIN
    SELECT RAISE(ABORT, 'terms are never changed');
END;
CREATE TRIGGER referral_terms_are_never_deleted BEFORE DELETE ON referral_terms
BEGIN
    SELECT RAISE(ABORT, 'terms are never deleted');
END;

-- Accounts that requested a referral link.
CREATE TABLE referral_referrer (
    customer_id  BLOB PRIMARY KEY NOT NULL,
    code         TEXT NOT NULL UNIQUE,
    email        TEXT NOT NULL,
    plan_id BLOB REFERENCES referral_plan (id),
    -- The currency of the balance, for good once there is one.
    currency_id  BIGINT,
    -- Referred volume, in ten-thousandths of the base currency.
    volume       BIGINT NOT NULL DEFAULT 0,
    -- Reversed commissions that were already withdrawn, in units; set off against the next ones.
    debt         BIGINT NOT NULL DEFAULT 0 CHECK (debt >= 0),
    -- Incremented first by every movement of the referrer's money, which locks the row.
    revision     BIGINT NOT NULL DEFAULT 1,
    created_at   BIGINT NOT NULL
);
CREATE INDEX referral_referrer_by_age ON referral_referrer (created_at, customer_id);
CREATE INDEX referral_referrer_by_email ON referral_referrer (email);

-- Referral attribution: the first one is permanent. An identity is an account or an e-mail address.
CREATE TABLE referral_attribution (
    identity    TEXT PRIMARY KEY NOT NULL,
    referrer_id BLOB NOT NULL REFERENCES referral_referrer (customer_id),
    customer_id BLOB,
    email       TEXT NOT NULL,
    created_at  BIGINT NOT NULL
);
CREATE INDEX referral_attribution_of ON referral_attribution (referrer_id, created_at);

-- Browsers and network addresses of a referrer, as digests, to flag self-referral.
CREATE TABLE referral_trace (
    referrer_id BLOB NOT NULL REFERENCES referral_referrer (customer_id),
    digest      TEXT NOT NULL,
    seen_at     BIGINT NOT NULL,
    PRIMARY KEY (referrer_id, digest)
);
CREATE INDEX referral_trace_by_age ON referral_trace (seen_at);

-- Visits by a link per day, counted from 1970-01-01 UTC.
CREATE TABLE referral_visit (
    referrer_id BLOB NOT NULL REFERENCES referral_referrer (customer_id),
    day         BIGINT NOT NULL,
    visits      BIGINT NOT NULL,
    PRIMARY KEY (referrer_id, day)
);

-- Visits counted per network, so that they are bounded. The digest is keyed and of one day; the row is
-- deleted soon after.
CREATE TABLE referral_visitor (
    day         BIGINT NOT NULL,
    digest      TEXT NOT NULL,
    referrer_id BLOB NOT NULL,
    visits      BIGINT NOT NULL,
    PRIMARY KEY (day, digest, referrer_id)
);

-- A referrer's commission for one exchange.
CREATE TABLE referral_commission (
    id           BLOB PRIMARY KEY NOT NULL,
    referrer_id  BLOB NOT NULL REFERENCES referral_referrer (customer_id),
    claim_id     BLOB NOT NULL,
    claim_number BIGINT NOT NULL,
    -- The referred customer.
    customer_id  BLOB,
    email        TEXT NOT NULL,
    state        TEXT NOT NULL CHECK (state IN ('review', 'unpriced', 'held', 'available', 'none', 'refused', 'reversed')),
    -- Codes of suspected self-referral, for review.
    flags        TEXT NOT NULL,
    -- Why there is no price or no commission: a code.
    reason       TEXT,
    comment      TEXT,
    plan_id BLOB NOT NULL,
    terms        BIGINT NOT NULL,
    kind         TEXT NOT NULL CHECK (kind IN ('profit', 'amount')),
    percent      TEXT NOT NULL,
    -- The base of the commission, in units of a currency.
    of_currency  BIGINT NOT NULL,
    of_units     BIGINT NOT NULL,
    of_scale     BIGINT NOT NULL,
    -- The exchange's part of the referred volume, in ten-thousandths of the base currency, and whether it is counted.
    volume       BIGINT NOT NULL,
    is_counted   BOOLEAN NOT NULL,
    currency_id  BIGINT,
    scale        BIGINT NOT NULL,
    units        BIGINT NOT NULL CHECK (units >= 0),
    -- When a pending commission becomes available.
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
CREATE UNIQUE INDEX referral_commission_of_claim ON referral_commission (claim_id) WHERE state <> 'reversed';
CREATE INDEX referral_commission_of ON referral_commission (referrer_id, created_at, id);
CREATE INDEX referral_commission_by_day ON referral_commission (referrer_id, day);
CREATE INDEX referral_commission_due ON referral_commission (available_at) WHERE state = 'held';
CREATE INDEX referral_commission_by_age ON referral_commission (created_at, id);
CREATE INDEX referral_commission_open ON referral_commission (created_at, id) WHERE state IN ('review', 'unpriced');

-- Withdrawals of commissions.
CREATE TABLE referral_withdrawal (
    id            BLOB PRIMARY KEY NOT NULL,
    referrer_id   BLOB NOT NULL REFERENCES referral_referrer (customer_id),
    email         TEXT NOT NULL,
    locale        TEXT NOT NULL CHECK (locale IN ('ru', 'en')),
    state         TEXT NOT NULL CHECK (state IN ('requested', 'approved', 'paid', 'refused')),
    -- Of the balance, and what is paid out: the same amount of the same asset, possibly over another network.
    currency_id   BIGINT NOT NULL,
    scale         BIGINT NOT NULL,
    units         BIGINT NOT NULL CHECK (units > 0),
    payout_id     BIGINT NOT NULL,
    payout_code   TEXT NOT NULL,
    payout_scale  BIGINT NOT NULL,
    payout_units  BIGINT NOT NULL CHECK (payout_units > 0),
    -- Payout details, as JSON.
    requisites    TEXT NOT NULL,
    reason        TEXT,
    tx            TEXT,
    approved_by   BLOB,
    approved_name TEXT,
    decided_by    BLOB,
    decided_name  TEXT,
    revision      BIGINT NOT NULL,
    created_at    BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL,
    CHECK ((state = 'paid') = (tx IS NOT NULL)),
    CHECK ((state = 'refused') = (reason IS NOT NULL))
);
CREATE INDEX referral_withdrawal_of ON referral_withdrawal (referrer_id, created_at, id);
CREATE INDEX referral_withdrawal_by_age ON referral_withdrawal (created_at, id);
CREATE INDEX referral_withdrawal_open ON referral_withdrawal (created_at, id)
    WHERE state IN ('requested', 'approved');


-- Partners

CREATE TABLE partner (
    id                 BLOB PRIMARY KEY NOT NULL,
    name               TEXT NOT NULL,
    email              TEXT NOT NULL,
    enabled            BOOLEAN NOT NULL,
    -- The default webhook address; empty for none.
    callback_url       TEXT NOT NULL,
    -- The webhook secret, sealed.
    webhook_secret     TEXT NOT NULL,
    revision           BIGINT NOT NULL,
    created_at         BIGINT NOT NULL,
    updated_at         BIGINT NOT NULL,
    -- The requesting account with its confirmed address, its site, and the language of its emails. Partners added
    -- by staff have no account.
    customer_id        BLOB,
    customer_email     TEXT,
    site               TEXT NOT NULL DEFAULT '',
    locale             TEXT NOT NULL DEFAULT 'ru' CHECK (locale IN ('ru', 'en')),
    -- Live keys work while the partner is approved, sandbox keys at once.
    status           TEXT NOT NULL DEFAULT 'approved' CHECK (status IN ('requested', 'approved', 'declined')),
    -- Why it was declined, as text for the customer.
    reason             TEXT,
    -- The commission on completed claims: a percentage of the profit or of the amount.
    commission_kind    TEXT NOT NULL DEFAULT 'profit' CHECK (commission_kind IN ('profit', 'amount')),
    commission_percent TEXT NOT NULL DEFAULT '0',
    -- Incremented first by every movement of the partner's money, which locks the row.
    moves              BIGINT NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX partner_of_customer ON partner (customer_id) WHERE customer_id IS NOT NULL;

CREATE TABLE partner_key (
    id         BLOB PRIMARY KEY NOT NULL,
    partner_id BLOB NOT NULL REFERENCES partner (id),
    -- The public key id.
    name       TEXT NOT NULL UNIQUE,
    title      TEXT NOT NULL,
    -- Whether it makes sandbox claims, which move no money.
    sandbox    BOOLEAN NOT NULL,
    -- Scopes and allowed networks, separated by spaces. No network: any.
    scopes     TEXT NOT NULL,
    networks   TEXT NOT NULL,
    per_minute BIGINT NOT NULL CHECK (per_minute BETWEEN 1 AND 6000),
    -- The signing secret, sealed: the server computes the same signature.
    secret     TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    revoked_at BIGINT
);
CREATE INDEX partner_key_by_partner ON partner_key (partner_id, created_at);

-- Nonces of calls whose signature is still valid. The primary key makes each single-use.
CREATE TABLE partner_nonce (
    key_id     BLOB NOT NULL,
    nonce      TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (key_id, nonce)
);
CREATE INDEX partner_nonce_by_time ON partner_nonce (expires_at);

-- Sandbox claims: they move no money and are in no ledger.
CREATE TABLE partner_sandbox_claim (
    id         BLOB PRIMARY KEY NOT NULL,
    partner_id BLOB NOT NULL REFERENCES partner (id),
    number     BIGINT NOT NULL,
    reference  TEXT,
    callback   TEXT,
    position   TEXT NOT NULL,
    -- The claim as published, JSON.
    claim      TEXT NOT NULL,
    revision   BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    UNIQUE (partner_id, number)
);
CREATE UNIQUE INDEX partner_sandbox_claim_by_ref ON partner_sandbox_claim (partner_id, reference) WHERE reference IS NOT NULL;
CREATE INDEX partner_sandbox_claim_by_time ON partner_sandbox_claim (updated_at);

-- A partner's commission for one claim, in the currency it is a share of.
CREATE TABLE partner_commission (
    id           BLOB PRIMARY KEY NOT NULL,
    partner_id   BLOB NOT NULL REFERENCES partner (id),
    claim_id     BLOB NOT NULL,
    claim_number BIGINT NOT NULL,
    state        TEXT NOT NULL CHECK (state IN ('accrued', 'reversed')),
    kind         TEXT NOT NULL CHECK (kind IN ('profit', 'amount')),
    percent      TEXT NOT NULL,
    currency_id  BIGINT NOT NULL,
    scale        BIGINT NOT NULL,
    -- The base of the commission, and the commission.
    of_units     BIGINT NOT NULL CHECK (of_units > 0),
    units        BIGINT NOT NULL CHECK (units > 0),
    -- The part set off against a debt, and the part already paid out when it was reversed.
    set_off      BIGINT NOT NULL CHECK (set_off >= 0 AND set_off <= units),
    short        BIGINT NOT NULL CHECK (short >= 0 AND short <= units),
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL,
    CHECK (state = 'reversed' OR short = 0)
);
CREATE UNIQUE INDEX partner_commission_of_claim ON partner_commission (claim_id) WHERE state <> 'reversed';
CREATE INDEX partner_commission_of ON partner_commission (partner_id, currency_id);

-- Payouts of partners' balances.
CREATE TABLE partner_payout (
    id          BLOB PRIMARY KEY NOT NULL,
    partner_id  BLOB NOT NULL REFERENCES partner (id),
    currency_id BIGINT NOT NULL,
    scale       BIGINT NOT NULL,
    units       BIGINT NOT NULL CHECK (units > 0),
    -- The transaction it was paid by.
    tx          TEXT NOT NULL,
    paid_by     BLOB NOT NULL,
    paid_name   TEXT NOT NULL,
    created_at  BIGINT NOT NULL
);
CREATE INDEX partner_payout_of ON partner_payout (partner_id, created_at, id);

-- Calls per key and minute or day, counted from 1970-01-01 UTC. Minutes enforce the limit over all nodes and are
-- soon deleted; days are statistics for the partner.
CREATE TABLE partner_minute (
    key_id BLOB NOT NULL,
    minute BIGINT NOT NULL,
    calls  BIGINT NOT NULL,
    PRIMARY KEY (key_id, minute)
);
CREATE INDEX partner_minute_by_time ON partner_minute (minute);

CREATE TABLE partner_day (
    key_id BLOB NOT NULL,
    day    BIGINT NOT NULL,
    calls  BIGINT NOT NULL,
    PRIMARY KEY (key_id, day)
);
CREATE INDEX partner_day_by_time ON partner_day (day);

CREATE TABLE partner_trustee_order (
    -- The claim or sandbox claim; the order shares its identifier.
    claim_id    BLOB PRIMARY KEY NOT NULL,
    partner_id  BLOB NOT NULL REFERENCES partner (id),
    key_id      BLOB NOT NULL REFERENCES partner_key (id),
    -- A digest of the request and its ordinal: the contract has no reference of the wallet's own.
    fingerprint TEXT NOT NULL,
    turn        BIGINT NOT NULL CHECK (turn >= 0),
    sandbox     BOOLEAN NOT NULL,
    -- The request, JSON: the contract repeats it in answers.
    request     TEXT NOT NULL,
    -- The fixed fees of that time.
    fee_from    TEXT NOT NULL,
    fee_to      TEXT NOT NULL,
    created_at  BIGINT NOT NULL,
    UNIQUE (key_id, fingerprint, turn)
);
CREATE INDEX partner_trustee_order_sandbox ON partner_trustee_order (created_at) WHERE sandbox;


-- Feeds

CREATE TABLE aggregator (
    id         BLOB PRIMARY KEY NOT NULL,
    -- Its part of the feed's path.
    slug       TEXT NOT NULL UNIQUE CHECK (length(slug) BETWEEN 3 AND 40),
    name       TEXT NOT NULL,
    enabled    BOOLEAN NOT NULL,
    -- Marks of all its entries, separated by commas.
    marks      TEXT NOT NULL,
    -- Its own codes by the identifiers of currencies: JSON.
    codes      TEXT NOT NULL,
    revision   BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

-- Directions with their own feed settings: not listed, or with their own marks.
CREATE TABLE feed_direction (
    give_id    BIGINT NOT NULL REFERENCES currency (id),
    receive_id      BIGINT NOT NULL REFERENCES currency (id),
    listed     BOOLEAN NOT NULL,
    marks      TEXT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (give_id, receive_id),
    CHECK (give_id <> receive_id)
);


-- Contests

CREATE TABLE contest (
    id               BLOB PRIMARY KEY NOT NULL,
    state            TEXT NOT NULL CHECK (state IN ('planned', 'running', 'closed', 'drawn', 'paid', 'cancelled')),
    title_ru         TEXT NOT NULL,
    title_en         TEXT NOT NULL,
    rules_ru         TEXT NOT NULL,
    rules_en         TEXT NOT NULL,
    starts_at        BIGINT NOT NULL,
    ends_at          BIGINT NOT NULL,
    -- When the public randomness may be taken: after the list is fixed.
    public_at        BIGINT NOT NULL,
    -- One ticket per this much of the base currency; NULL: one per exchange.
    volume_per_ticket TEXT,
    max_tickets      BIGINT NOT NULL CHECK (max_tickets BETWEEN 1 AND 1000000),
    -- The source of public randomness, named before the period begins.
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
    -- Number of entries; incrementing it locks the row, so that nobody enters a list that is being fixed.
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
    contest_id  BLOB NOT NULL REFERENCES contest (id),
    place       BIGINT NOT NULL CHECK (place >= 1),
    currency_id BIGINT NOT NULL REFERENCES currency (id),
    units       BIGINT NOT NULL CHECK (units > 0),
    PRIMARY KEY (contest_id, place)
);

CREATE TABLE contest_entry (
    id           BLOB PRIMARY KEY NOT NULL,
    contest_id   BLOB NOT NULL REFERENCES contest (id),
    claim_id     BLOB NOT NULL,
    claim_number BIGINT NOT NULL,
    -- The entrant as a keyed digest: equal for all entries of an address in one contest.
    person       TEXT NOT NULL,
    email        TEXT NOT NULL,
    locale       TEXT NOT NULL CHECK (locale IN ('ru', 'en')),
    -- The entrant's public name.
    name         TEXT NOT NULL,
    weight       BIGINT NOT NULL CHECK (weight BETWEEN 1 AND 1000000),
    -- When the exchange was reversed.
    voided_at    BIGINT,
    created_at   BIGINT NOT NULL,
    UNIQUE (contest_id, claim_id),
    UNIQUE (contest_id, claim_number)
);
CREATE INDEX contest_entry_by_claim ON contest_entry (claim_id);

CREATE TABLE contest_winner (
    id          BLOB PRIMARY KEY NOT NULL,
    contest_id  BLOB NOT NULL REFERENCES contest (id),
    place       BIGINT NOT NULL,
    entry_id    BLOB NOT NULL UNIQUE REFERENCES contest_entry (id),
    currency_id BIGINT NOT NULL REFERENCES currency (id),
    units       BIGINT NOT NULL CHECK (units > 0),
    paid_at     BIGINT,
    paid_name   TEXT,
    note        TEXT,
    UNIQUE (contest_id, place),
    CHECK ((paid_at IS NULL) = (paid_name IS NULL))
);


-- Content

-- Published versions of a page, both languages at once. Claims refer to versions of the rules, so rows are immutable.
CREATE TABLE content_version (
    page           TEXT NOT NULL CHECK (page IN ('aml', 'faq', 'rules', 'contacts', 'partners', 'discounts', 'contest')),
    version        BIGINT NOT NULL CHECK (version > 0),
    -- The editor's note for staff.
    note           TEXT NOT NULL,
    -- The languages whose text differs from the version before, as in 'ru en'.
    changed        TEXT NOT NULL,
    -- NULL for the texts that are shipped.
    published_by   BLOB,
    published_name TEXT NOT NULL,
    published_at   BIGINT NOT NULL,
    PRIMARY KEY (page, version)
);
CREATE TRIGGER content_version_is_never_changed BEFORE UPDATE ON content_version
BEGIN
    SELECT RAISE(ABORT, 'content_version is append-only');
END;
CREATE TRIGGER content_version_is_never_deleted BEFORE DELETE ON content_version
BEGIN
    SELECT RAISE(ABORT, 'content_version is append-only');
END;

CREATE TABLE content_text (
    page        TEXT NOT NULL,
    version     BIGINT NOT NULL,
    locale      TEXT NOT NULL CHECK (locale IN ('ru', 'en')),
    title       TEXT NOT NULL CHECK (title <> ''),
    description TEXT NOT NULL,
    markdown    TEXT NOT NULL,
    PRIMARY KEY (page, version, locale),
    FOREIGN KEY (page, version) REFERENCES content_version (page, version)
);
CREATE TRIGGER content_text_is_never_changed BEFORE UPDATE ON content_text
BEGIN
    SELECT RAISE(ABORT, 'content_text is append-only');
END;
CREATE TRIGGER content_text_is_never_deleted BEFORE DELETE ON content_text
BEGIN
    SELECT RAISE(ABORT, 'content_text is append-only');
END;

-- Messages to support, deleted when their retention ends.
CREATE TABLE contact_message (
    id          BLOB PRIMARY KEY NOT NULL,
    -- Empty if not given.
    name        TEXT NOT NULL,
    email       TEXT NOT NULL,
    message     TEXT NOT NULL CHECK (message <> ''),
    locale      TEXT NOT NULL CHECK (locale IN ('ru', 'en')),
    -- The signed-in account, if any.
    customer_id BLOB,
    -- The sender's network, as a keyed digest, for rate limiting only.
    network   TEXT NOT NULL,
    created_at  BIGINT NOT NULL
);
CREATE INDEX contact_message_by_time ON contact_message (created_at, id);
CREATE INDEX contact_message_by_network ON contact_message (network, created_at);


-- Reviews

-- One for each completed exchange, which its customer may fill in.
CREATE TABLE review (
    id           BLOB PRIMARY KEY NOT NULL,
    claim_id     BLOB NOT NULL UNIQUE,
    claim_number BIGINT NOT NULL,
    state        TEXT NOT NULL CHECK (state IN ('unwritten', 'pending', 'published', 'rejected')),
    -- Incremented by every change.
    revision     BIGINT NOT NULL,
    -- Tickers of the exchange.
    give         TEXT NOT NULL,
    receive      TEXT NOT NULL,
    exchanged_at BIGINT NOT NULL,
    -- While the completion is taken back, nobody sees the review.
    reversed_at  BIGINT,
    -- 0 while unwritten.
    rating       BIGINT NOT NULL CHECK (rating BETWEEN 0 AND 5 AND (rating = 0) = (state = 'unwritten')),
    body         TEXT NOT NULL,
    -- Empty for none.
    name         TEXT NOT NULL,
    locale       TEXT NOT NULL CHECK (locale IN ('ru', 'en')),
    written_at   BIGINT,
    -- The public answer; empty for none.
    reply        TEXT NOT NULL,
    -- Why it was rejected; empty for none.
    reason       TEXT NOT NULL,
    -- Name of the staff member who acted last; empty for none.
    moderated_by TEXT NOT NULL,
    moderated_at BIGINT
);
CREATE INDEX review_by_state ON review (state, written_at, id);


-- Brand

-- One row.
CREATE TABLE brand (
    id       BIGINT PRIMARY KEY NOT NULL CHECK (id = 1),
    -- Changes with the files as well.
    revision BIGINT NOT NULL,
    -- JSON.
    content  TEXT NOT NULL
);
INSERT INTO brand (id, revision, content) VALUES (1, 1, '{}');

CREATE TABLE brand_file (
    name       TEXT PRIMARY KEY NOT NULL,
    kind       TEXT NOT NULL CHECK (kind IN ('logo', 'icon', 'card')),
    media_type TEXT NOT NULL,
    digest     TEXT NOT NULL,
    content    BLOB NOT NULL CHECK (length(content) <= 524288)
);


-- Plugins

CREATE TABLE plugin (
    name       TEXT PRIMARY KEY NOT NULL CHECK (length(name) BETWEEN 1 AND 40),
    enabled    BOOLEAN NOT NULL,
    -- Settings by name: JSON. Secrets are sealed.
    settings   TEXT NOT NULL,
    revision   BIGINT NOT NULL,
    changed_at BIGINT NOT NULL
);

CREATE TABLE plugin_value (
    plugin    TEXT NOT NULL,
    name      TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 64),
    value     TEXT NOT NULL,
    stored_at BIGINT NOT NULL,
    PRIMARY KEY (plugin, name)
);


-- Rows every installation starts with

INSERT INTO storage_probe (mark) VALUES (0);
INSERT INTO ledger_checkpoint (position) VALUES (0);
-- 64 chains, more than a database has connections, so that writers seldom wait for each other.
INSERT INTO audit_chain (chain, number, digest)
    WITH RECURSIVE numbered (chain) AS (VALUES (0) UNION ALL SELECT chain + 1 FROM numbered WHERE chain < 63)
    SELECT chain, 0, '' FROM numbered;
-- The first claim is number 100001: easy to say, and it does not reveal how young the exchange is.
INSERT INTO sqlite_sequence (name, seq) VALUES ('claim', 100000);
INSERT INTO aggregation_cycle (id, number, at) VALUES (1, 0, 0);
INSERT INTO discount_scale (id, revision, ticker) VALUES (1, 1, NULL);
INSERT INTO referral_plan (id, name, is_default, revision)
    VALUES (X'0f3c8a5e7b1d4e2a9c6d1b2a3f4e5d6c', 'Standard', TRUE, 1);
INSERT INTO referral_terms
    (plan_id, revision, kind, tiers, min_commission, hold_hours, withdrawal_min, changed_at)
    VALUES (X'0f3c8a5e7b1d4e2a9c6d1b2a3f4e5d6c', 1, 'profit',
        '[{"from":"0","percent":"20"},{"from":"10000","percent":"25"},{"from":"50000","percent":"30"}]',
        '0.01', 72, '10', 0);

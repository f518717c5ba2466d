-- The books. A transfer moves an amount of one currency from one account to another, so every batch sums to zero in
-- every currency by its very form; that both accounts are of that currency is a foreign key. Balances are kept by
-- a trigger and cannot drift from the transfers; accounts that must not go below zero have a check.

CREATE TABLE ledger_account (
    name            TEXT PRIMARY KEY NOT NULL,
    currency_id     BIGINT NOT NULL,
    balance         BIGINT NOT NULL DEFAULT 0,
    may_be_negative BOOLEAN NOT NULL,
    UNIQUE (name, currency_id),
    CHECK (may_be_negative OR balance >= 0),
    CHECK (typeof(balance) = 'integer')
);

CREATE TABLE ledger_transfer (
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
    PRIMARY KEY (batch_id, seq),
    CHECK (debit <> credit),
    FOREIGN KEY (debit, currency_id) REFERENCES ledger_account (name, currency_id),
    FOREIGN KEY (credit, currency_id) REFERENCES ledger_account (name, currency_id)
);
CREATE INDEX ledger_transfer_about ON ledger_transfer (about);
CREATE INDEX ledger_transfer_currency ON ledger_transfer (currency_id, created_at);

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
CREATE TRIGGER ledger_account_is_never_deleted BEFORE DELETE ON ledger_account
BEGIN
    SELECT RAISE(ABORT, 'ledger accounts are never deleted');
END;

-- Both sides of every transfer, as a bookkeeper reads them.
CREATE VIEW ledger_entry AS
    SELECT batch_id, seq, debit AS account, currency_id, -amount AS amount, reason, about, created_at FROM ledger_transfer
    UNION ALL
    SELECT batch_id, seq, credit AS account, currency_id, amount, reason, about, created_at FROM ledger_transfer;

-- A part of the reserve set aside: held, and then posted, released or expired, exactly one of them.
CREATE TABLE ledger_hold (
    id          BLOB PRIMARY KEY NOT NULL,
    currency_id BIGINT NOT NULL,
    amount      BIGINT NOT NULL CHECK (amount > 0),
    about       BLOB NOT NULL,
    state       TEXT NOT NULL CHECK (state IN ('held', 'posted', 'released', 'expired')),
    created_at  BIGINT NOT NULL,
    ended_at    BIGINT,
    CHECK ((state = 'held') = (ended_at IS NULL))
);
CREATE INDEX ledger_hold_open ON ledger_hold (currency_id) WHERE state = 'held';
CREATE INDEX ledger_hold_about ON ledger_hold (about);

CREATE TRIGGER ledger_hold_ends_once BEFORE UPDATE ON ledger_hold
WHEN OLD.state <> 'held' OR NEW.id <> OLD.id OR NEW.amount <> OLD.amount OR NEW.currency_id <> OLD.currency_id
BEGIN
    SELECT RAISE(ABORT, 'a hold ends once and is never changed');
END;
CREATE TRIGGER ledger_hold_is_never_deleted BEFORE DELETE ON ledger_hold
BEGIN
    SELECT RAISE(ABORT, 'holds are never deleted');
END;

-- The books. A transfer moves an amount of one currency from one account to another, so every batch sums to zero in
-- every currency by its very form; that both accounts are of that currency is a foreign key. Balances are kept by
-- a trigger and cannot drift from the transfers; accounts that must not go below zero have a check.

CREATE TABLE ledger_account (
    name            TEXT PRIMARY KEY NOT NULL,
    currency_id     BIGINT NOT NULL,
    balance         BIGINT NOT NULL DEFAULT 0,
    may_be_negative BOOLEAN NOT NULL,
    UNIQUE (name, currency_id),
    CHECK (may_be_negative OR balance >= 0)
);

CREATE TABLE ledger_transfer (
    batch_id    UUID NOT NULL,
    seq         BIGINT NOT NULL,
    currency_id BIGINT NOT NULL,
    debit       TEXT NOT NULL,
    credit      TEXT NOT NULL,
    amount      BIGINT NOT NULL CHECK (amount > 0),
    reason      TEXT NOT NULL,
    about       UUID NOT NULL,
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

-- The accounts are updated in the order of their names, so that two transfers that cross do not deadlock.
CREATE FUNCTION ledger_transfer_moves() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.debit < NEW.credit THEN
        UPDATE ledger_account SET balance = balance - NEW.amount WHERE name = NEW.debit;
        UPDATE ledger_account SET balance = balance + NEW.amount WHERE name = NEW.credit;
    ELSE
        UPDATE ledger_account SET balance = balance + NEW.amount WHERE name = NEW.credit;
        UPDATE ledger_account SET balance = balance - NEW.amount WHERE name = NEW.debit;
    END IF;
    RETURN NULL;
END;
$$;
CREATE TRIGGER ledger_transfer_moves AFTER INSERT ON ledger_transfer
    FOR EACH ROW EXECUTE FUNCTION ledger_transfer_moves();

CREATE FUNCTION ledger_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'check_violation';
END;
$$;
CREATE TRIGGER ledger_transfer_is_never_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_transfer
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_is_append_only();
CREATE TRIGGER ledger_account_is_never_deleted BEFORE DELETE OR TRUNCATE ON ledger_account
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_is_append_only();

-- Both sides of every transfer, as a bookkeeper reads them.
CREATE VIEW ledger_entry AS
    SELECT batch_id, seq, debit AS account, currency_id, -amount AS amount, reason, about, created_at FROM ledger_transfer
    UNION ALL
    SELECT batch_id, seq, credit AS account, currency_id, amount, reason, about, created_at FROM ledger_transfer;

-- A part of the reserve set aside: held, and then posted, released or expired, exactly one of them.
CREATE TABLE ledger_hold (
    id          UUID PRIMARY KEY NOT NULL,
    currency_id BIGINT NOT NULL,
    amount      BIGINT NOT NULL CHECK (amount > 0),
    about       UUID NOT NULL,
    state       TEXT NOT NULL CHECK (state IN ('held', 'posted', 'released', 'expired')),
    created_at  BIGINT NOT NULL,
    ended_at    BIGINT,
    CHECK ((state = 'held') = (ended_at IS NULL))
);
CREATE INDEX ledger_hold_open ON ledger_hold (currency_id) WHERE state = 'held';
CREATE INDEX ledger_hold_about ON ledger_hold (about);

CREATE FUNCTION ledger_hold_ends_once() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.state <> 'held' OR NEW.id <> OLD.id OR NEW.amount <> OLD.amount OR NEW.currency_id <> OLD.currency_id THEN
        RAISE EXCEPTION 'a hold ends once and is never changed' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END;
$$;
CREATE TRIGGER ledger_hold_ends_once BEFORE UPDATE ON ledger_hold
    FOR EACH ROW EXECUTE FUNCTION ledger_hold_ends_once();
CREATE TRIGGER ledger_hold_is_never_deleted BEFORE DELETE OR TRUNCATE ON ledger_hold
    FOR EACH STATEMENT EXECUTE FUNCTION ledger_is_append_only();

-- The accounts of a transfer are checked where their balances are changed. As foreign keys they were checked once more,
-- row by row, and each check locked a row that every claim wants. Accounts are never deleted.
ALTER TABLE ledger_transfer DROP CONSTRAINT ledger_transfer_debit_currency_id_fkey;
ALTER TABLE ledger_transfer DROP CONSTRAINT ledger_transfer_credit_currency_id_fkey;

-- The accounts are updated in the order of their names, so that transfers that cross do not deadlock.
CREATE OR REPLACE FUNCTION ledger_transfer_moves() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    change RECORD;
BEGIN
    FOR change IN
        SELECT side.account, side.currency_id, CAST(SUM(side.amount) AS BIGINT) AS amount
        FROM (SELECT debit AS account, currency_id, -amount AS amount FROM moved
            UNION ALL SELECT credit, currency_id, amount FROM moved) side
        GROUP BY side.account, side.currency_id ORDER BY side.account
    LOOP
        UPDATE ledger_account SET balance = balance + change.amount
            WHERE name = change.account AND currency_id = change.currency_id;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'no account % of currency %', change.account, change.currency_id
                USING ERRCODE = 'foreign_key_violation';
        END IF;
    END LOOP;
    RETURN NULL;
END
$$;

DROP TRIGGER ledger_account_is_never_deleted ON ledger_account;
CREATE TRIGGER ledger_account_is_never_deleted BEFORE DELETE OR TRUNCATE OR UPDATE OF name, currency_id ON ledger_account
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

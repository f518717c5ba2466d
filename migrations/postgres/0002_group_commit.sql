-- One statement stores the rows of many claims, so balances and heads of chains are changed once per statement.

-- The accounts are updated in the order of their names, so that transfers that cross do not deadlock.
CREATE OR REPLACE FUNCTION ledger_transfer_moves() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    change RECORD;
BEGIN
    FOR change IN
        SELECT side.account, CAST(SUM(side.amount) AS BIGINT) AS amount
        FROM (SELECT debit AS account, -amount AS amount FROM moved UNION ALL SELECT credit, amount FROM moved) side
        GROUP BY side.account ORDER BY side.account
    LOOP
        UPDATE ledger_account SET balance = balance + change.amount WHERE name = change.account;
    END LOOP;
    RETURN NULL;
END
$$;
DROP TRIGGER ledger_transfer_moves ON ledger_transfer;
CREATE TRIGGER ledger_transfer_moves AFTER INSERT ON ledger_transfer
    REFERENCING NEW TABLE AS moved FOR EACH STATEMENT EXECUTE FUNCTION ledger_transfer_moves();

-- The last of the entries is the head of its chain from the moment it is written.
CREATE OR REPLACE FUNCTION audit_is_head() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE audit_chain SET number = head.number, digest = head.digest
    FROM (SELECT DISTINCT ON (chain) chain, number, digest FROM written ORDER BY chain, number DESC) head
    WHERE audit_chain.chain = head.chain;
    RETURN NULL;
END;
$$;
DROP TRIGGER audit_is_head ON audit;
CREATE TRIGGER audit_is_head AFTER INSERT ON audit
    REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION audit_is_head();

-- What a claim's rows are checked for, compared value by value: SQLite makes a table of its own for every list of more than two
-- values, for each row that is written, and throws it away after.

DROP INDEX claim_unpaid_by_address;
CREATE INDEX claim_unpaid_by_address ON claim (address_digest)
    WHERE state = 'created' OR state = 'verification' OR state = 'awaiting_payment';

-- The same checks in other words. Nothing that is stored changes, so the tables need not be written anew: this is the way SQLite's
-- own documentation gives for such a change.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql,
        'state NOT IN (''completed'', ''refunded'', ''cancelled'', ''expired'', ''rejected'')',
        '(state <> ''completed'' AND state <> ''refunded'' AND state <> ''cancelled'' AND state <> ''expired'' AND state <> ''rejected'')')
    WHERE type = 'table' AND name = 'claim';
UPDATE sqlite_schema SET sql = replace(sql,
        'state IN (''held'', ''posted'', ''released'', ''expired'')',
        'state = ''held'' OR state = ''posted'' OR state = ''released'' OR state = ''expired''')
    WHERE type = 'table' AND name = 'ledger_hold';
UPDATE sqlite_schema SET sql = replace(sql,
        'actor_kind IN (''staff'', ''customer'', ''guest'', ''partner'', ''house'')',
        'actor_kind = ''staff'' OR actor_kind = ''customer'' OR actor_kind = ''guest'' OR actor_kind = ''partner'' OR actor_kind = ''house''')
    WHERE type = 'table' AND name = 'audit';
UPDATE sqlite_schema SET sql = replace(sql,
        'state IN (''queued'', ''sent'', ''dead'')',
        'state = ''queued'' OR state = ''sent'' OR state = ''dead''')
    WHERE type = 'table' AND name = 'outbox';
PRAGMA writable_schema = RESET;

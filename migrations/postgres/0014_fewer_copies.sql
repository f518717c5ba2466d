-- The number the next claim gets; nobody gets it twice.
CREATE VIEW next_claim_number AS SELECT nextval(pg_get_serial_sequence('claim', 'public_id')) AS number;

-- Whoever asks for the unpaid claims of an address has few others.
DROP INDEX claim_unpaid_by_email;
-- A claim names its hold.
DROP INDEX ledger_hold_about;
-- Nobody asks for the messages about a thing.
DROP INDEX outbox_by_thing;

-- Mail that stays in the house is read in the outbox.
DROP TABLE mailbox;

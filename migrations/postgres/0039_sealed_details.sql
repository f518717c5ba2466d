-- What customers are paid and refunded to is sealed, and found by keyed digests. A migration has no keys: what stands in the open is sealed by the
-- house when it starts, table by table.
DROP INDEX claim_by_from_value;
DROP INDEX claim_by_to_value;
ALTER TABLE claim RENAME COLUMN from_value TO from_digest;
ALTER TABLE claim RENAME COLUMN to_value TO to_digest;
CREATE INDEX claim_by_from_digest ON claim (from_digest) WHERE from_digest IS NOT NULL;
CREATE INDEX claim_by_to_digest ON claim (to_digest) WHERE to_digest IS NOT NULL;

-- Tables that may have rows in the open.
CREATE TABLE open_rows (
    name TEXT PRIMARY KEY NOT NULL
);
INSERT INTO open_rows (name) SELECT 'claim' WHERE EXISTS (SELECT 1 FROM claim);
INSERT INTO open_rows (name) SELECT 'payment_attempt' WHERE EXISTS (SELECT 1 FROM payment_attempt);
INSERT INTO open_rows (name) SELECT 'referral_withdrawal' WHERE EXISTS (SELECT 1 FROM referral_withdrawal);
INSERT INTO open_rows (name) SELECT 'partner_trustee_order' WHERE EXISTS (SELECT 1 FROM partner_trustee_order);
INSERT INTO open_rows (name) SELECT 'approval' WHERE EXISTS (SELECT 1 FROM approval);

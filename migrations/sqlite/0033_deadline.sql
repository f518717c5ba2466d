-- The agreed terms end once, whatever is said of the payment; what nobody paid locks no reserve; one transaction pays one claim.

-- For how many minutes a claim of the pair may be reported as paid while nobody sees the payment; without a value the exchange's setting holds.
ALTER TABLE pair ADD COLUMN reported_minutes BIGINT CHECK (reported_minutes > 0);

-- When the payment was first seen, or made as staff dated it; when the customer is told that nobody sees it; and how much of the reserve the claim
-- holds for somebody who has proven nothing, while nothing has come for it.
ALTER TABLE claim ADD COLUMN paid_at BIGINT;
ALTER TABLE claim ADD COLUMN warn_at BIGINT;
ALTER TABLE claim ADD COLUMN unproven_units BIGINT NOT NULL DEFAULT 0;
CREATE INDEX claim_to_warn ON claim (warn_at) WHERE warn_at IS NOT NULL;

-- Claims count against their party while they hold a reserve and nothing has come, in whatever state.
DROP INDEX claim_unpaid_by_address;
CREATE INDEX claim_unpaid_by_address ON claim (address_digest) WHERE hold_id IS NOT NULL AND received_units = 0;

-- The sum of unproven_units of each received currency, which is bounded by a share of its reserve.
CREATE TABLE unproven_share (
    currency_id BIGINT PRIMARY KEY NOT NULL,
    units       BIGINT NOT NULL CHECK (units >= 0)
);
INSERT INTO unproven_share (currency_id, units) SELECT id, 0 FROM currency;
CREATE TRIGGER currency_has_share AFTER INSERT ON currency
BEGIN
    INSERT INTO unproven_share (currency_id, units) VALUES (NEW.id, 0);
END;

-- A payment is known by its identifier as its network compares it.
CREATE TABLE keyed_payment (
    currency_id BIGINT NOT NULL,
    tx_key      TEXT NOT NULL,
    tx_id       TEXT NOT NULL,
    claim_id    BLOB NOT NULL REFERENCES claim (id),
    created_at  BIGINT NOT NULL,
    PRIMARY KEY (currency_id, tx_key)
);
INSERT INTO keyed_payment (currency_id, tx_key, tx_id, claim_id, created_at)
    SELECT currency_id, CASE WHEN place > 1 THEN folded || ' ' || CAST(place AS TEXT) ELSE folded END, tx_id, claim_id, created_at
    FROM (SELECT currency_id, folded, tx_id, claim_id, created_at,
            ROW_NUMBER() OVER (PARTITION BY currency_id, folded ORDER BY created_at, tx_id) AS place
        FROM (SELECT currency_id, tx_id, claim_id, created_at,
                CASE
                    WHEN EXISTS (SELECT 1 FROM currency WHERE currency.id = claim_payment.currency_id
                        AND (currency.inputs LIKE '%"sol"%' OR currency.inputs LIKE '%"ton"%')) THEN TRIM(tx_id)
                    WHEN LOWER(TRIM(tx_id)) LIKE '0x%' THEN SUBSTR(LOWER(TRIM(tx_id)), 3)
                    ELSE LOWER(TRIM(tx_id))
                END AS folded
            FROM claim_payment) folded_payment) placed_payment;
DROP TABLE claim_payment;
ALTER TABLE keyed_payment RENAME TO claim_payment;
CREATE INDEX claim_payment_by_key ON claim_payment (tx_key);
DROP INDEX claim_by_tx_in;
DROP INDEX claim_by_tx_out;
CREATE INDEX claim_by_tx_out ON claim (LOWER(tx_out)) WHERE tx_out IS NOT NULL;

-- And so is what a network tells of: the same movement in other letters is no second one.
ALTER TABLE payment_movement ADD COLUMN tx_key TEXT;
UPDATE payment_movement SET tx_key = CASE WHEN tx_id LIKE '0x%' THEN SUBSTR(tx_id, 3) ELSE tx_id END;
CREATE UNIQUE INDEX payment_movement_once ON payment_movement (currency_id, tx_key, output);

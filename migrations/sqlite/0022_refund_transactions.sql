-- A transaction that another claim records as well is found among the refunds too.
CREATE INDEX claim_by_tx_refund ON claim (LOWER(tx_refund)) WHERE tx_refund IS NOT NULL;

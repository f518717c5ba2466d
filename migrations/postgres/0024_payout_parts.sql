-- The transaction of a payout that was sent, and what of the payout has arrived where an event says it; NULL in others.
ALTER TABLE claim_event ADD COLUMN tx_id TEXT;
ALTER TABLE claim_event ADD COLUMN paid_out_units BIGINT;

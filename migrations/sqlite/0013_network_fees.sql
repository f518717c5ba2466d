-- What one payout costs on the network of the currency, in units.
ALTER TABLE currency ADD COLUMN network_fee BIGINT NOT NULL DEFAULT 0 CHECK (network_fee >= 0);
-- Who bears the network fee of payouts.
ALTER TABLE pair ADD COLUMN network_fee_payer TEXT NOT NULL DEFAULT 'exchange'
    CHECK (network_fee_payer IN ('exchange', 'customer'));

-- Units of what arrived beyond the agreed amount and is returned after the exchange. They are held, or on their way.
ALTER TABLE claim ADD COLUMN surplus_units BIGINT NOT NULL DEFAULT 0
    CHECK (surplus_units = 0 OR (surplus_units > 0 AND surplus_units <= in_units + refund_units));
-- Terms for the agreed amount, while the customer can choose to have the rest returned.
ALTER TABLE claim ADD COLUMN surplus_offer TEXT;

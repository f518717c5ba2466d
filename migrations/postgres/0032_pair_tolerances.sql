-- How far a payment may be from what was agreed on before the customer is asked, where a direction has a rule of its own: by how many percent
-- the course may have moved when the payment is late, and how much less or more may come. Without one the rule of the house holds.
ALTER TABLE pair ADD COLUMN late_tolerance_percent TEXT;
ALTER TABLE pair ADD COLUMN amount_tolerance_fixed BIGINT CHECK (amount_tolerance_fixed >= 0);
ALTER TABLE pair ADD COLUMN amount_tolerance_percent TEXT;

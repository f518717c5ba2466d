-- When the books were told that a try left. A try that left without the books expecting it has none.
ALTER TABLE payment_attempt ADD COLUMN booked_at BIGINT;
UPDATE payment_attempt SET booked_at = updated_at WHERE state IN ('sent', 'confirmed');

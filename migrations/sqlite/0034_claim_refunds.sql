-- What of a payment was returned and has arrived: what the customer and their partner are told when nothing of it is here any more.
ALTER TABLE claim ADD COLUMN returned_units BIGINT NOT NULL DEFAULT 0 CHECK (returned_units >= 0);
UPDATE claim SET returned_units = received_units WHERE state = 'refunded' AND paid_out_units = 0;

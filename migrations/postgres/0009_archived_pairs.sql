-- Taken out of the offer for good: off, without a page, and hidden in the console until it is brought back.
ALTER TABLE pair ADD COLUMN archived BOOLEAN NOT NULL DEFAULT FALSE;

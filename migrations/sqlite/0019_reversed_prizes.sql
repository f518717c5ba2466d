-- When the winning exchange was reversed after the draw: its prize is not paid.
ALTER TABLE contest_winner ADD COLUMN reversed_at BIGINT;

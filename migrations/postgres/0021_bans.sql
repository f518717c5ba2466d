-- Why a customer was banned, for whoever is asked about it later; and the order in which the console lists customers.

ALTER TABLE customer ADD COLUMN ban_reason TEXT;

CREATE INDEX customer_by_age ON customer (created_at, id);

-- The IANA name of the customer's time zone at their last sign-in; NULL where the browser gave none.
ALTER TABLE customer ADD COLUMN time_zone TEXT;

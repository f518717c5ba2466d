-- The condition of the index is written as the statement that asks for it is.
DROP INDEX claim_unpaid_by_address;
CREATE INDEX claim_unpaid_by_address ON claim (address_digest)
    WHERE state = 'created' OR state = 'verification' OR state = 'awaiting_payment';

-- What customers of the pair accept before they pay, as JSON. NULL: nothing.
ALTER TABLE pair ADD COLUMN customer_terms TEXT;

-- The texts that customers have accepted, by their digest. They never change.
CREATE TABLE customer_terms (
    id    TEXT PRIMARY KEY NOT NULL,
    terms TEXT NOT NULL
);
CREATE TRIGGER customer_terms_are_never_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON customer_terms
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Which terms the customer of a claim accepted, and when.
CREATE TABLE claim_accepted_terms (
    claim_id    UUID PRIMARY KEY NOT NULL REFERENCES claim (id),
    terms_id    TEXT NOT NULL REFERENCES customer_terms (id),
    accepted_at BIGINT NOT NULL
);

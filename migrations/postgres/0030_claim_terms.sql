-- What claims keep of the terms they were agreed on. It is the same for every claim at a rate and larger than the rest of a claim, so
-- it is kept once. Two rows that say the same would do no harm. The words are too long for an ordinary index.
CREATE TABLE claim_terms (
    terms_id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    terms    TEXT NOT NULL
);
CREATE INDEX claim_terms_by_words ON claim_terms USING hash (terms);
INSERT INTO claim_terms (terms) SELECT DISTINCT terms FROM claim;
ALTER TABLE claim ADD COLUMN terms_id BIGINT REFERENCES claim_terms (terms_id);
UPDATE claim SET terms_id = (SELECT terms_id FROM claim_terms WHERE claim_terms.terms = claim.terms);
ALTER TABLE claim DROP COLUMN terms;

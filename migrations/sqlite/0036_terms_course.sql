-- Terms name the rate below their first tier. Earlier ones did not: it is that of any of their claims whose rate is none of a tier's.
-- Where every claim is of a tier it cannot be known, and staff are told of the claims that are still open.
UPDATE claim_terms SET terms = json_set(terms, '$.course', (SELECT course FROM claim
        WHERE claim.terms_id = claim_terms.terms_id
            AND claim.course NOT IN (SELECT json_extract(tier.value, '$.course') FROM json_each(claim_terms.terms, '$.tiers') tier) LIMIT 1))
    WHERE json_valid(terms) AND json_type(terms, '$.course') IS NULL AND EXISTS (SELECT 1 FROM claim
        WHERE claim.terms_id = claim_terms.terms_id
            AND claim.course NOT IN (SELECT json_extract(tier.value, '$.course') FROM json_each(claim_terms.terms, '$.tiers') tier));

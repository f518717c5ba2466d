-- Terms name the rate below their first tier. Earlier ones did not: it is that of any of their claims whose rate is none of a tier's.
-- Where every claim is of a tier it cannot be known, and staff are told of the claims that are still open.
UPDATE claim_terms SET terms = CAST(CAST(terms AS jsonb) || jsonb_build_object('course', (SELECT course FROM claim
        WHERE claim.terms_id = claim_terms.terms_id
            AND claim.course NOT IN (SELECT tier.value ->> 'course' FROM jsonb_array_elements(CAST(claim_terms.terms AS jsonb) -> 'tiers') tier) LIMIT 1)) AS TEXT)
    WHERE terms LIKE '{%}' AND NOT CAST(terms AS jsonb) ? 'course' AND EXISTS (SELECT 1 FROM claim
        WHERE claim.terms_id = claim_terms.terms_id
            AND claim.course NOT IN (SELECT tier.value ->> 'course' FROM jsonb_array_elements(CAST(claim_terms.terms AS jsonb) -> 'tiers') tier));

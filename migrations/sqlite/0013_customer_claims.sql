-- What joins accounts and claims: whose claim it is, requisites customers keep, and letters with links to one's claims.

-- The account the claim was made in; nothing where a guest made it.
ALTER TABLE claim ADD COLUMN customer_id BLOB;
CREATE INDEX claim_by_customer ON claim (customer_id) WHERE customer_id IS NOT NULL;

-- Letters with links to claims that were asked for by somebody who may be anybody. Whether there are such claims is looked up
-- later, so that the answer does not tell by its time.
CREATE TABLE claim_search (
    id         BLOB PRIMARY KEY NOT NULL,
    email      TEXT NOT NULL,
    locale     TEXT NOT NULL CHECK (locale IN ('ru', 'en')),
    address    TEXT NOT NULL,
    created_at BIGINT NOT NULL
);

-- Requisites customers keep for their next claims.
CREATE TABLE customer_requisite (
    id          BLOB PRIMARY KEY NOT NULL,
    customer_id BLOB NOT NULL REFERENCES customer (id),
    currency_id BIGINT NOT NULL,
    -- The values by their fields, sealed.
    sealed      TEXT NOT NULL,
    -- The same, masked, for lists.
    masked      TEXT NOT NULL,
    -- Keyed digest of the values, so that the same ones are not kept twice.
    digest      TEXT NOT NULL,
    created_at  BIGINT NOT NULL,
    UNIQUE (customer_id, currency_id, digest)
);

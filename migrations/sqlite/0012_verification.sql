-- Verifications: a card or a person that is shown by photos before a customer pays.

-- What customers have verified before they pay in this direction.
ALTER TABLE pair ADD COLUMN verification TEXT NOT NULL DEFAULT 'none' CHECK (verification IN ('none', 'card', 'identity'));

-- The verification a claim waits for, or waited for last.
ALTER TABLE claim ADD COLUMN verification_id BLOB;

CREATE TABLE verification (
    id           BLOB PRIMARY KEY NOT NULL,
    kind         TEXT NOT NULL CHECK (kind IN ('card', 'identity')),
    state        TEXT NOT NULL CHECK (state IN ('asked', 'sent', 'accepted', 'rejected', 'ended')),
    -- Why it is asked: a code.
    cause        TEXT NOT NULL,
    -- The claim that waits for it; nothing where it was asked for an account alone.
    claim_id     BLOB,
    claim_number BIGINT,
    customer_id  BLOB,
    email        TEXT NOT NULL,
    locale       TEXT NOT NULL CHECK (locale IN ('ru', 'en')),
    -- The browser that made the claim, as the claim keeps it.
    guest_digest TEXT NOT NULL,
    -- The card, as a keyed digest and masked. Its number is nowhere.
    card_digest  TEXT,
    card_masked  TEXT,
    -- How often it was asked: each time the customer sends photos anew.
    round        BIGINT NOT NULL,
    -- Why it was rejected or asked again, for the customer: a code, and words in both languages where the code does not say enough.
    reason       TEXT,
    words_ru     TEXT,
    words_en     TEXT,
    decided_by   BLOB,
    decided_name TEXT,
    -- Until when the claim waits for photos.
    expires_at   BIGINT,
    revision     BIGINT NOT NULL,
    created_at   BIGINT NOT NULL,
    -- When the photos of the present round were whole.
    sent_at      BIGINT,
    decided_at   BIGINT,
    updated_at   BIGINT NOT NULL
);
CREATE INDEX verification_by_state ON verification (state, updated_at, id);
CREATE INDEX verification_by_claim ON verification (claim_id) WHERE claim_id IS NOT NULL;
CREATE INDEX verification_by_customer ON verification (customer_id) WHERE customer_id IS NOT NULL;

CREATE TABLE verification_photo (
    id              BLOB PRIMARY KEY NOT NULL,
    verification_id BLOB NOT NULL REFERENCES verification (id),
    round           BIGINT NOT NULL,
    name            TEXT NOT NULL,
    media_type      TEXT NOT NULL,
    size            BIGINT NOT NULL,
    -- Of the file as it was sent.
    sha256          TEXT NOT NULL,
    created_at      BIGINT NOT NULL,
    delete_after    BIGINT NOT NULL,
    deleted_at      BIGINT
);
CREATE INDEX verification_photo_of ON verification_photo (verification_id, created_at);
CREATE INDEX verification_photo_by_content ON verification_photo (sha256);
CREATE INDEX verification_photo_to_delete ON verification_photo (delete_after) WHERE deleted_at IS NULL;

-- What was accepted, and is not asked of the same customer again: a card by its digest, a person by none. The customer is known by the
-- account, or by the e-mail address as a keyed digest.
CREATE TABLE verified (
    kind            TEXT NOT NULL CHECK (kind IN ('card', 'identity')),
    card_digest     TEXT NOT NULL,
    party           TEXT NOT NULL,
    verification_id BLOB NOT NULL REFERENCES verification (id),
    verified_at     BIGINT NOT NULL,
    PRIMARY KEY (kind, card_digest, party)
);

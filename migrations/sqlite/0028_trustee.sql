-- Orders of wallets that speak Trustee's contract: what each asked for, beside the claim that was made of it.

CREATE TABLE partner_trustee_order (
    -- The claim, or the rehearsal; the order has its identifier.
    claim_id    BLOB PRIMARY KEY NOT NULL,
    partner_id  BLOB NOT NULL REFERENCES partner (id),
    key_id      BLOB NOT NULL REFERENCES partner_key (id),
    -- A digest of what was asked for, and which of the orders with it this is: the contract has no name of the wallet's own for an order.
    fingerprint TEXT NOT NULL,
    turn        BIGINT NOT NULL CHECK (turn >= 0),
    sandbox     BOOLEAN NOT NULL,
    -- What was asked for, JSON: the contract has it told again.
    asked       TEXT NOT NULL,
    -- The fixed fees of that time.
    fee_from    TEXT NOT NULL,
    fee_to      TEXT NOT NULL,
    created_at  BIGINT NOT NULL,
    UNIQUE (key_id, fingerprint, turn)
);

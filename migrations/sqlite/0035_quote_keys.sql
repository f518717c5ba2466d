-- Keys that quotes are signed with, sealed. The one that lay here in clear signs nothing any more.
DROP TABLE quote_key;
CREATE TABLE quote_signing_key (
    id         TEXT PRIMARY KEY NOT NULL,
    sealed     TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    -- Published from the beginning and signed with from then on, so that every node knows it by then.
    signs_from BIGINT NOT NULL,
    -- When the last quote signed with it has ended; nothing while it has no successor.
    ends_at    BIGINT
);

-- By how many percent the rate of a pair may jump, where its rules say so.
ALTER TABLE pair_ruling ADD COLUMN jump_percent TEXT;

-- Feeds for monitors of exchange rates.

CREATE TABLE monitor (
    id         UUID PRIMARY KEY NOT NULL,
    -- Its part of the feed's address.
    slug       TEXT NOT NULL UNIQUE CHECK (length(slug) BETWEEN 3 AND 40),
    name       TEXT NOT NULL,
    enabled    BOOLEAN NOT NULL,
    -- The city that cash changes hands in.
    city       TEXT,
    -- Marks of all its entries, parted by commas.
    marks      TEXT NOT NULL,
    -- Its own codes by the identifiers of currencies: JSON.
    codes      TEXT NOT NULL,
    revision   BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

-- Directions that are not as usual: kept from monitors, or with marks of their own.
CREATE TABLE monitor_direction (
    from_id    BIGINT NOT NULL REFERENCES currency (id),
    to_id      BIGINT NOT NULL REFERENCES currency (id),
    listed     BOOLEAN NOT NULL,
    marks      TEXT NOT NULL,
    updated_at BIGINT NOT NULL,
    PRIMARY KEY (from_id, to_id),
    CHECK (from_id <> to_id)
);

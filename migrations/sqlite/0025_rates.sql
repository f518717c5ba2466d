-- The rate engine: live sources, what they said, what is ruled on it, and how rates went.

-- Whether a price came from a live source: it is priced with only as far as a ruling says so.
ALTER TABLE observation ADD COLUMN judged BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX observation_given ON observation (source, base, quote, observed_at) WHERE NOT judged;
CREATE INDEX observation_judged ON observation (observed_at) WHERE judged;

-- What counts for two assets that live sources price: JSON, or nothing where they do not agree.
CREATE TABLE market_leg (
    base  TEXT NOT NULL,
    quote TEXT NOT NULL,
    price TEXT,
    PRIMARY KEY (base, quote)
);

-- What is ruled about pairs that are not left as their operator set them.
CREATE TABLE pair_ruling (
    pair_id     BIGINT PRIMARY KEY NOT NULL REFERENCES pair (id),
    -- Why it is stopped: JSON.
    stop        TEXT,
    -- What is added to its course: JSON.
    adjustments TEXT NOT NULL
);

-- Sources that were ever set up. One that is not here is off.
CREATE TABLE rate_source (
    name            TEXT PRIMARY KEY NOT NULL,
    enabled         BOOLEAN NOT NULL,
    every_seconds   BIGINT NOT NULL CHECK (every_seconds > 0),
    max_age_seconds BIGINT NOT NULL CHECK (max_age_seconds > 0),
    -- Less is more trusted.
    priority        BIGINT NOT NULL,
    -- It counts for agreement and is never priced with.
    cross_check     BOOLEAN NOT NULL,
    revision        BIGINT NOT NULL,
    updated_at      BIGINT NOT NULL,
    -- When it was asked last, when it answered last, and what was wrong last.
    asked_at        BIGINT NOT NULL,
    answered_at     BIGINT,
    prices          BIGINT NOT NULL,
    fault           TEXT,
    fault_at        BIGINT
);

-- The last thing each live source said about two assets.
CREATE TABLE rate_answer (
    source      TEXT NOT NULL REFERENCES rate_source (name),
    base        TEXT NOT NULL,
    quote       TEXT NOT NULL,
    bid         TEXT NOT NULL,
    ask         TEXT NOT NULL,
    observed_at BIGINT NOT NULL,
    PRIMARY KEY (source, base, quote)
);

-- The last competitors a monitor showed in a direction, by the codes of its currencies: JSON.
CREATE TABLE rate_position (
    source  TEXT NOT NULL REFERENCES rate_source (name),
    from_code TEXT NOT NULL,
    to_code TEXT NOT NULL,
    offers  TEXT NOT NULL,
    read_at BIGINT NOT NULL,
    PRIMARY KEY (source, from_code, to_code)
);

-- Rules of a pair, where they are not the usual ones: JSON.
CREATE TABLE rate_rule (
    pair_id    BIGINT PRIMARY KEY NOT NULL REFERENCES pair (id),
    rules      TEXT NOT NULL,
    revision   BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);

-- What the engine remembers of a pair from one cycle to the next: JSON.
CREATE TABLE rate_watch (
    pair_id    BIGINT PRIMARY KEY NOT NULL REFERENCES pair (id),
    watch      TEXT NOT NULL,
    -- When it was stopped by what sources say; nothing while it is not.
    stopped_at BIGINT
);
CREATE INDEX rate_watch_stopped ON rate_watch (stopped_at) WHERE stopped_at IS NOT NULL;

-- How the rate of a pair went.
CREATE TABLE rate_point (
    pair_id BIGINT NOT NULL REFERENCES pair (id),
    at      BIGINT NOT NULL,
    market  TEXT NOT NULL,
    course  TEXT,
    stopped BOOLEAN NOT NULL,
    PRIMARY KEY (pair_id, at)
);
CREATE INDEX rate_point_at ON rate_point (at);

-- The last cycle: whoever counts it on runs it.
CREATE TABLE rate_cycle (
    id     BIGINT PRIMARY KEY NOT NULL CHECK (id = 1),
    number BIGINT NOT NULL,
    at     BIGINT NOT NULL
);
INSERT INTO rate_cycle (id, number, at) VALUES (1, 0, 0);

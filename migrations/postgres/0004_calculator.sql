-- The market: what may be exchanged for what and how its rate is made, what the sources of rates said, and who changed what.

CREATE TABLE currency (
    id            BIGINT PRIMARY KEY NOT NULL,
    code          TEXT NOT NULL UNIQUE,
    ticker        TEXT NOT NULL,
    network_ru    TEXT NOT NULL,
    network_en    TEXT NOT NULL,
    kind          TEXT NOT NULL CHECK (kind IN ('crypto', 'bank', 'ewallet', 'cash')),
    name_ru       TEXT NOT NULL,
    name_en       TEXT NOT NULL,
    icon          TEXT NOT NULL,
    scale         BIGINT NOT NULL CHECK (scale BETWEEN 0 AND 8),
    round_digits  BIGINT NOT NULL CHECK (round_digits BETWEEN 0 AND scale),
    send          BOOLEAN NOT NULL,
    receive       BOOLEAN NOT NULL,
    position      BIGINT NOT NULL,
    inputs        TEXT NOT NULL,
    reserve_floor BIGINT NOT NULL CHECK (reserve_floor >= 0),
    revision      BIGINT NOT NULL,
    updated_at    BIGINT NOT NULL
);

CREATE TABLE pair (
    id               BIGINT PRIMARY KEY NOT NULL,
    from_id          BIGINT NOT NULL REFERENCES currency (id),
    to_id            BIGINT NOT NULL REFERENCES currency (id),
    enabled          BOOLEAN NOT NULL,
    source           TEXT NOT NULL CHECK (source IN ('manual', 'market')),
    manual_rate      TEXT,
    spread_percent   TEXT NOT NULL,
    fee_from_fixed   BIGINT NOT NULL CHECK (fee_from_fixed >= 0),
    fee_from_percent TEXT NOT NULL,
    fee_to_fixed     BIGINT NOT NULL CHECK (fee_to_fixed >= 0),
    fee_to_percent   TEXT NOT NULL,
    tiers            TEXT NOT NULL,
    from_min         BIGINT CHECK (from_min >= 0),
    from_max         BIGINT CHECK (from_max >= 0),
    to_min           BIGINT CHECK (to_min >= 0),
    to_max           BIGINT CHECK (to_max >= 0),
    hold_minutes     BIGINT NOT NULL CHECK (hold_minutes > 0),
    floating         BOOLEAN NOT NULL,
    notices          TEXT NOT NULL,
    revision         BIGINT NOT NULL,
    updated_at       BIGINT NOT NULL,
    UNIQUE (from_id, to_id),
    CHECK (from_id <> to_id),
    CHECK (source <> 'manual' OR manual_rate IS NOT NULL)
);

-- What a source said a unit of the base was worth in the quote: what it buys at, and what it sells at.
CREATE TABLE observation (
    source      TEXT NOT NULL,
    base        TEXT NOT NULL,
    quote       TEXT NOT NULL,
    bid         TEXT NOT NULL,
    ask         TEXT NOT NULL,
    observed_at BIGINT NOT NULL,
    imported_at BIGINT NOT NULL,
    PRIMARY KEY (source, base, quote, observed_at)
);

CREATE TABLE market_change (
    id      UUID PRIMARY KEY NOT NULL,
    at      BIGINT NOT NULL,
    actor   TEXT NOT NULL,
    subject TEXT NOT NULL,
    before  TEXT NOT NULL,
    after   TEXT NOT NULL
);
CREATE INDEX market_change_of ON market_change (subject, at);

-- The one key quotes are signed with.
CREATE TABLE quote_key (
    id         BIGINT PRIMARY KEY NOT NULL CHECK (id = 1),
    secret     BYTEA NOT NULL,
    created_at BIGINT NOT NULL
);

-- Amounts are stored in units of the scale, so another scale would change every one of them.
CREATE FUNCTION currency_scale_is_for_life() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.scale <> OLD.scale THEN
        RAISE EXCEPTION 'the scale of a currency is for life' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END;
$$;
CREATE TRIGGER currency_scale_is_for_life BEFORE UPDATE ON currency
    FOR EACH ROW EXECUTE FUNCTION currency_scale_is_for_life();

CREATE FUNCTION market_log_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'check_violation';
END;
$$;
CREATE TRIGGER market_change_is_never_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON market_change
    FOR EACH STATEMENT EXECUTE FUNCTION market_log_is_append_only();

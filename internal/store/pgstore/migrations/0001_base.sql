CREATE SCHEMA IF NOT EXISTS mem;

-- One memory. The row is the lock of its writers, and is changed only where the configuration is,
-- or by a purge: dead versions of it under a long pg_dump would halve the rate of writes.
CREATE TABLE mem.spaces (
	name           text COLLATE "C" PRIMARY KEY,
	role           text COLLATE "C",             -- the login role that may see it, besides the owner
	gen            bigint NOT NULL DEFAULT 0,    -- how many purges there were
	seq            bigint NOT NULL DEFAULT 0,    -- at least: a purge may take the newest envelope
	high           timestamptz,                  -- at least: likewise
	config         text,                         -- config.json
	config_version bigint NOT NULL DEFAULT 0,
	made           timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX spaces_role ON mem.spaces (role);

-- The log. seq is the order of commits and of stamps.
CREATE TABLE mem.envelopes (
	space text COLLATE "C" NOT NULL,
	seq   bigint NOT NULL,
	ts    timestamptz NOT NULL,                  -- as line has it
	high  timestamptz NOT NULL,                  -- the newest ts up to here
	live  boolean NOT NULL,                      -- false: a tombstone
	key   text COLLATE "C" NOT NULL,
	line  text COLLATE "C" NOT NULL,             -- byte for byte as log.jsonl would have it
	PRIMARY KEY (space, seq)
);
CREATE INDEX envelopes_key ON mem.envelopes (space, key, seq DESC);
-- What ANALYZE copies into pg_statistic stays there after a purge.
ALTER TABLE mem.envelopes
	ALTER COLUMN key SET STATISTICS 0, ALTER COLUMN line SET STATISTICS 0;

-- How far the numbers of notes have come; see keypath.Counts.
CREATE TABLE mem.counters (
	space   text COLLATE "C" NOT NULL,
	name    text COLLATE "C" NOT NULL,
	highest bigint NOT NULL,
	far     bigint[] NOT NULL DEFAULT '{}',
	PRIMARY KEY (space, name)
);

-- ops.jsonl and injections.jsonl: lines, the oldest removed.
CREATE TABLE mem.journal (
	space text COLLATE "C" NOT NULL,
	name  text COLLATE "C" NOT NULL,
	id    bigint GENERATED ALWAYS AS IDENTITY,
	line  text COLLATE "C" NOT NULL,             -- with its newline
	PRIMARY KEY (space, name, id)
);
ALTER TABLE mem.journal ALTER COLUMN line SET STATISTICS 0;

-- The bytes that artifacts are about, in parts of 256 KiB.
CREATE TABLE mem.blobs (
	space text COLLATE "C" NOT NULL,
	sum   text COLLATE "C" NOT NULL,             -- SHA-256
	part  integer NOT NULL,                      -- from 0
	size  bigint NOT NULL,                       -- of the whole
	body  bytea NOT NULL,
	PRIMARY KEY (space, sum, part)
);
ALTER TABLE mem.blobs ALTER COLUMN body SET STATISTICS 0, ALTER COLUMN sum SET STATISTICS 0;

-- Who has a copy, and up to which purge it has followed.
CREATE TABLE mem.followers (
	space text COLLATE "C" NOT NULL,
	copy  text COLLATE "C" NOT NULL,             -- a random id of the copy
	host  text NOT NULL,
	gen   bigint NOT NULL,
	seq   bigint NOT NULL,
	seen  timestamptz NOT NULL DEFAULT now(),
	PRIMARY KEY (space, copy)
);

-- A login role reads and writes the spaces that name it, and no others; nor a partition directly,
-- for it is granted the tables alone.
ALTER TABLE mem.spaces    ENABLE ROW LEVEL SECURITY;
ALTER TABLE mem.envelopes ENABLE ROW LEVEL SECURITY;
ALTER TABLE mem.counters  ENABLE ROW LEVEL SECURITY;
ALTER TABLE mem.journal   ENABLE ROW LEVEL SECURITY;
ALTER TABLE mem.blobs     ENABLE ROW LEVEL SECURITY;
ALTER TABLE mem.followers ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON mem.spaces    USING (role = current_user);
CREATE POLICY own ON mem.envelopes
	USING (space = ANY (ARRAY(SELECT name FROM mem.spaces WHERE role = current_user)));
CREATE POLICY own ON mem.counters
	USING (space = ANY (ARRAY(SELECT name FROM mem.spaces WHERE role = current_user)));
CREATE POLICY own ON mem.journal
	USING (space = ANY (ARRAY(SELECT name FROM mem.spaces WHERE role = current_user)));
CREATE POLICY own ON mem.blobs
	USING (space = ANY (ARRAY(SELECT name FROM mem.spaces WHERE role = current_user)));
CREATE POLICY own ON mem.followers
	USING (space = ANY (ARRAY(SELECT name FROM mem.spaces WHERE role = current_user)));

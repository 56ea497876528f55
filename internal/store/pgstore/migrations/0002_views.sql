-- What happened, was decided, is to be done and was kept, as columns (B-15 to B-22): views of the
-- newest live envelope of each key. They hold nothing themselves, so a purge has nothing to look
-- for in them, and nothing can differ from the log.
--
-- Types are those of the tables that B-15 to B-22 name, with one exception: JSON is json, not
-- jsonb, for jsonb refuses numbers like 1e200000, which a memory may have. Texts are collated "C",
-- as in the tables: a join with a column of another collation says which one it wants.

-- The text of a line as json; NULL for a line that is damaged. One that cannot be parsed would end
-- the whole query, and before PostgreSQL 16 nothing in SQL can try. So the checksum decides, which
-- the store gives every line that it writes: what has the right one is what was written.
--
-- PostgreSQL has no U+0000, and no half of a surrogate pair: to extract anything of a value that
-- has one of their escapes fails. They become U+FFFD. An escaped backslash before a u is out of
-- the way meanwhile, as a control character, which JSON cannot have.
CREATE FUNCTION mem.json_of(line text) RETURNS json LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN line = left(line, -86) || ',"checksum":"sha256:'
		|| encode(sha256(convert_to(left(line, -86) || '}', 'UTF8')), 'hex') || '"}'
	THEN CASE WHEN line ~* E'\\\\u(0000|d[89a-f])' THEN
		replace(regexp_replace(regexp_replace(
			replace(replace(line, E'\\\\', E'\x01'), E'\\u0000', E'\\ufffd'),
			E'\\\\u[dD][89abAB][[:xdigit:]]{2}(?!\\\\u[dD][c-fC-F][[:xdigit:]]{2})',
			E'\\\\ufffd', 'g'),
			E'(?<!\\\\u[dD][89abAB][[:xdigit:]]{2})\\\\u[dD][c-fC-F][[:xdigit:]]{2}',
			E'\\\\ufffd', 'g'), E'\x01', E'\\\\')
		ELSE line END::json END;

-- A list of texts; an empty one for what is no list.
CREATE FUNCTION mem.texts(list json) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN json_typeof(list) = 'array'
	THEN ARRAY(SELECT json_array_elements_text(list)) ELSE '{}' END;

-- An object; NULL for what is none, of which no member can be asked for.
CREATE FUNCTION mem.object(value json) RETURNS json LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN json_typeof(value) = 'object' THEN value END;

-- The newest envelope of each key, if it is live: the others are built on it. Nobody is granted it.
--
-- Who asks sees what the policies of the tables let them see. A view reads with the rights of its
-- owner, for whom the policies do not count (security_invoker is of PostgreSQL 15), so it has
-- their condition itself: current_user is who asks, in a view too. For the owner of the tables, a
-- superuser or one with BYPASSRLS no policy is active, and all spaces are there.
--
-- The views that are granted are security barriers: a function of the asker's in the WHERE of a
-- query would else be given rows before this condition has left them out.
CREATE VIEW mem.newest AS
SELECT e.space, e.seq, e.ts, e.key, substring(e.key FROM '[^/]*$') AS id, l.content,
	mem.object(l.content) AS members
FROM mem.envelopes e, json_to_record(mem.json_of(e.line)) AS l (content json)
WHERE e.live AND l.content IS NOT NULL
	AND e.space = ANY (ARRAY(SELECT s.name FROM mem.spaces s
		WHERE s.role = current_user OR NOT row_security_active('mem.spaces'::regclass)))
	AND NOT EXISTS (SELECT FROM mem.envelopes n
		WHERE n.space = e.space AND n.key = e.key AND n.seq > e.seq);

-- What is of sensitivity high has a column sealed, as it was stored, and nothing in the columns of
-- what is sealed in it; the content of an event is then all that is stored of it.

CREATE VIEW mem.events WITH (security_barrier = true) AS
SELECT n.id AS event_id, n.ts, n.space AS tenant_id, c.session_id, c.channel,
	a.type AS actor_type, a.id AS actor_id, c.type AS kind,
	coalesce(c.sensitivity, 'none') AS sensitivity, mem.texts(c.tags) COLLATE "C" AS tags,
	coalesce(c.content, n.content) AS content, mem.texts(c.refs) COLLATE "C" AS refs,
	c.sealed, n.key
FROM mem.newest n,
	json_to_record(n.members) AS c (type text COLLATE "C", session_id text COLLATE "C",
		channel text COLLATE "C", sensitivity text COLLATE "C", actor json, tags json,
		content json, refs json, sealed text COLLATE "C"),
	json_to_record(mem.object(c.actor)) AS a (type text COLLATE "C", id text COLLATE "C")
WHERE n.key >= '/event/' AND n.key < '/event0';

CREATE VIEW mem.decisions WITH (security_barrier = true) AS
SELECT n.id AS decision_id, n.space AS tenant_id, n.ts,
	CASE WHEN c.superseded_by <> '' THEN 'superseded' ELSE 'active' END COLLATE "C" AS status,
	c.scope, c.decision, mem.texts(c.rationale) COLLATE "C" AS rationale,
	mem.texts(c.constraints) COLLATE "C" AS constraints,
	mem.texts(c.alternatives) COLLATE "C" AS alternatives,
	mem.texts(c.consequences) COLLATE "C" AS consequences,
	mem.texts(c.refs) COLLATE "C" AS refs,
	substring(c.superseded_by FROM '[^/]+$') AS superseded_by,
	c.session_id, c.channel, coalesce(c.sensitivity, 'none') AS sensitivity, c.sealed, n.key
FROM mem.newest n,
	json_to_record(n.members) AS c (session_id text COLLATE "C", channel text COLLATE "C",
		sensitivity text COLLATE "C", decision text COLLATE "C", scope text COLLATE "C",
		rationale json, constraints json, alternatives json, consequences json, refs json,
		superseded_by text COLLATE "C", sealed text COLLATE "C")
WHERE n.key >= '/decision/' AND n.key < '/decision0';

CREATE VIEW mem.tasks WITH (security_barrier = true) AS
SELECT n.id AS task_id, n.space AS tenant_id, n.ts, c.status, c.title,
	CASE WHEN c.sealed IS NULL THEN coalesce(c.details, '') END AS details,
	mem.texts(c.refs) COLLATE "C" AS refs,
	c.session_id, c.channel, coalesce(c.sensitivity, 'none') AS sensitivity, c.sealed, n.key
FROM mem.newest n,
	json_to_record(n.members) AS c (session_id text COLLATE "C", channel text COLLATE "C",
		sensitivity text COLLATE "C", title text COLLATE "C", status text COLLATE "C",
		details text COLLATE "C", refs json, sealed text COLLATE "C")
WHERE n.key >= '/task/' AND n.key < '/task0';

-- bytes is the length of the file; the file itself is in mem.blobs, by its sha256, in parts.
CREATE VIEW mem.artifacts WITH (security_barrier = true) AS
SELECT n.id AS artifact_id, n.space AS tenant_id, n.ts, c.kind,
	CASE WHEN c.bytes ~ '^[0-9]{1,18}$' THEN c.bytes::bigint END AS bytes,
	CASE WHEN c.sealed IS NULL THEN coalesce(c.meta, '{}') END AS meta,
	mem.texts(c.refs) COLLATE "C" AS refs, c.sha256,
	c.session_id, c.channel, coalesce(c.sensitivity, 'none') AS sensitivity, c.sealed, n.key
FROM mem.newest n,
	json_to_record(n.members) AS c (session_id text COLLATE "C", channel text COLLATE "C",
		sensitivity text COLLATE "C", kind text COLLATE "C", bytes text COLLATE "C", meta json,
		refs json, sha256 text COLLATE "C", sealed text COLLATE "C")
WHERE n.key >= '/artifact/' AND n.key < '/artifact0';

-- The chunks of what was said in events (B-18), for full text search in SQL. They are derived: mem
-- itself asks its own index, and where nobody fills the table it stays empty. What is sealed or
-- secret is not in it. There is no foreign key to the events, for those are no table: a purge
-- takes the chunks away in its own transaction, and a deletion with the next fill.
--
-- The id of a chunk is made of that of its event, so copies of a memory have the same ones: it is
-- unique in its space.
CREATE TABLE mem.chunks (
	chunk_id    text COLLATE "C" NOT NULL,
	tenant_id   text COLLATE "C" NOT NULL,       -- the space
	event_id    text COLLATE "C" NOT NULL,
	ts          timestamptz NOT NULL,            -- of the event, as all up to tags
	kind        text COLLATE "C" NOT NULL,
	channel     text COLLATE "C" NOT NULL,
	sensitivity text COLLATE "C" NOT NULL DEFAULT 'none',
	tags        text[] COLLATE "C" NOT NULL DEFAULT '{}',
	token_est   integer NOT NULL,
	importance  real NOT NULL DEFAULT 0.0,
	text        text NOT NULL,
	tsv         tsvector GENERATED ALWAYS AS (to_tsvector('pg_catalog.english', text)) STORED,
	key         text COLLATE "C" NOT NULL,       -- of the event
	PRIMARY KEY (tenant_id, chunk_id)
);
CREATE INDEX chunks_ts ON mem.chunks (tenant_id, ts DESC);
CREATE INDEX chunks_kind ON mem.chunks (tenant_id, kind);
CREATE INDEX chunks_key ON mem.chunks (tenant_id, key);
CREATE INDEX chunks_tsv ON mem.chunks USING gin (tsv);
CREATE INDEX chunks_tags ON mem.chunks USING gin (tags);
ALTER TABLE mem.chunks
	ALTER COLUMN chunk_id SET STATISTICS 0, ALTER COLUMN event_id SET STATISTICS 0,
	ALTER COLUMN tags SET STATISTICS 0, ALTER COLUMN text SET STATISTICS 0,
	ALTER COLUMN tsv SET STATISTICS 0, ALTER COLUMN key SET STATISTICS 0;

-- How far the chunks of a space have been filled. To remove a row is to have all filled again.
CREATE TABLE mem.chunked (
	space text COLLATE "C" PRIMARY KEY,
	seq   bigint NOT NULL                        -- of the last envelope that was looked at
);

ALTER TABLE mem.chunks  ENABLE ROW LEVEL SECURITY;
ALTER TABLE mem.chunked ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON mem.chunks
	USING (tenant_id = ANY (ARRAY(SELECT name FROM mem.spaces WHERE role = current_user)));
CREATE POLICY own ON mem.chunked
	USING (space = ANY (ARRAY(SELECT name FROM mem.spaces WHERE role = current_user)));

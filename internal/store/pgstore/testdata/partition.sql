-- Makes the big tables of mem partitioned by space, for databases with many spaces. It is run by
-- the owner of the tables right after memd migrate, while they are empty:
--
--   psql -v ON_ERROR_STOP=1 --single-transaction -f partition.sql DATABASE
--
-- Nothing else changes for mem. Roles of spaces are granted the tables and not their partitions:
-- who reads a partition directly sees every space in it. Let nobody be granted those.
DO $$
DECLARE
	t text;
	partitions int := 4;
	has boolean;
	views text[] := ARRAY['newest', 'events', 'decisions', 'tasks', 'artifacts'];
	definitions text[] := '{}';
BEGIN
	FOREACH t IN ARRAY ARRAY['envelopes', 'blobs', 'counters', 'followers'] LOOP
		EXECUTE format('SELECT EXISTS (SELECT FROM mem.%I)', t) INTO has;
		IF has THEN
			RAISE EXCEPTION 'mem.% is not empty', t;
		END IF;
	END LOOP;

	-- The views are over mem.envelopes, and come back at the end.
	FOREACH t IN ARRAY views LOOP
		definitions := definitions || pg_get_viewdef(format('mem.%I', t)::regclass);
	END LOOP;
	DROP VIEW mem.newest CASCADE;

	FOREACH t IN ARRAY ARRAY['envelopes', 'blobs', 'counters', 'followers'] LOOP
		EXECUTE format('ALTER TABLE mem.%I RENAME TO %I', t, t || '_old');
		EXECUTE format('CREATE TABLE mem.%I (LIKE mem.%I INCLUDING DEFAULTS INCLUDING STORAGE) '
			'PARTITION BY HASH (space)', t, t || '_old');
		FOR i IN 0 .. partitions - 1 LOOP
			EXECUTE format('CREATE TABLE mem.%I PARTITION OF mem.%I '
				'FOR VALUES WITH (MODULUS %s, REMAINDER %s)', t || '_' || i, t, partitions, i);
		END LOOP;
		EXECUTE format('DROP TABLE mem.%I', t || '_old');
		EXECUTE format('ALTER TABLE mem.%I ENABLE ROW LEVEL SECURITY', t);
		EXECUTE format('CREATE POLICY own ON mem.%I USING (space = ANY (ARRAY('
			'SELECT name FROM mem.spaces WHERE role = current_user)))', t);
		EXECUTE format('CREATE POLICY served ON mem.%I USING (current_user = '
			'(SELECT server FROM mem.store) AND space = current_setting(''mem.space'', true))', t);
	END LOOP;

	ALTER TABLE mem.envelopes ADD PRIMARY KEY (space, seq);
	CREATE INDEX envelopes_key ON mem.envelopes (space, key, seq DESC);
	ALTER TABLE mem.blobs ADD PRIMARY KEY (space, sum, part);
	ALTER TABLE mem.counters ADD PRIMARY KEY (space, name);
	ALTER TABLE mem.followers ADD PRIMARY KEY (space, copy);

	-- What ANALYZE copies into pg_statistic stays there after a purge.
	ALTER TABLE mem.envelopes
		ALTER COLUMN key SET STATISTICS 0, ALTER COLUMN line SET STATISTICS 0;
	ALTER TABLE mem.blobs ALTER COLUMN body SET STATISTICS 0, ALTER COLUMN sum SET STATISTICS 0;

	FOR i IN 1 .. array_length(views, 1) LOOP
		EXECUTE format('CREATE VIEW mem.%I %s AS %s', views[i],
			CASE WHEN i > 1 THEN 'WITH (security_barrier = true)' ELSE '' END, definitions[i]);
	END LOOP;
END $$;

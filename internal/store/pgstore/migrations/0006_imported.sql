-- Which envelopes an import brought: SHA-256 sums of key, time, source and content. What these say of
-- their source is a claim of the file that they came from.
CREATE TABLE mem.imported (
	space text COLLATE "C" NOT NULL,
	line  bytea NOT NULL,
	PRIMARY KEY (space, line)
);
ALTER TABLE mem.imported ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON mem.imported
	USING (space = ANY (ARRAY(SELECT name FROM mem.spaces WHERE role = current_user)));

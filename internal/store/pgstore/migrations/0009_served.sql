-- A server of many spaces has one login, which sees all of them. For each transaction it takes on
-- the role that mem.store names, and names the space: then it sees that one alone. The role is the
-- same for all spaces, for a plan is made anew where the role is another.
ALTER TABLE mem.store ADD COLUMN server text COLLATE "C";

CREATE POLICY served ON mem.spaces USING (current_user = (SELECT server FROM mem.store)
	AND name = current_setting('mem.space', true));
CREATE POLICY served ON mem.envelopes USING (current_user = (SELECT server FROM mem.store)
	AND space = current_setting('mem.space', true));
CREATE POLICY served ON mem.counters USING (current_user = (SELECT server FROM mem.store)
	AND space = current_setting('mem.space', true));
CREATE POLICY served ON mem.blobs USING (current_user = (SELECT server FROM mem.store)
	AND space = current_setting('mem.space', true));
CREATE POLICY served ON mem.followers USING (current_user = (SELECT server FROM mem.store)
	AND space = current_setting('mem.space', true));
CREATE POLICY served ON mem.imported USING (current_user = (SELECT server FROM mem.store)
	AND space = current_setting('mem.space', true));

-- The views have the conditions of the policies themselves.
CREATE OR REPLACE VIEW mem.newest AS
SELECT e.space, e.seq, e.ts, e.key, substring(e.key FROM '[^/]*$') AS id, l.content,
	mem.object(l.content) AS members
FROM mem.envelopes e, json_to_record(mem.json_of(e.line)) AS l (content json)
WHERE e.live AND l.content IS NOT NULL
	AND e.space = ANY (ARRAY(SELECT s.name FROM mem.spaces s
		WHERE s.role = current_user OR NOT row_security_active('mem.spaces'::regclass)
		OR current_user = (SELECT server FROM mem.store)
			AND s.name = current_setting('mem.space', true)))
	AND NOT EXISTS (SELECT FROM mem.envelopes n
		WHERE n.space = e.space AND n.key = e.key AND n.seq > e.seq);

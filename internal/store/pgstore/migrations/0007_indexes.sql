-- What is asked of events most: the last ones, and those of a session, in the order of their time.
-- The session of an event is in its key, /event/SESSION/ID, so that an index of it needs no line to
-- be parsed: the view takes it from there, too. Both conditions use an index also below the views'
-- barrier, for the operators of text and timestamptz leak nothing.
--
-- Nobody writes while the indexes are made: for some 5 s for a million events of 1 KB.
CREATE INDEX envelopes_event_ts ON mem.envelopes (space, ts)
	WHERE live AND key >= '/event/' AND key < '/event0';
CREATE INDEX envelopes_event_session ON mem.envelopes (space, split_part(key, '/', 3), ts)
	WHERE live AND key >= '/event/' AND key < '/event0';

CREATE OR REPLACE VIEW mem.events WITH (security_barrier = true) AS
SELECT n.id AS event_id, n.ts, n.space AS tenant_id, split_part(n.key, '/', 3) AS session_id,
	c.channel, a.type AS actor_type, a.id AS actor_id, c.type AS kind,
	coalesce(c.sensitivity, 'none') AS sensitivity, mem.texts(c.tags) COLLATE "C" AS tags,
	coalesce(c.content, n.content) AS content, mem.texts(c.refs) COLLATE "C" AS refs,
	c.sealed, n.key
FROM mem.newest n,
	json_to_record(n.members) AS c (type text COLLATE "C", channel text COLLATE "C",
		sensitivity text COLLATE "C", actor json, tags json,
		content json, refs json, sealed text COLLATE "C"),
	json_to_record(mem.object(c.actor)) AS a (type text COLLATE "C", id text COLLATE "C")
WHERE n.key >= '/event/' AND n.key < '/event0';

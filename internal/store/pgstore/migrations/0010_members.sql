-- A token belongs to a member of a team by name. A server of an older build names none.
ALTER TABLE mem.tokens ADD COLUMN member text COLLATE "C" NOT NULL DEFAULT '';

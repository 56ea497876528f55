-- No mem marks lines beside them any more. Where an earlier one did, its marks say which lines no
-- person vouches for: the step is refused, and nothing is dropped.
LOCK TABLE mem.imported IN ACCESS EXCLUSIVE MODE;
DO $$
DECLARE
	marked text := (SELECT min(space) FROM mem.imported);
BEGIN
	IF marked IS NOT NULL THEN
		RAISE EXCEPTION USING ERRCODE = 'MEM01', MESSAGE = marked;
	END IF;
END $$;
DROP TABLE mem.imported;

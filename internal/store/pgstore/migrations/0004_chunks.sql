-- The chunks of events are computed when they are asked for. The tables of them go, and with them
-- what they still had of deleted events.
DROP TABLE IF EXISTS mem.chunks, mem.chunked;

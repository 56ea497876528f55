-- Who may use a space over a server's network: SHA-256 sums of tokens, which nobody gets back. They
-- are the server's own: the role of a space sees none, for nothing is granted and no policy lets
-- it.
CREATE TABLE mem.tokens (
	sum    text COLLATE "C" PRIMARY KEY,
	id     text COLLATE "C" NOT NULL UNIQUE,
	space  text COLLATE "C" NOT NULL,
	agents text[] COLLATE "C" NOT NULL,
	made   timestamptz NOT NULL
);
ALTER TABLE mem.tokens ENABLE ROW LEVEL SECURITY;

// Package serve keeps the memories of many tenants open and lets many agents use them at once, over
// HTTP: a front, as the command line is one, with no rules of its own. The packages below decide
// which records may be stored, and which a caller sees.
//
// # On disk
//
//	ROOT/                0700; no memory itself: it has no log.jsonl
//	  tenants/<id>/      the memory of a tenant, a root of its own like any other
//	  tokens.json        the tokens that admit requests over the network; 0600
//	  tokens.lock        locked while tokens.json is changed
//	  memd.sock          the unix socket; 0600
//	  memd.sock.lock     locked and signed by the process that listens there
//
// A tenant's id is 1 to 64 of A-Z a-z 0-9 _ . - but not . or .. . Its first write makes its root; a
// read of a missing one makes nothing. Nothing is kept elsewhere: the command line works on the
// same roots at the same time (mem --root ROOT/tenants/<id>), and a kill takes nothing along that
// was acknowledged.
//
// tokens.json is a JSON object {"version":1,"tokens":[...]}, each token with its id, tenant,
// agents, member, created and sha256. Of the token itself only that sum is kept. A plain SHA-256 is
// enough: what makes a hash of passwords slow is there to make guessing dear, and nobody guesses
// 256 random bits. The file is replaced as a whole and synced; a crash leaves the old one or the
// new one, and perhaps a temporary file. It is read again when it changes, which every request
// asks: a token that was revoked is refused from then on, on open connections too.
//
// A socket that a killed process has left is replaced: its lock, which the kernel has released,
// says that nobody listens there. Its holder signs it, as the lock of a memory.
//
// # Access
//
// A process that can open the socket is trusted: it is its owner's, and names the tenant and the
// agent in each request. Over TCP, the loopback address included, each request needs a token, which
// says what tenant it is for and for which agents; what a request names must agree. A browser on
// this machine reaches loopback addresses, too. So a Host that is a name, but not one by which this
// server is known, is refused (a page of another site may have had its own name bound to this
// address), and so is every Origin but the server's own.
//
// # Fronts
//
// What else is served, as MCP, comes from packages above this one ([Front]): each has a path, gets
// requests that were let in, and opens memories as the routes do ([CallerOf], [Open]). A front that
// must admit requests without a token, as a page does whose visitors have cookies, says so; then
// only Host and Origin are checked for it.
//
// # Limits
//
// docs/service.md has the limits of requests, bodies and connections, and the turns that all work
// takes. A front that takes longer than a request may says so meanwhile ([Working]). A body is read
// as a whole before its request takes a turn, and a long one is decoded in a turn of its own, for
// that takes a processor for as long as a search; an artifact goes to its file as it comes, and
// takes neither room nor turn. While other work has a turn, a tenant begins as many short writes as
// there are processors. An answer is encoded within the turn, and waits for its reader without one.
// At most 64 memories are open, those that are used aside.
//
// A compaction that is due runs in a child process, one for each tenant. Where a memory has lost
// all that is derived from its history, the first read begins one, and all reads wait.
package serve

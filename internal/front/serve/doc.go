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
// A body has at most 2 MiB, an artifact 64 MiB. A request takes at most 30 seconds from the end of
// its body on, its header 10. A front that takes longer says so meanwhile ([Working]). Of the
// connections, at most [MaxConns] of each kind, those that have been idle or unauthenticated for
// longest give way to new ones. At most 64 memories are open, those that are used aside.
//
// A body is read as a whole before its request takes a turn. The bytes of bodies, and of answers of
// more than 64 KiB until they are sent, have room in memory: 32 MiB for a token, 64 for a tenant,
// 256 in all, and 16 MiB besides for bodies below 64 KiB; past it a request is refused with 429. A
// body ends after 10 minutes, and any transfer of which less than 1 KiB moves in 30 s. An artifact
// goes to its file as it comes, and takes neither room nor turn.
//
// All work takes a turn: reads, verbs and long writes one of 2 for each processor, short writes,
// which wait for the disk most of the time, one of 64. A tenant has at most half of them, so that
// one is free for another tenant at once; and while other work has a turn, it begins as many short
// writes as there are processors, for what commits for 32 writers leaves a bundle a tenth of these.
// Of the tenants that wait, the one goes first whose work took the least time in the last 10 s, and
// within it the token. So a memory whose lock somebody holds keeps no other tenant waiting, nor
// does one token that asks for much. An answer is encoded within the turn, and waits for its reader
// without one.
//
// A compaction that is due runs in a child process, one for each tenant: what it needs is given
// back to the system when it ends, and what kills it kills nothing else. Where a memory has lost
// all that is derived from its history, the first read begins one, and all reads wait.
package serve

// Package pgstore keeps memories in PostgreSQL, for more than one machine: the log is a table, and
// each process follows it into a copy on its own disk. It passes the suite of every backend
// (package storetest), and is linked by memd alone.
//
// # What the server holds
//
// The schema mem, made by the steps in migrations/ ([Migrate]); each is taken once, and never
// changed. The name of the space leads every key and index, so that the tables can be partitioned
// by it.
//
//	spaces     one memory each: name, role, gen (how many purges), config and its version, and
//	           the least seq and high; its row is the lock of its writers, and is changed only
//	           by a new configuration, a purge or a fence (below)
//	envelopes  the log: space, seq, ts, high (newest ts so far), live, key, and line: byte
//	           for byte as log.jsonl would have it
//	counters   how far the numbers of notes have come
//	blobs      the bytes of artifacts, in parts
//	followers  the machines with a copy, up to which purge, and when each was last seen
//	tokens     the tokens that admit to a space over the network of "memd serve", by SHA-256
//
// events, decisions, tasks and artifacts are views over the lines. A line is text: jsonb would
// lose the spelling of numbers, the order of members and \u0000, and nobody can read bytea.
// Neither extensions nor triggers nor LISTEN are used; a pooler may lie between, transaction by
// transaction.
//
// A role of a space sees that space alone, by policies on the rows of every table. Their owner sees
// all.
//
// A Server is a login as the owner, whose connections all spaces share. Each transaction begins
// with a statement that takes on the role in mem.store and sets mem.space, until its end; the
// policies "served" go by these two. It comes in the same round trip, so a pooler may lie between.
// All spaces have one role there, because PostgreSQL plans a statement anew where the policies meet
// another one. One statement is not limited by the policies: the one that commits for several
// spaces at once (joint.go). It names the space of each row.
//
// # A commit
//
// Updates that come while another is being committed wait together, and are one transaction
// (backend.Queue). They run on the newest known head; then one round trip locks the row of the
// space, without waiting, and appends, if head and gen are still those that they looked at:
//
//	seq order = commit order = stamp order, and "seq > n" misses nothing
//
// Where somebody else wrote, or is writing, the leader waits for the lock, and the updates run
// again. A read by seq sees the space as of that envelope: only a purge deletes envelopes, and it
// changes gen.
//
// Updates that looked at nothing of the space, as those that record events under new keys, need no
// head: their one round trip waits for the lock, takes the places after the head that it finds, and
// appends if their first stamp is newer than all that is there. Where many processes do so all the
// time one waits for the lock first, until it is alone again (crowd.go).
//
// An operation goes by the configuration that this process knows, and the statement of the commit
// compares its version. Where it is another one nothing is stored, and the operation is checked
// anew and runs again. A known configuration refuses nothing before the server was asked for its
// own.
//
// Only an error that the server sent, and after which it is ready for more, says that nothing was
// stored. After any other one the lock is taken anew, and it is looked whether the first line of
// the group is there: then all of it is stored. Else, while the head has not moved, the same lines
// are put again, for the lost commit may still arrive: only one of the two finds the head that it
// looked at. What needed no head, and could come yet when others have written, is fenced off first:
// the newest stamp of the space is raised to its own, in a commit of its own, and it is too old
// from then on. If the time is over first the error is a *backend.UnknownError. Two processes that
// write the same line, of the same microsecond, and one of them loses its answer, look the same:
// then one line stands for both.
//
// A connection over which nothing comes any more costs a write some seconds (silence.go): then its
// answer is lost. Statements are prepared where no pooler lies between, and commits keep one plan,
// which is not one that sorts (plansSQL).
//
// # The copy
//
//	CACHE/mem/postgres/SPACE-HASH/   (0700; HASH is of host, port, database and space)
//	    state.jsonl, checkpoint.json, cache/   as package state has them
//	    tail-SEQ    what came after the state that covers SEQ: a JSON object, then lines of
//	                "SEQ ENVELOPE"
//	    lock        flock of a process that changes the copy
//	    cache/compacting   flock of a compaction, with the times of the last compaction, as for
//	                a store of files: it rests as long
//	    synced      when it last had all that the server had, and when it said so: a JSON object
//	    aside-TIME/ a copy of which the server had not all, for "mem copy"
//	    journal-GEN-ops.jsonl, journal-GEN-injections.jsonl   the journals of this machine since
//	                the purge of that number; those of an earlier one go at the next use
//
// Each read first asks one indexed question: gen, head, and what came since, together with the
// last envelope that it knows. So it is never older than a write that was acknowledged before it
// began; reads that wait for the answer share the next question. What came is added to the view in
// memory and to the tail. Answers are those of the file store, for state, columns and fts give
// them.
//
// If the last envelope is not the server's, the server lost it: the copy is set aside, never
// merged. If gen is another something was purged: the copy is removed and made anew, and says so
// in followers, before it answers again. A copy that is damaged is made anew. Get, Versions,
// History, and what an update looks at, need no copy: they are asked in SQL by key.
//
// A copy that is read notes so among the followers, once an hour, and drops those that were not
// seen for 30 days, which a purge names no more. So a copy that finds itself dropped is made anew
// before it answers.
//
// # After a crash
//
// Of the server: what it acknowledged is there, as far as it keeps its own promise
// (synchronous_commit off is turned on for each commit; "mem doctor" reports fsync off). Of memd: a
// transaction that did not end is rolled back; lines of journals of the last second are lost. The
// copy may have a line that is cut off, which is no line; a state without its tail, which is asked
// for again; a tail whose state is gone, which nobody reads; temporary files.
//
// # A purge
//
// One transaction deletes the versions and blobs, appends the tombstones and raises gen. Then this
// machine's journals are cut, the whole space is searched for the values, and vacuumed where the
// role may. A crash before the journals are cut leaves them to the next use, which removes them.
// The proof names the places that cannot be looked into from here (docs/postgres.md).
//
// Migrations run in one transaction under an advisory lock of it, so that they work through a
// pooler.
package pgstore

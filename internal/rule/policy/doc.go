// Package policy decides whether a write may enter the store (exit code 3 if not): it owns the
// limits of sizes, what a source must say, and which secrets are refused. It keeps nothing on disk,
// so a crash leaves nothing of it.
//
// # Sizes
//
// Content at most 1 MiB, source at most 64 KiB, one line of a batch at most 2 MiB, all in bytes of
// the text as given (M-15, S-77). The limit of a key, 1,024 bytes, is in package keypath. A note
// has at most 500 characters, counted as code points, because that is what its writer sees of text
// in any script, and at most 5 tags (N-09, N-11).
//
// # Provenance (M-17 to M-22)
//
// Every write names a source, a JSON object or a string. Text from outside can poison a memory for
// good, so it must be traceable. Provenance is due when
//
//   - the source's kind is web, tool or file, or
//   - the key lies under a knowledge namespace (/kb, and what config.json adds, in any case of
//     letters), or
//   - the source names no kind, but a URL: then it came from the network, whatever it calls itself.
//
// When it is due, the source must be an object with kind (user, tool, web, file, system or agent),
// name, retrieved_at (ISO 8601) and a locator with at least one trace: a URL, path, query, event id
// or hash. Names of members count without case, - and _, so two members that are one then, like
// kind and KIND, are refused; a kind outside the six is, too. A tombstone adds no text, so a source
// of any shape is enough for it (M-14).
//
// # Secrets (N-14 to N-17, B-51)
//
// A write with what looks like a secret in its key, content or source is refused, and never
// quarantined instead: the log forgets nothing. A tombstone may name the key that it deletes,
// whatever that is. Package secret has the rules; this package decides that the texts of notes,
// keys under /note, are judged by the stricter variant.
//
// # Quarantine
//
// A write without the provenance that is due may be quarantined instead of refused: under
// /untrusted/ + key, with the reason in its source, outside every default read, until it is
// approved or rejected (M-18). Keys under /untrusted/ need no provenance themselves.
//
// # Namespaces
//
// The table of [Namespaces] says who is shown what, by the grammar of a view's own keys:
//
//	/untrusted and below         nobody; who names the key gets it
//	/agent/<id>/journal/<ulid>,  that agent, the Agent of the caller ($MEM_AGENT); to all others
//	/agent/<id>/core/<ulid>      it is not there, even by its key, and no page of memories has it
//	/session/<id>/mem_<ulid>     who looks for it: get, ls, query, search; a page of memories has
//	                             it only below a prefix in /session
//	/session/<id>                who lists or exports it; no search and no page has it
//	/event/<session>/evt_<ulid>, who looks below a prefix in that namespace, by ls, query, search
//	/artifact/art_<ulid>,        or read, and who exports or counts; nobody is told of it by
//	/handoff/<session>/<agent>,  itself
//	/memories and below
//	anything else                everybody
//
// Events and artifacts are append-only (B-09): a live one is neither replaced nor deleted, forced
// or not, but by a purge ([CheckAppend]). The envelope of one may come from elsewhere.
//
// It also says which verbs write what has a form of its own ([CheckVerb]): an agent's own is stored
// by mem journal and mem core, a conversation by mem session and mem remember. An operation that is
// forced is not asked (--force). A new key that lies among an agent's own, or among records, and
// has not their form is refused to every verb ([CheckReserved]): it would be told to everybody.
//
// An agent changes and deletes nothing of what it keeps, and names no other agent ([CheckOwn],
// [Acting]); a person forgets it by its key, and brings it back, and is shown nothing of it
// ([Reaches]).
//
// [Permits] answers for a key that is named, [Visible] and [ForSearch] for what is listed or
// searched, [ForPage] for what goes into a prompt. A write is not asked: an agent may leave another
// one a word. This guards against mistakes and not against whoever can read the files.
package policy

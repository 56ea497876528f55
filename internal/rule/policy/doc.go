// Package policy decides whether a write may enter the store (exit code 3 if not): it owns the
// limits of sizes, what a source must say, and which secrets are refused. docs/decisions.md says
// what a person decides, docs/store.md has the limits. The package keeps nothing on disk.
//
// # Admission
//
// [NewFacts] parses a write once. [Ground.Admit] asks the rules that need no lock; under the lock
// [Facts.AdmitOver] asks those that judge the record in whose place the write comes. The table of
// rules in admit.go lists them in order, each with the [Exemptions] that spare a write the rule. A
// copy of a whole store ([Copy]) writes what another store has admitted, and asks none.
//
// Sizes are bytes of the text as given; a note is measured in code points, because its writer sees
// characters in any script, and its content has a text ([ErrInput]), but for a line of an
// import. A list of a request has at most [MaxList] entries ([CheckLength]).
//
// # Provenance
//
// Text from outside can poison a memory for good, so it must be traceable. Every write names a
// source, a JSON object or a string. Provenance is due when
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
// of any shape is enough for it. A write without the provenance that is due may be quarantined
// instead: under /untrusted/ + key, with the reason in its source, outside every default read,
// until it is approved or rejected. Keys under /untrusted/ need no provenance themselves.
//
// A write with a secret is refused, and never quarantined instead: the log forgets nothing. A
// tombstone may name the key that it deletes, whatever the key holds. Package secret has the rules;
// notes, keys under /note, are judged by the stricter variant.
//
// # Rules of the user
//
// A record is a rule of the user if it claims to be one ([ClaimsRule]), a person vouches for it,
// and its store may hold rules ([Belief.Standing], the one predicate for injection, pages, bundles
// and exports). The line of a record for which no person vouches has a mark in its source
// ([Facts.Origin], content.Claim). A caller that is no person ([IsPerson]) changes no rule; it
// proposes the change ([RuleError], [Proposals]).
//
// # Namespaces
//
// The table of [Namespaces] lists which callers see which records, by the grammar of a view's own
// keys:
//
//	/untrusted and below         nobody; only a caller that names the key gets it
//	/agent/<id>/journal/<ulid>,  that agent, the Agent of the caller ($MEM_AGENT); for all others
//	/agent/<id>/core/<ulid>      it does not exist, even by its key, nor on a page of memories
//	/session/<id>/mem_<ulid>     get, ls, query and search; a page of memories has it only below a
//	                             prefix in /session
//	/session/<id>                lists and exports; no search and no page has it
//	/event/<session>/evt_<ulid>, ls, query, search and read below a prefix in that namespace,
//	/artifact/art_<ulid>,        exports and counts; nothing else shows them by itself
//	/handoff/<session>/<agent>,
//	/memories and below
//	anything else                everybody
//
// [Permits] decides for a key that the caller names, [Visible] and [ForSearch] for lists and
// searches, [ForPage] for pages that go into a prompt. Writes skip these checks: an agent may leave
// another one a word. This guards against mistakes and not against people and programs that can
// read the files.
//
// The table also lists which verbs write records that have a form of their own ([CheckVerb]); a
// forced operation (--force) skips this check. Every verb refuses a new key that lies among an
// agent's own records, or among events and artifacts, but lacks their form ([CheckReserved]): every
// caller would see it. Events and artifacts are append-only: no write replaces or deletes a live
// one, forced or not; only a purge does ([CheckAppend]). An agent changes and deletes none of its
// own records, and names no other agent ([CheckOwn], [Acting]); a person deletes such a record by
// its key, and undoes that, without seeing its content ([Reaches]).
package policy

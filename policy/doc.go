// Package policy decides whether a write may enter the store (exit code 3 where it may not): sizes, where the word comes from, and
// secrets.
//
// # Sizes
//
// Content at most 1 MiB, source at most 64 KiB, one line of a batch at most 2 MiB, all in bytes of the text as given (M-15, S-77).
// A key's 1,024 bytes are keypath's rule. A note has at most 500 characters, counted as code points, for that is what its writer sees of
// text in any script, and at most 5 tags (N-09, N-11).
//
// # Provenance (M-17 to M-22)
//
// Every write names a source, a JSON object or a string. What comes from outside can poison a memory for good, so it
// must be traceable; that is due when
//
//   - the source's kind is web, tool or file, or
//   - the key lies under a knowledge namespace (/kb, and what config.json adds), or
//   - the source says no kind, but names a URL: then it came from the network, whatever it calls itself.
//
// Where it is due the source must be an object with kind (user, tool, web, file, system or agent), name, retrieved_at (ISO 8601) and a
// locator with at least one trace: a URL, path, query, event id or hash. A kind outside the six is refused everywhere. A tombstone
// brings nothing in, so a source of any shape will do for it (M-14).
//
// # Secrets (N-14 to N-17, B-51)
//
// What looks like a secret in key, content or source is refused, and never kept apart instead: the log forgets nothing. A tombstone may name the key it
// voids, whatever that is. Package secret knows the rules; here is decided that the texts of notes, keys under /note, are judged by their words alone.
//
// # Quarantine
//
// What fails may be kept apart instead of refused: under /untrusted/ + key, with the reason in its source, outside every default read, until
// somebody approves or rejects it (M-18). Keys under /untrusted/ need no provenance themselves.
package policy

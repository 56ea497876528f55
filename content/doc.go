// Package content reads the few members of content that mem itself understands: type, summary,
// text, tags, importance and expired_at (M-16). Content is the agent's own: a member of another
// type than expected counts as absent, and no shape of content is an error.
//
//	importance   0..1 as it stands; above 1 it is one of 10 (C-15); 0.5 where absent
//	expired_at   ISO 8601, or seconds, or (past the year 5138) milliseconds since 1970; the memory
//	             is over strictly after it, compared as instants (M-41)
package content

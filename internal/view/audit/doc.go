// Package audit looks for memories that make a store worse to read: a view above it, which writes
// nothing. Each finding says which command mends it; each command works by itself, on the store as
// it was looked at.
//
// One pass over the live memories serves all checks. It skips quarantined memories and those that
// [policy.Visible] hides. Of texts only hashes are kept.
//
// # Checks
//
// Expired: expired_at has passed. All other checks leave such a memory out.
//
// Unsourced: the source names nothing that leads back to where the memory is from
// ([policy.LeadsBack]).
//
// Stale: the time of a memory ([content.Fields.Time]) is older than a number of days, and it is
// neither pinned nor of type rule or preference: those hold until somebody changes them.
//
// Duplicates: memories under different keys that say the same. These have equal content, or the
// same summary and text but for case, white space and the punctuation of sentences, and are equal
// in all other members but type, tags, references, importance and the time they are of. A rule
// and another memory are no duplicates, for merged they would be one of the two; nor are a note for
// one conversation and a lasting one. A bare number, true, false and empty content mean nothing
// without their key and are not compared.
//
// Superseded memories are settled: the last two checks skip them.
//
// Dangling: memories whose successor is gone, or has expired, in this store and in those that are
// read with it, and one of each circle of successors, which the exchange of two machines can make:
// reads show none of them; and sessions that are gone and have records, which a machine wrote
// before it heard of that.
package audit

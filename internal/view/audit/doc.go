// Package audit looks for memories that make a store worse to read: a view above it, which writes
// nothing. Each finding says which command mends it; each command works by itself, on the store as
// it was looked at.
//
// One pass over the live memories serves all checks. What is quarantined and what [policy.Visible]
// hides is left out. Of texts only hashes are kept, and the few words that two statements may
// differ in.
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
// in all other members but type, tags, references, importance and the time they are of. A rule and
// what is none are no duplicates, for merged they would be one of the two; nor are a note for one
// conversation and what lasts. A bare number, true, false, and what is empty say nothing without
// their key and are not compared.
//
// Contradictions: a heuristic. It misses most contradictions, and what it finds may be none.
//
// What is superseded is settled, so neither of the last three checks looks at it.
//
// Dangling: what is superseded by a memory that is gone, or has expired, in this store and in those
// that are read with it: no read tells either of the two.
//
// # When two memories contradict each other
//
// Two memories right below one parent key, of the same type, contradict each other where both state
// the same predicate with different values, and are equal in all other members but those that a
// duplicate may differ in, and expired_at. A statement is one of these:
//
//   - An object with the members subject and predicate, and object or value. The first two are the
//     predicate, the third is the value.
//   - An object with the members key or name, and value.
//   - Content whose summary, else text, else the string that it is, is one English sentence: up to
//     eight words, a verb that commonly has one object at a time (is, are, uses, prefers, equals;
//     runs on, listens on, lives in, works at, deploys to, points to, defaults to, belongs to and
//     their like), and up to six words. Of the words after the verb the names and numbers are the
//     value: those that hold a capital, a digit, or a sign within. Where there are none, the first
//     of them is, but not after "is", where it says what something is like. All other words make
//     the predicate: "the port is 5432" contradicts "the port is 3306", "uses PostgreSQL for
//     storage" does not contradict "uses Redis for caching", and "prefers dark mode" not "prefers
//     short answers".
//
// A name contradicts no other word, but after "uses", where many are spelled either way. A sentence
// with a negation, an alternative or a subject like "it" states nothing here, nor does a key that
// ends in a date: what held on one day may differ on the next. A predicate that has more than three
// values in one folder, after "uses", "prefers" and "are" more than two, is taken for a list. Of
// the others, every memory that differs from the newest is a finding.
package audit

// Package move takes memories from one store into another, as from the user's store into that of a
// project: a view above the Store. Each is written to the one as an import, which keeps its time
// and its source, and then deleted from the other with a tombstone that says where it went.
//
// A note gets the next number of the store that it comes to, and the scope of its layer: its old id
// may be taken there. What the other store has newer, or has deleted later, stays where it is and
// is named ([Report.Kept]). What was moved away from there before comes back with a new ts, for it
// has to win against its tombstone; its content keeps its time then (content.KeepTime).
//
// A crash between the two steps leaves memories in both stores. The same move again completes it:
// what is there already is not written twice.
package move

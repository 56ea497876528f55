// Package note is short facts that an agent notes down: a view above the Store, which holds them as
// it holds every memory. A note is an envelope at /note/<scope>/m-<number>.
//
// Its number is chosen under the lock and never given to another note, whatever is deleted (N-08):
// the Store's counter "note" keeps the highest. Where notes are at their limit, the oldest get
// tombstones in the append that stores the new one (N-18), so a crash leaves both or neither.
package note

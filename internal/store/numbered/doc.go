// Package numbered finds the keys of all notes that ever had a number, deleted ones too: a short id
// like m-3 means a note only where no other note ever had its number. The state has live records
// alone, and to look for others in the whole history would cost more with each deleted note.
//
// It is a sidecar of the state, ROOT/cache/numbered; package sidecar has the container: when it is
// believed, its sums, what a crash leaves. It has the keys of what its state was made from; those
// of the log after it are the caller's to add. Without a sidecar that fits, the caller reads the
// whole history, to the same answer.
//
// # Format
//
// The file is "memnum1\n", pages of 1024 bytes, without numbers of its own. The sections,
// little-endian:
//
//	rows  16 bytes for each key, by the numbers, of one number by key: the number, uint64, and
//	      where its key begins in keys, uint64
//	keys  the keys, one after the other
package numbered

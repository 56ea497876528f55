// Package carry copies a whole memory from one store to another, whatever keeps them: every version
// of every key, tombstones, what has expired, what agents keep for themselves and what is
// quarantined, each with its time; the files that live artifacts are about; and the configuration,
// where the target has none. It is a view above the Store, and knows of no file.
//
// Journals (ops.jsonl, what conversations were told) are no history, and are not copied. Nor is
// that a number was given to what a purge has taken out with its key (mem forget --forget-key):
// nothing of it is left in the history.
//
// # What arrives
//
// A version is the same in both stores: its line in canonical form, with its checksum. Only what is
// no part of the format is lost: the order of members that another program wrote, members that no
// envelope has, and that a line had no checksum. A line that is in two files of the source is one
// version. A mark of a purge (content.IsPurgeMark) is a version like any other, so old copies lose
// against it in the target too. A line that cannot be read is left out, and counted.
//
// No rule of what may be written is asked, so only a person may copy.
//
// # The order
//
// A store takes an envelope with a time only where it wins against all that its key has had, so the
// versions of a key have to come in their order. In the history they mostly do, and are copied as
// they come, in batches. Where other hands were at work (a merge by git, an import, a restored
// archive) they do not: such keys are known after the first walk, are left out of the copy in the
// order of the history, and follow, sorted, as many at a time as fit into some MiB.
//
// Of two versions of one time one without a checksum loses in the source. In the target both have
// one: the first is left out there if it would win.
//
// # What is in memory
//
// A batch; for each version 16 bytes of its checksum and two more; for each key a hash and its
// newest time. That is some 50 MB for a million versions, whatever they say. To ask the target by
// key (backend.Versions) would need none of that, and cost a pass over a log for each key; to walk
// both histories side by side would need none either, but holds only as long as both have one
// order, which a source that is written to, or merged, does not keep.
//
// # After a crash
//
// There is no file of state: the next call asks the target what it has, by one walk of its history,
// and goes on with the rest. What has arrived has arrived whole and in the order of its key, for
// each batch is one update. A file of an artifact is there before the version that names it. A
// target that has a version which the source has not is refused before anything is written: it has
// memories of its own, or the source has forgotten something since (mem forget --purge).
//
// # The end
//
// The source is walked again until nothing is new, a few times at most, for it may be written to
// meanwhile. Then both stores are folded, and for the first segment of keys the memories that are
// live and have not expired must be as many, and have the same sum: SHA-256 over their lines and a
// newline each, in the order of their keys. Keys of one segment are counted together, as those of
// "/". What has expired is left out, for a compaction may have taken it out of one store and not
// yet of the other; its versions were copied all the same.
package carry

// Package transfer brings memories in from other programs and out to them, and from one store into
// another: a view above the Store. Package foreign has the formats of the other programs.
//
// # Whose lines
//
// An import decides for each key. A memory of the file is the one that the store has where the file
// has a version that the store has had, too, or names one: the same time, source and content, but
// for a mark and for the numbers and free names that a reference has elsewhere (lineage), under
// whatever number or free name (plan.origin). A key alone proves nothing. Then the newest version
// wins, a tombstone too; a key that both sides have changed since is listed. The other lines are
// another store's: a note gets a new number, any other key that is taken a free name, KEY~2. A
// version from before the purge of its key gets neither (plan.dropPurged): no lineage of it is left
// to compare. Only a note with a plain number, which every store gives, does if the file lacks the
// version that the purge saw last. A line without a time replaces what the same file has brought,
// by the whole path in its source (plan.sameFile), and is older where its key said the same before
// (plan.isOlder). A copy of a whole log is known by its first line. No line takes the place of a
// rule of the user, nor deletes one. What came so is marked: its source is a claim (content.Claim).
//
// In a layer, where ids have letters, a note with a plain id gets those that its first version
// determines (note.Letter), under its number: so another import, or the mark of a purge that came
// by a sync, meets it. Its versions come along, and what the file says of it follows.
//
// [ExportArchive] writes one tar: for each layer a file of lines, tombstones too, the bytes of
// artifacts, and the lineages of earlier versions ("earlier": 64 hex digits, a blank and the key
// on each line). A deletion keeps these here in its source ("earlier_versions",
// content.WithEarlier), for an older archive may bring one of the versions after it. An archive is
// read to its end, and each layer checked as in a dry run, before anything of it is stored: one
// that was cut off, be it between two members, or has damaged bytes is refused as a whole. One
// that comes as a stream is a nameless temporary file meanwhile. memd alone links tar files
// (package tarfile): mem hands the two verbs over to it, with the bytes that were read of a
// stream.
//
// # Steps
//
// [Import] is a batch, checked as a whole before anything is written, in which what a key holds
// already is left out: asked within the update, for somebody else may have written it since. Where
// lines without a time share a key the last counts, or a second import would find each of them
// changed again. [Export] takes no lock. Of a folder, a crash leaves whole files: topics first,
// then MEMORY.md, then it removes the files of deleted memories; and perhaps a hidden temporary
// file, which nothing reads.
//
// # An import or an export after a crash
//
// An export to a folder replaces one file after the other, MEMORY.md last: a crash leaves every
// file whole, and no link without its file. An import writes a store as any other write does.
//
// # Moving memories
//
// [Move] takes memories from one store into another, as from the user's store into that of a
// project. Each is written to the one with its source, and then deleted from the other with a
// tombstone that says where it went. Whether it comes in its ts decides; there it gets a ts of now,
// so a deletion that another machine made before does not beat it, and its content keeps its time
// (content.KeepTime), where it is an object.
//
// A note gets the next number of the store that it comes to, and the scope of its layer: its old
// id may be taken there. It keeps its letters, and gets those of its first version where it has
// none. Where another store is taken in ([MoveJob.History]) and no note is in the way, notes keep
// their ids, and the older versions come along, each with its time, those of deleted memories too.
// No note is in the way where the store has none, and where no id that would be kept was that of
// another note there. A history of which a version may not be written there stays behind as a
// whole: a part of it could bring back a deleted memory. So does that of records in sessions,
// which a session takes or refuses by its state of today.
//
// Where a note gets another id, what names its old key names the new one: the memories that move
// with it, and those that stay in a project that only this person reads, when it moves to the
// user's store, which is read with the project. References to what stays are left as they are, for
// the other layer is read too. Of any other store a note that is superseded by one which does not
// come along stays as well: its successor's key may be that of another note.
//
// A memory that the other store has in a newer version, or has deleted later, stays where it is and
// is listed ([MoveReport.Kept]). A memory that was moved away from there before, or whose move was
// undone, comes back.
//
// Both stores are written by one update: all is checked under both locks, and nothing is written
// where a part is refused. The store that they come to appends first, so a crash between the two
// appends leaves memories in both stores, until the next write to either: see mem.UpdateWith. The
// same move again completes it, too, and writes no memory twice.
//
// # Copying a whole memory
//
// [Copy] copies a whole memory from one store to an empty one, whatever keeps them: every version
// of every key, including tombstones and expired, private and quarantined memories, each with its
// time; the files that live artifacts are about; and the configuration, where the target has none.
// It knows of no file. A target that has versions is refused: [Import] and [Move] merge.
//
// Journals (ops.jsonl, the record of texts injected into conversations) are no history, and are not
// copied. A number whose key a purge has removed (mem forget --forget-key) is not copied either,
// for nothing of it is left in the history.
//
// # What arrives of a copy
//
// A version is the same in both stores: its line in canonical form, with its checksum. A copy loses
// only details that are no part of the format: the order of members that another program wrote,
// members that no envelope has, and that a line had no checksum. A line that is in two files of the
// source is one version. A mark of a purge (content.IsPurgeMark) is a version like any other, so
// old copies lose against it in the target too. A line that cannot be read is left out, as is an
// artifact's file that is missing or altered; the copy ends with an error that counts them
// ([LackError]), and has all else.
//
// No rule of what may be written is asked, so only a person may copy.
//
// # The order of a copy
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
// # What a copy keeps in memory
//
// A batch, and for each key a hash and two times, however many versions it has.
//
// # A copy after a crash
//
// There is no file of state, and no way to go on: the target has some of the versions, and every
// later copy refuses it. The person removes it, and the copy begins again. Until then it is a sound
// store that lacks memories: each batch is one update, the versions of a key arrive in their order,
// and the file of an artifact is there before the version that names it. Where only files or the
// configuration have arrived the target counts as empty.
//
// # The end of a copy
//
// The source is walked again until nothing is new, a few times at most, for it may be written to
// meanwhile: versions newer than the copied ones of their key are copied too. Where there are more
// or fewer of the others than before, as after a purge or an import, the copy ends with an error,
// for the target may have something that the source has forgotten. Then both stores are folded, and
// for the first segment of keys the memories that are live and have not expired must be as many,
// and have the same sum: SHA-256 over their lines and a newline each, in the order of their keys.
// Keys of one segment are counted together, as those of "/". Expired memories are left out, for a
// compaction may have taken it out of one store and not yet of the other; its versions were copied
// all the same.
//
// # What a server has lost
//
// [BringBack] is for a server that was restored from a backup. A machine's copy of the space
// (package pgstore), set aside or not, has lines that the server lost; they are stored there, each
// where it is newer than all that its key has had. The mark of a purge is one of them, but the copy
// does not purge again: the report names the key. A state has live lines only, so a deletion or a
// purge that it covers does not come. A crash leaves some of the batches, and the next call
// goes on.
package transfer

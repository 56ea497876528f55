// Package transfer brings memories in from other programs and out to them, and from one store into
// another: a view above the Store. Package foreign has the formats of the other programs.
//
// # An import
//
// [Import] is a batch, checked as a whole before anything is written; a version that its key holds
// already is left out, as the update finds it. It decides for each key whose the line is. A memory
// of the file is the one that the store has where the file has a version that the store has had,
// too, or names one: the same time, source and content, but for a mark and for the numbers and free
// names that a reference has elsewhere (lineage), under whatever number or free name (plan.origin).
// A key alone proves nothing. Then the newest version wins, a tombstone too; a key that both sides
// have changed since is listed. The other lines are another store's: a note gets a new number, any
// other key that is taken a free name, KEY~2. A version from before the purge of its key gets
// neither (plan.dropPurged): no lineage of it is left to compare. Only a note with a plain number,
// which every store gives, does if the file lacks the version that the purge saw last. A line
// without a time replaces what the same file has brought, by the whole path in its source
// (plan.sameFile), and is older where its key said the same before (plan.isOlder); of several with
// one key the last counts. A copy of a whole log is known by its first line. No line takes the
// place of a rule of the user, nor deletes one. The source of a line that came so is a claim
// (content.Claim).
//
// In a layer, where ids have letters, a note with a plain id gets those that its first version
// determines (note.Letter), under its number: so another import, or the mark of a purge that came
// by a sync, meets it. Its versions come along, and what the file says of it follows.
//
// # An export
//
// [Export] takes no lock. A folder gets its topics first and then MEMORY.md, and then loses the
// files of deleted memories: a crash leaves whole files and no link without its file, and perhaps
// a hidden temporary file, which nothing reads.
//
// [ExportArchive] writes one tar: for each layer a file of lines, tombstones too, the bytes of
// artifacts, and the lineages of earlier versions ("earlier": 64 hex digits, a blank and the key
// on each line). A deletion keeps these here in its source ("earlier_versions",
// content.WithEarlier), for an older archive may bring one of the versions after it. An archive
// that is cut off, be it between two members, or damaged is refused as a whole. memd alone links
// tar files (package tarfile): mem hands both verbs over to it.
//
// # A move
//
// [Move] takes memories from one store into another; docs/layers.md says what a person sees. Each
// is written to the one with its source, and then deleted from the other with a tombstone that says
// where it went. Its ts decides whether it comes; there it gets a ts of now, so a deletion that
// another machine made before does not beat it, and its content keeps its time (content.KeepTime),
// where it is an object. A memory that was moved away from there before, or whose move was undone,
// comes back.
//
// A note gets the next number of the store that it comes to, and the scope of its layer; it keeps
// its letters, or gets those of its first version. Where another store is taken in
// ([MoveJob.History]), there are no notes there, and no id that would be kept was that of another
// note, notes keep their ids, and older versions and deletions come along with their times. A
// history of which a version may not be written there stays behind as a whole: a part of it could
// bring back a deleted memory. So does that of records in sessions, which a session takes or
// refuses by its state of today.
//
// Where a note gets another id, the references to it follow: of the memories that move with it, and
// of those that stay in a project that only this person reads, when it moves to the user's store.
// References to what stays are left as they are, for the other layer is read too. Of any other
// store a note that is superseded by one which does not come along stays as well: its successor's
// key may be that of another note.
//
// Both stores are written by one update: all is checked under both locks, and nothing is written
// where a part is refused. The store that they come to appends first, so a crash between the two
// appends leaves memories in both stores, until the next write to either (mem.UpdateWith), or the
// same move again, which writes no memory twice.
//
// # A copy of a whole memory
//
// [Copy] copies every version of every key, with its time, the files that live artifacts are about,
// and the configuration, where the target has none, to an empty store, whatever keeps the two. No
// rule of what may be written is asked, so only a person may copy. Journals and the record of
// injections are no history, and stay; so does a number whose key a purge has removed (mem forget
// --forget-key).
//
// A version arrives as its line in canonical form, with its checksum. Lost are only details that
// are no part of the format: the order of members that another program wrote, members that no
// envelope has, and that a line had no checksum. A line in two files of the source is one version.
// The mark of a purge is a version like any other, so old copies lose against it in the target
// too. Lines that cannot be read, and files of artifacts that are missing or altered, are counted
// by the error in the end ([LackError]).
//
// A store takes an envelope with a time only where it wins against all that its key has had. Where
// the versions of a key are not in their order in the history, as after a merge by git, they are
// left out at first and follow, sorted, some MiB at a time. Of two versions of one time one without
// a checksum loses in the source; it is left out if it would win in the target, where both have
// one. In memory are a batch, and for each key a hash and two times.
//
// The source is walked again until nothing is new, a few times at most, for it may be written to
// meanwhile. Where its other versions are not those of before, as after a purge or an import, the
// copy ends with an error, for the target may have something that the source has forgotten. Then
// both stores are folded: for the first segment of keys the memories that are live and have not
// expired must be as many, and have the same SHA-256 over their lines and a newline each, in the
// order of their keys; keys of one segment count together, as those of "/".
//
// There is no file of state. A copy that was cut short is a sound store that lacks memories, and
// every later copy refuses it; with files or the configuration alone it counts as empty. Each batch
// is one update, and the file of an artifact is there before the version that names it.
//
// [BringBack] stores what a server has lost from a machine's copy of the space (package pgstore).
// The mark of a purge comes so, but the copy does not purge again: the report names the key. A
// state has live lines only, so a deletion or a purge that it covers does not come. A crash leaves
// some of the batches, and the next call goes on.
package transfer

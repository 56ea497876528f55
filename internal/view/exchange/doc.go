// Package exchange brings the copies of one person's memory on several machines together, without a
// server: a view above the Store. Each machine gives the lines that a depot (package depot) lacks,
// and folds in those that it has not seen. docs/sync.md says what a person does and sees.
//
// # A segment
//
// The plain bytes of a segment are a gzip of lines: first a head, then lines of the log in their
// canonical form, each with its checksum. It is sealed (package parcel) for the id of its
// depot, and never changed.
//
//	{"v":1,"scope":"user","machine":"5f0c...","name":"laptop","at":"2026-02-22T10:00:00.000000Z"}
//	{"key":"/user/style","ts":...,"checksum":"sha256:..."}
//
// scope says which memory the lines are of. The other members of the head are those of the type
// head in segment.go. "marked" comes from a mem that kept its marks beside the log: a reader puts
// them into the source of the lines. "identities" of a project (package site) pair no stores: they
// are for a person who looks for the memories of a repository. Where they change, and no line
// does, a segment without lines brings them.
//
// # An exchange
//
//	fetch   the names at the depot; segments that were not read yet are opened and checked
//	heal    segments that another machine cannot read, nor this one, which knows them, are removed
//	survey  the lines and the marks of purges of this copy
//	admit   the fetched lines that enter, and those that wait
//	again   all of that once more, where this copy lacks a line that it had
//	look    which marks of purges take something here
//	fold    the fetched lines that this copy lacks, by union: [mem.Operation.MergeLines]
//	purge   what the marks take, wherever the purge was
//	send    the lines that the depot lacks, in a new segment
//	clean   segments at the depot that hold purged lines are replaced
//	merge   many small segments become one (mergeSmall)
//	keep    what the depot has, in a file of this machine
//	count   the notes whose plain ids keep them on this machine
//
// A line is known by its identity ([log.Identity]), so an exchange is commutative, associative and
// idempotent; a line that came from one depot goes on to the next. A segment that is gone takes
// nothing away: where one is missing, all are read again and the lines that the depot lacks are
// sent once more. [mem.Travels] says which lines stay on their machine.
//
// No lock is held while the depot is asked. A store is locked once to fold and once to purge. Where
// the depot has more than fits into memory, the steps up to the purge are taken for a part of it at
// a time, and the others at last. Where the time is limited, half of the rest is for reading.
//
// # Lines from the future
//
// A line more than 24 h ahead of the machine's clock waits at the depot, and does not enter when
// its date has come: by then it would win against all that was written before that date. A file of
// the machine for each memory has the identities of such lines, over all depots: "w ID" for one
// that waits, "x ID" for one that is left out for good. [Take] folds a line in, with a time of now
// where it is ahead still, behind all lines of this copy, and takes the old line out of the depot;
// [Drop] leaves it out here, but for the mark of a purge, which goes on to wait; what that takes is
// not sent meanwhile. The new line names the one that it replaces in its source,
// "taken":{"ts":...,"sum":...} with the identity as sum: by that every machine that has the new
// line leaves the old one out, takes it out of each depot and sends it no more, and fsck --repair
// sets it aside (content.Taken). Until it has, a machine that has the old one says so, and a mark
// among those takes nothing there. Own lines that are ahead are not sent. One that fsck --repair
// has set aside, as quarantine/ shows, leaves the depot. A person's --now later than the clock
// counts as the clock of that exchange; what waits already goes on to wait.
//
// A reader cannot know from one other machine which of both clocks is wrong. Where the heads of two
// others are more than 24 h ahead of its own, it is behind, and takes the second latest for the
// time. Of each machine the head that came last counts, also where it is older than one before: its
// clock was ahead, and is right again. It counts for a week by the reader's own clock: two machines
// that never come again would hold every other one to be behind for ever.
//
// # A backup
//
// [Backup] is an exchange that only gives, of all lines whatever their class, in a scope of its own
// for each store of a machine: backup/MACHINE/STORE, where STORE is user or the name of a project's
// directory, which stays when the project gets another identity; that is in the head. Exchanges
// pass over these scopes. A segment of a file has its name in the head and its bytes after it:
//
//	{"v":1,"scope":"backup/5f0c.../user","file":"artifacts/9b74...","machine":"5f0c...",...}
//
// Files are those of artifacts, config.json and injections.jsonl, but not its key; what fsck has
// put into quarantine/ stays. Of a file only the newest version is kept. A purge takes the file of
// its artifact along, unless the store still has it.
//
// [Restore] folds a backup into a store, purges what either has purged, reads each line back, and
// puts each file that an artifact in the history is about in its place, by its hash. It writes
// nothing to the depot, and nothing about it on this machine.
//
// Notes of an earlier mem whose ids have no letters, as u-3, may have the id of another note
// elsewhere: they do not travel ([Report.Plain] counts them), and package lettering gives them
// letters. A restore gives these at once, the same ones: so they meet the mark of their purge.
//
// # Purges
//
// A purge travels as its mark, the tombstone that it left. A machine that meets a mark purges what
// it takes (content.Reach) from its own history and from quarantine/, and replaces each segment
// that holds such a line by one without it, the new one first. Where the depot has had the mark for
// longer, the new segment has it, too: a machine cannot read that one. The mark names the time of a
// line from the future in whose place the purge had another, so no machine gives that back. What
// lies between that and the mark was not seen by the purge: the mark hides it, and it is named
// once. A mark that gets a time of now takes what it names, and no more (content.Redated); one that
// is ahead takes only that, too, and out of the depot only what that had at the last exchange. The
// purging machine also takes out of the depot what it had and has no more, whatever its time. A
// purge with --forget-key leaves no mark: it does not travel.
//
// Before its own history a machine purges the copies that moves on it have made of what goes
// ([Job.Follow]): the rest leads there, and after a crash the next exchange follows it again. Each
// copy gets a mark of its own, which travels.
//
// # The file of a machine
//
// Beside the book of trust, sync/DEPOT/NAME has the segments and lines that a depot is known to
// hold: a head of JSON, a line "s NAME LINES" for each segment (LINES is -1 for one without lines
// of the memory, -2 for one in which lines wait), "f NAME LINES" for one that was read before all
// are read again, until they are, "w ID TIME MACHINE" for each line that waits ("p" for the mark of
// a purge), and the identity of each line. It is disposable: without it, or where it is torn, all
// segments are read again.
//
// # After a crash
//
// Every step may be cut and done again; a backup may leave two versions of a file, of which the
// next one removes the older. The file is written last: until then the next exchange reads the new
// segments as those of another machine, and finds that it has all their lines.
package exchange

// Package note is short facts that an agent notes down: a view above the Store, which holds them as
// it holds every memory. A note is an envelope at /note/<scope>/m-<number>, or u-<number> in the
// user's layer.
//
// Its number is chosen under the lock and never given to another note, even after a deletion: the
// Store's counter "note" keeps the highest. Where notes are at their limit, the oldest get
// tombstones in the append that stores the new one, so a crash leaves both or neither.
//
// # Letters
//
// In a store that is written in several copies, four letters follow the number (m-4-abcd), and
// numbers may be equal. They stand for the copy, in a .mem that git shares; for the machine, in a
// store that takes part in a sync ([IDsOf]); or for the note, where its id had none before its
// machine took part ([Letter]). The id without them means the note as well ([Resolve]) if no note
// has just that id, or had it, and one live note alone has the number.
//
// # A text that is known
//
// [Add] reads the notes under the lock, where no other call can store the same text meanwhile: of
// the log no other lines are decoded (mem.Tx.Below). A text is known where a current note has the
// same folded text (content.FoldText), for the same readers: a note of a conversation is known in
// that conversation alone. It is renewed, in one line. Where the note is for a project, the user's
// store is asked first, without its lock: of two calls at the same time both may store.
//
// # A text that is near
//
// What says nearly the same (fts.Near: most of every two neighboring words are the same, and no
// number in the first half differs) is only named. The look for it runs beside the update, which
// waits for the disk meanwhile, and no note fails for it; it has ended when [Add] returns. It sees the store as it was at some moment of the
// call, so the note itself, what it replaces, and what made room for it are left out of the names.
// A crash loses the names alone: nothing of them is stored.
package note

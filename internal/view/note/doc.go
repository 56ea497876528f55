// Package note is short facts that an agent notes down: a view above the Store, which holds them as
// it holds every memory. A note is an envelope at /note/<scope>/m-<number>, or u-<number> in the
// user's layer, with letters in a layer.
//
// Its number is chosen under the lock and never given to another note, even after a deletion: the
// Store's counter "note" keeps the highest. Where notes are at their limit, the oldest get
// tombstones in the append that stores the new one, so a crash leaves both or neither.
//
// # Letters
//
// In a layer, which people, machines and branches write in several copies, six letters that are
// drawn for each note follow its number (m-4-abcdef, see [IDsOf]), so no two copies give one id
// twice, and numbers may be equal. A note with a plain id that comes into a layer gets four that
// its first version determines ([Letter]), so each copy of it gets the same. The short id, without
// letters, means the note where no other, live or deleted, ever had the number ([Resolve]). Other
// stores give plain ids, m-4. Answers and records hold whole ids; short ones are for people.
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
// waits for the disk meanwhile, and no note fails for it; it has ended when [Add] returns. It sees
// the store as it was at some moment of the call, so the note itself, what it replaces, and what
// made room for it are left out of the names.
// A crash loses the names alone: nothing of them is stored.
package note

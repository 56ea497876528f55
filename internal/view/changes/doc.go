// Package changes tells what was stored over time: a view above the Store, which reads its history,
// archives included, and writes nothing.
//
// [List] is what was written, newest first, of all keys. It reads the history once and keeps no
// more of it than it returns. [Between] is two versions of one key, to be compared. Both take the
// caller, as every view does; nothing that they show depends on it yet.
package changes

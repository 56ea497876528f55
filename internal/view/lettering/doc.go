// Package lettering gives letters to notes with plain ids in a layer: a view above the Store. A
// plain id is that of one copy alone, for another one may have given it to another note. So such
// notes travel to no other machine. A sync and doctor name those of stores of before, and a repair
// ([Give]) gives each the letters that its first version determines (note.Letter), as an import, a
// move and a restore do ([Of]): every copy of the note gets the same.
//
// # After a crash
//
// First what refers to a note names its new id; then one append stores all its versions under
// that, and a mark of a purge under the old one; then the versions before the mark are purged. A
// crash between leaves plain notes, or old versions behind their mark: the next call goes on. The
// mark keeps copies of the old lines, as git may bring, from coming back.
package lettering

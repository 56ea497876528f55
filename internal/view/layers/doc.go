// Package layers routes a call to its stores, where none is named: the user's and the project's
// (package site), each a [mem.Store]. It is the one place that opens them, with what the rules of a
// layer ask of a store: which keys it may hold, whose lines are believed, and what a write notes.
//
// Reading asks both as one store ([Layers.Reading], [mem.JoinStores]): what the project and the
// user both have under a key is the project's. A write goes where its key belongs
// ([Layers.SiteFor]), and a batch to both ([Layers.SetAll]). What goes into a prompt without being
// asked for comes from [Layers.Admitted], which leaves out lines of others that no person has
// reviewed; a hook injects from [Layers.Injected], which leaves out memories of no project as well.
//
// A .mem in a repository is used when a person has let it in ([Layers.LetIn]): the lines that they
// looked at are this person's from then on, and so is each line that is written here. Package site
// keeps the book of these lines.
//
// Nothing is kept here. A crash between a write and its line in the book leaves a line that counts
// as another's: a person reviews it, and nothing is injected from it before.
package layers

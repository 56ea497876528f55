// Package inject puts memories into an agent's conversation by itself: a view above the Store.
// docs/clients.md and docs/layers.md say what a conversation gets.
//
// # The choice
//
// A start gets the pinned memories (policy.IsPinned), the most important first and the oldest of
// equal importance, in at most half of its budget; the block counts those that have no room. The
// rest has an order of its own (readout.Query.Start), in which one line may stand for several
// similar memories: these are not recorded as injected, so a prompt can still inject them. Facts
// that the work names before its first prompt come before the newest (type work). They are looked
// for among the memories that a start looks at anyway, about 340 within 2,500 tokens. A sub-agent
// has a context of its own, and gets the order of a read.
//
// A prompt gets, of the memories above the floor of package fts, those that hold against the best
// (fts.Focus), at most five: a weak line costs tokens at each later request, and hides the right
// one. Where the prompt has two to four sentences, one to which no such line is relevant adds its
// own best line, if the prompt as a whole is above the floor. What the conversation has is left out
// after that, so that a topic that comes again brings nothing weaker. With recent_only a prompt
// gets the newest notes.
//
// A conversation does not get a memory that is in its context already: in the same version, in the
// same words under another key or in a newer version (content.FoldText), or written by the
// conversation itself, as its source says. All this is in its context until its client says that it
// was lost. A conversation that is resumed and still has its start gets only memories that were
// written after that start, and not the next best of the older ones.
//
// A line names its memory as verbs take it (readout.Labels). An id stands for a key where it is
// unique among all memories that get can find ([Options.Names], note.Alone): get finds more than a
// hook injects, as notes of the user's store that belong to no project.
//
// # The record
//
// [Choose] works as a reader: it takes no lock, and makes only the key of the record, once. [Claim]
// then records the injection, before it is delivered, in injections.jsonl: keys, times and a short
// sum of the text of each line, no texts. The sum is an HMAC under that random key of this machine
// (backend.Journal), so that the record alone does not confirm a guessed text. The record also says
// whether the conversation had lost its context by then ([Retained]): clients differ in how much of
// a resumed conversation they restore.
//
// Of hooks that run at the same time in a conversation, the one whose line comes first delivers a
// memory; the others omit it and write their line again. The lines of an answer have one mark, a
// member claim, and a later line of a mark replaces the earlier one. After a crash between claim
// and delivery the conversation lacks the memories of that one injection until it loses its
// context. The record is best effort, as the journal is: where a line cannot be written, or another
// process trims it away at that moment, a memory is injected twice. So is one of a start after the
// context was lost.
//
// An injection that did not arrive is recorded with the reason ([Injection.Missed]), under the mark
// of its claim if it had one: the claim then counts for nothing, whichever line came first. The
// next prompt then delivers the start, before its own answer and within the limit of one block.
//
// # At an edit
//
// Where an agent is about to edit files (AtEdit), or has edited them where its client passes no
// text on before, at most two memories that name a file are injected, in at most 200 tokens. The
// store has a table of the names ([mem.Reader.FindNaming]). A memory names a file
//
//	by its path in the project, or its absolute path
//	by a pattern or a path in content.files
//	by the end of its path, one element or more, unless that is a common name alone (README.md,
//	index.ts), or another memory that may be injected has another path with that end
//	by a folder of two levels or more, with a slash at its end
//
// Where no memory names a file, those count that name a path that it had before an agent renamed it
// ([Rename]) or it was moved to another folder, as git's index shows; and of a file whose bytes a
// memory has recorded (content.Fields.Files) that memory, where no file is at its path any more.
// The closest name comes first, of these the newest memory. An edit without such a memory leaves no
// line in the record; one whose memory the conversation was given before leaves one, once for each
// memory.
//
// # From other places
//
// With the bridge ([Options.Native]) a start ends with facts that other clients keep themselves
// (package native), in a part of their own: always facts, never rules. Each is recorded by its file
// and the time of its last change, as "codex:MEMORY.md", so a file comes once in a version.
//
// Where the hook was wired for an agent ([Options.Personal]), a start of its conversation brings
// the page of its journal and core, too (package journal), as a part of the block behind the
// memories, of at most two thirds of it. The page is injected again when something was added to it,
// or when the context was lost. No other part of a block has any of it.
//
// A server chooses for a conversation on another machine, and sends the lines ([Injection.Sent]).
// There [Frame] makes the block by the same code, from the limits of the store there; where these
// and the clock are alike, the block is the same to the byte.
//
// Where the store is several that are read together ([Options.Layered]), the record names the layer
// of each memory. Of the notes below /note/session a conversation then gets its own: those whose
// source is
//
//	{"kind":"agent","name":CLIENT,"locator":{"session":ID}}
//
// as every write from within a client has it. In one store scopes filter nothing.
package inject

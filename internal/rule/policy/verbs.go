package policy

import (
	"slices"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
)

// Verb is one row of the table of operations: the name under which the journal has an operation,
// the classes of keys that it may write, and whether a person has to call it. Only this package
// makes rows, so that no program claims the rights of another operation by its name.
type Verb struct {
	name   string
	writes backend.Classes // classes with a form of their own that it writes besides the open ones
	rights rights
	needs  string // why a person has to call it, as "it makes a rule"; "": anybody may
}

// rights are what an operation may do besides writing open keys.
type rights uint

const (
	// forcible: a person can make it write every class that is not append-only.
	forcible rights = 1 << iota
	// adds: it brings records that were not there, which a closed or deleted session refuses.
	adds
	// restores: it brings back deleted records, also those of a deleted session.
	restores
	// keeps: an agent stores with it what it keeps for itself, each time under a new id.
	keeps
	// carries: it takes memories to another layer as they are.
	carries
	// reviews: a person takes away with it what an agent keeps, and gives it back.
	reviews
	// numbers: it gives new records the numbers of a counter, as notes have.
	numbers
	// claims: what it brings claims its source, and replaces no rule of the user.
	claims
	// names: its caller names the keys and their sources.
	names
	// tends: it looks after sessions, so a closed one does not refuse it.
	tends
	// keepsRules: it stores what may become of a rule, and changes none.
	keepsRules
	// dates: its writes may keep a time of their own, as envelopes from elsewhere do.
	dates
	// unasked: a person needs no answer for it, as in a script.
	unasked
	// counts: it counts as a write in the journal of operations.
	counts
	// ages: it judges lines by their age, so a program runs it at no time but the clock's.
	ages
	// shapes: it gives memories a content from its caller, of which a note needs a text.
	shapes
)

const (
	decides = "a person decides which memories are trusted"
	spreads = "it sends memories out"
	admits  = "it lets others in"
)

// Sets of classes that operations write. A start pays for each value that is computed before main,
// so these, the rows and the table are constants that the linker lays out.
const (
	inSessions = backend.Classes(1<<keypath.Remembered | 1<<keypath.SessionInfo)
	ofAgents   = backend.Classes(1 << keypath.Private)
	artifacts  = backend.Classes(1 << keypath.Artifact)
	events     = artifacts | 1<<keypath.Event
	// formed are the classes with a form of their own that are neither append-only nor an agent's:
	// operations on every record write them, too.
	formed = inSessions
)

// The table of operations. It is the only list of their names; everything that depends on an
// operation asks its row.
var (
	Set       = Verb{"set", 0, forcible | adds | names | dates | counts | shapes, ""}
	Rm        = Verb{"rm", 0, forcible | counts, ""}
	Note      = Verb{"note", 0, numbers | counts, ""}
	Edit      = Verb{"edit", 0, forcible | counts | shapes, ""}
	Touch     = Verb{"touch", formed, counts, ""}
	Pin       = Verb{"pin", 0, counts, ""}
	Unpin     = Verb{"unpin", 0, counts, ""}
	Mv        = Verb{"mv", 0, forcible | counts, ""}
	Merge     = Verb{"merge", 0, forcible | counts | shapes, ""}
	Undo      = Verb{"undo", formed | ofAgents, restores | reviews | numbers | counts, ""}
	Forget    = Verb{"forget", formed | ofAgents, reviews | counts, ""}
	Agent     = Verb{"agent", ofAgents, reviews | counts, ""}
	Import    = Verb{"import", formed, forcible | adds | names | claims | dates | counts | ages, ""}
	Move      = Verb{"move", formed | ofAgents, adds | carries | dates | numbers | counts, ""}
	Receive   = Verb{"move", formed, adds | claims | dates | numbers | counts, ""} // over HTTP
	Copy      = Verb{"copy", 0, counts, ""}
	Supersede = Verb{"supersede", formed, counts, ""}
	Journal   = Verb{"journal", ofAgents, keeps | counts, ""}
	Core      = Verb{"core", ofAgents, keeps | counts, ""}
	Remember  = Verb{"remember", inSessions, adds | counts, ""}
	Session   = Verb{"session", inSessions, tends | counts, ""}
	Config    = Verb{"config", 0, 0, ""}
	Event     = Verb{"event", events, counts, ""}
	Artifact  = Verb{"artifact", artifacts, counts, ""}
	Decide    = Verb{"decide", 0, counts, ""}
	Task      = Verb{"task", 0, counts, ""}
	Handoff   = Verb{"handoff", 0, counts, ""}
	Memories  = Verb{"memory-tool", 0, counts, ""}
	Propose   = Verb{"propose", 0, keepsRules | names, ""}

	Read    = Verb{"read", 0, 0, ""}
	Search  = Verb{"search", 0, 0, ""}
	Inject  = Verb{"inject", 0, 0, ""}
	Bundle  = Verb{"bundle", 0, 0, ""}
	Export  = Verb{"export", 0, 0, ""}
	Audit   = Verb{"audit", 0, 0, ""}
	Compact = Verb{"compact", 0, ages, ""}
	Fsck    = Verb{"fsck", 0, 0, ""}
	Repair  = Verb{"fsck", 0, ages, ""}
	Sync    = Verb{"sync", 0, ages, ""}
	Backup  = Verb{"backup", 0, ages, ""}
	CatchUp = Verb{backend.CatchUpOp, 0, 0, ""}

	// Decisions of a person.
	Approve = Verb{"approve", formed, adds | names | counts | shapes, decides}
	Reject  = Verb{"reject", 0, counts, decides}
	Restore = Verb{"import", formed | ofAgents, forcible | adds | names | dates | counts, decides}
	Adopt   = Verb{"fsck", 0, 0, decides}
	Redate  = Verb{"fsck", 0, unasked, "it gives memories another time"}
	GiveUp  = Verb{"fsck", 0, 0, "it gives up lines of the history"}
	Purge   = Verb{"forget", 0, reviews | counts, "no command restores purged memories"}
	Clear   = Verb{"forget", 0, 0, "a condition may select every memory"}
	Widen   = Verb{"config", 0, 0, decides}
	Tune    = Verb{"config", 0, unasked, "a person decides which rules a model receives"}
	Unset   = Verb{"setup", 0, unasked, "without the hooks no rule is injected"}
	Aim     = Verb{"setup", 0, unasked, "what that root holds counts as the user's own"}
	Capture = Verb{"setup", 0, unasked, "a person decides what is kept of their work"}
	Off     = Verb{"off", 0, unasked, "a person decides whether a project injects rules"}
	Trust   = Verb{"trust", 0, 0, decides}
	Revoke  = Verb{"trust", 0, unasked, "no conversation has the memories of the store any more"}
	Link    = Verb{"project", 0, 0, decides}
	Share   = Verb{"init", 0, 0, spreads}
	Join    = Verb{"sync", 0, 0, spreads}
	Deposit = Verb{"backup", 0, 0, spreads}
	Send    = Verb{"backup", 0, unasked, spreads}
	Recover = Verb{"restore", 0, ages, decides}
	Cover   = Verb{"init", 0, unasked, "a new store takes the place of rules of the user"}
	Token   = Verb{"token", 0, 0, admits}
	Login   = Verb{"token", 0, unasked, "it decides which server is believed, and by whom"}
	Bar     = Verb{"token", 0, unasked, "it shuts others, or this machine, out"}
	Page    = Verb{"page", 0, 0, admits}
)

// table has every row, in the order above.
var table = [...]*Verb{
	&Set, &Rm, &Note, &Edit, &Touch, &Pin, &Unpin, &Mv, &Merge, &Undo, &Forget, &Agent, &Import,
	&Move, &Receive, &Copy, &Supersede, &Journal, &Core, &Remember, &Session, &Config,
	&Event,
	&Artifact, &Decide, &Task, &Handoff, &Memories, &Propose, &Read, &Search, &Inject, &Bundle,
	&Export, &Audit, &Compact, &Fsck, &Repair, &Sync, &Backup, &CatchUp, &Approve, &Reject,
	&Restore, &Adopt, &Redate, &GiveUp, &Purge, &Clear, &Widen, &Tune, &Unset, &Aim, &Capture, &Off,
	&Trust, &Revoke, &Link, &Share, &Join, &Deposit, &Send, &Recover, &Cover, &Token, &Login, &Bar,
	&Page,
}

// Verbs returns the table of operations.
func Verbs() []Verb {
	list := make([]Verb, 0, len(table))
	for _, v := range table {
		list = append(list, *v)
	}
	return list
}

// Plain returns the row of an operation that the table does not have: it writes open keys alone.
func Plain(name string) Verb { return Verb{name: name, rights: adds | names | shapes} }

// VerbNamed returns the first row of a name; that of a plain operation where there is none.
func VerbNamed(name string) Verb {
	for _, v := range table {
		if v.name == name {
			return *v
		}
	}
	return Plain(name)
}

// String returns the name of the operation, as the journal has it.
func (v Verb) String() string { return v.name }

// Writes reports whether the operation writes a class with a form of its own.
func (v Verb) Writes(c keypath.Class) bool { return v.writes.Has(c) }

// Adds reports whether the operation brings records that were not there before.
func (v Verb) Adds() bool { return v.rights&adds != 0 }

// Restores reports whether the operation brings deleted records back.
func (v Verb) Restores() bool { return v.rights&restores != 0 }

// Claims reports whether the source of what the operation brings is a claim of the file that it is
// from: no rule of the user is made, replaced or deleted.
func (v Verb) Claims() bool { return v.rights&claims != 0 }

// Dates reports whether a write of the operation may keep a time of its own.
func (v Verb) Dates() bool { return v.rights&dates != 0 }

// KeepsRules reports whether the operation changes no rule of the user, whatever it stores.
func (v Verb) KeepsRules() bool { return v.rights&keepsRules != 0 }

// TendsSessions reports whether the operation looks after sessions, closed ones too.
func (v Verb) TendsSessions() bool { return v.rights&tends != 0 }

// CountsAsWrite reports whether an operation of a name in the journal counts as a write.
func CountsAsWrite(name string) bool {
	return slices.ContainsFunc(table[:], func(v *Verb) bool {
		return v.name == name && v.rights&counts != 0
	})
}

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
	// counts: the metrics count it among the writes.
	counts
	// looks: the metrics count it among the queries.
	looks
)

const (
	decides = "a person decides which memories are trusted"
	spreads = "it sends memories out"
	admits  = "it lets others in"
)

var (
	// formed are the classes with a form of their own that is neither append-only nor an agent's:
	// what works on every record writes them, too.
	formed = classes(func(ns Namespace) bool {
		return ns.Todo != nil && !ns.AppendOnly && ns.Audience != ItsAgent
	})
	inSessions = backend.Classes(0).With(keypath.Told).With(keypath.SessionInfo)
	ofAgents   = backend.Classes(0).With(keypath.Private)
	events     = backend.Classes(0).With(keypath.Event).With(keypath.Artifact)
	artifacts  = backend.Classes(0).With(keypath.Artifact)
)

// The table of operations. It is the only list of their names; everything that depends on an
// operation asks its row.
var (
	Set       = row("set", 0, forcible|adds|names|dates|counts, "")
	Rm        = row("rm", 0, forcible|counts, "")
	Note      = row("note", 0, numbers|counts, "")
	Edit      = row("edit", 0, forcible|counts, "")
	Touch     = row("touch", formed, counts, "")
	Pin       = row("pin", 0, counts, "")
	Unpin     = row("unpin", 0, counts, "")
	Mv        = row("mv", 0, forcible|counts, "")
	Merge     = row("merge", 0, forcible|counts, "")
	Undo      = row("undo", formed|ofAgents, restores|reviews|numbers|counts, "")
	Forget    = row("forget", formed|ofAgents, reviews|counts, "")
	Agent     = row("agent", ofAgents, reviews|counts, "")
	Import    = row("import", formed, forcible|adds|names|claims|dates|counts, "")
	Move      = row("move", formed|ofAgents, adds|carries|dates|numbers|counts, "")
	Copy      = row("copy", 0, counts, "")
	Supersede = row("supersede", formed, counts, "")
	Journal   = row("journal", ofAgents, keeps|counts, "")
	Core      = row("core", ofAgents, keeps|counts, "")
	Remember  = row("remember", inSessions, adds|counts, "")
	Session   = row("session", inSessions, tends|counts, "")
	Migrate   = row("migrate", inSessions, tends|counts, "")
	Config    = row("config", 0, 0, "")
	Event     = row("event", events, counts, "")
	Artifact  = row("artifact", artifacts, counts, "")
	Decide    = row("decide", 0, counts, "")
	Task      = row("task", 0, counts, "")
	Handoff   = row("handoff", 0, counts, "")
	Memories  = row("memory-tool", 0, counts, "")
	Propose   = row("propose", 0, keepsRules|names, "")

	Read    = row("read", 0, looks, "")
	Search  = row("search", 0, looks, "")
	Inject  = row("inject", 0, looks, "")
	Bundle  = row("bundle", 0, 0, "")
	Export  = row("export", 0, 0, "")
	Audit   = row("audit", 0, 0, "")
	Compact = row("compact", 0, 0, "")
	Fsck    = row("fsck", 0, 0, "")
	Sync    = row("sync", 0, 0, "")
	Backup  = row("backup", 0, 0, "")
	CatchUp = row("settle", 0, 0, "")

	// Decisions of a person.
	Approve = row("approve", formed, adds|names|counts, decides)
	Reject  = row("reject", 0, counts, decides)
	Restore = row("import", formed|ofAgents, forcible|adds|names|dates|counts, decides)
	Adopt   = row("fsck", 0, 0, decides)
	Purge   = row("forget", 0, reviews|counts, "no command restores purged memories")
	Clear   = row("forget", 0, 0, "a condition may select every memory")
	Widen   = row("config", 0, 0, decides)
	Tune    = row("config", 0, unasked, "a person decides which rules a model receives")
	Unset   = row("setup", 0, unasked, "without the hooks no rule is injected")
	Off     = row("off", 0, unasked, "a person decides whether a project injects rules")
	Trust   = row("trust", 0, 0, decides)
	Link    = row("project", 0, 0, decides)
	Share   = row("init", 0, 0, spreads)
	Join    = row("sync", 0, 0, spreads)
	Deposit = row("backup", 0, 0, spreads)
	Recover = row("restore", 0, 0, decides)
	Cover   = row("init", 0, unasked, "a new store takes the place of rules of the user")
	Token   = row("token", 0, 0, admits)
	Page    = row("page", 0, 0, admits)
)

// table has every row, in the order above. It has room for all of them, as every start fills it.
var table = make([]Verb, 0, 64)

// row adds a row to the table.
func row(name string, writes backend.Classes, r rights, needs string) Verb {
	v := Verb{name, writes, r, needs}
	table = append(table, v)
	return v
}

// Verbs returns the table of operations.
func Verbs() []Verb { return slices.Clone(table) }

// Plain returns the row of an operation that the table does not have: it writes open keys alone.
func Plain(name string) Verb { return Verb{name: name, rights: adds | names} }

// VerbNamed returns the first row of a name; that of a plain operation where there is none.
func VerbNamed(name string) Verb {
	for _, v := range table {
		if v.name == name {
			return v
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

// Counts reports whether the metrics count an operation of a name among the writes, or among the
// queries.
func Counts(name string) (write, query bool) {
	for _, v := range table {
		if v.name == name && v.rights&(counts|looks) != 0 {
			return v.rights&counts != 0, v.rights&looks != 0
		}
	}
	return false, false
}

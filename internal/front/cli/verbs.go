package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// verb is one command of the program.
type verb struct {
	name  string
	group string // of the page of help that lists it; "": no page does
	build func(*app) *cobra.Command
	traits
	as string // the words that stand for an older name, which has no command of its own
}

// traits are what other parts of the program ask about a verb.
type traits uint

const (
	// noCopy: the verb asks a server, or nothing that a copy of a store has.
	noCopy traits = 1 << iota
	// seals: it may meet a sealed record, which memd alone opens.
	seals
	// rootless: it opens no store.
	rootless
)

// The pages of help that list verbs: the first one, and one for each group.
const firstPage = "first"

// groups are the pages of "mem help GROUP", with the verbs of each in a line.
var groups = []struct{ name, short string }{
	{"records", "decisions, tasks, sessions, journals, bundles of context"},
	{"tidy", "rename, merge, pin, review, check and configure"},
	{"stores", "import, export, copy, make, move and trust stores"},
	{"agents", "hooks, what they injected, and the guidance of agents"},
	{"server", "HTTP, PostgreSQL, keys and versions"},
}

// hasTrait reports whether a verb of this program, or of memd, has a trait.
func hasTrait(name string, of traits) bool {
	for _, v := range verbs {
		if v.name == name {
			return v.traits&of != 0
		}
	}
	for _, v := range daemonVerbs {
		if v.name == name {
			return v.traits&of != 0
		}
	}
	return of&rootless != 0 && (name == "help" || name == "completion")
}

// verbs in the order in which help lists them.
var verbs = []verb{
	{"set", firstPage, newSetCmd, 0, ""},
	{"get", firstPage, newGetCmd, seals, ""},
	{"note", firstPage, newNoteCmd, 0, ""},
	{"notes", firstPage, newNotesCmd, 0, ""},
	{"search", firstPage, newSearchCmd, 0, ""},
	{"read", firstPage, newReadCmd, 0, ""},
	{"ls", firstPage, newLsCmd, 0, ""},
	{"edit", firstPage, newEditCmd, 0, ""},
	{"forget", firstPage, newForgetCmd, 0, ""},
	{"history", firstPage, newHistoryCmd, 0, ""},
	{"undo", firstPage, newUndoCmd, 0, ""},
	{"setup", firstPage, newSetupCmd, rootless, ""},
	{"doctor", firstPage, newDoctorCmd, 0, ""},
	{"where", firstPage, newWhereCmd, 0, ""},
	{"event", "records", newEventCmd, seals, ""},
	{"decide", "records", newDecideCmd, seals, ""},
	{"task", "records", newTaskCmd, seals, ""},
	{"handoff", "records", newHandoffCmd, seals, ""},
	{"artifact", "records", newArtifactCmd, seals, ""},
	{"remember", "records", newRememberCmd, 0, ""},
	{"session", "records", newSessionCmd, 0, ""},
	{"journal", "records", newJournalCmd, 0, ""},
	{"core", "records", newCoreCmd, 0, ""},
	{"bundle", "records", newBundleCmd, seals, ""},
	{"query", "records", newQueryCmd, 0, ""},
	{"diff", "records", newDiffCmd, 0, ""},
	{"merge", "tidy", newMergeCmd, 0, ""},
	{"mv", "tidy", newMvCmd, 0, ""},
	{"touch", "tidy", newTouchCmd, 0, ""},
	{"pin", "tidy", newPinCmd, 0, ""},
	{"supersede", "tidy", newSupersedeCmd, 0, ""},
	{"audit", "tidy", newAuditCmd, 0, ""},
	{"approve", "tidy", newApproveCmd, 0, ""},
	{"reject", "tidy", newRejectCmd, 0, ""},
	{"compact", "tidy", newCompactCmd, noCopy, ""},
	{"fsck", "tidy", newFsckCmd, noCopy, ""},
	{"stat", "tidy", newStatCmd, 0, ""},
	{"config", "tidy", newConfigCmd, 0, ""},
	{"agent", "tidy", newAgentCmd, 0, ""},
	{"import", "stores", newImportCmd, 0, ""},
	{"export", "stores", newExportCmd, 0, ""},
	{"copy", "stores", newCopyCmd, 0, ""},
	{"move", "stores", newMoveCmd, 0, ""},
	{"init", "stores", newInitCmd, noCopy, ""},
	{"trust", "stores", newTrustCmd, noCopy, ""},
	{"hook", "agents", newHookCmd, 0, ""},
	{"prompt", "agents", newPromptCmd, 0, ""},
	{"injections", "agents", newInjectionsCmd, 0, ""},
	{"memory-tool", "agents", newMemoryToolCmd, 0, ""},
	{"on", "agents", newOnCmd, rootless, ""},
	{"off", "agents", newOffCmd, rootless, ""},
	{"migrate", "server", newMigrateCmd, noCopy, ""},
	{"version", "server", newVersionCmd, rootless, ""},
	{"rm", "", newRmCmd, 0, ""},

	{name: "cost", as: "injections --cost"},
	{name: "log", as: "history --log"},
	{name: "memories", as: "ls --private"},
	{name: "unpin", as: "pin --off"},
}

// expand returns a command line with the words of today in the place of an older verb, which stands
// at an index.
func expand(args []string, at int) []string {
	for _, v := range verbs {
		if v.as != "" && at < len(args) && v.name == args[at] {
			return slices.Concat(args[:at], strings.Fields(v.as), args[at+1:])
		}
	}
	return args
}

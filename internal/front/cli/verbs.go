package cli

import (
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/front/cli/agents"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/cli/daily"
	"github.com/set-memory/mem/internal/front/cli/erase"
	"github.com/set-memory/mem/internal/front/cli/records"
	"github.com/set-memory/mem/internal/front/cli/stores"
	"github.com/set-memory/mem/internal/front/cli/tidy"
	"github.com/spf13/cobra"
)

// verb is one command of the program.
type verb struct {
	name  string
	group string // of the page of help that lists it; "": no page does
	build func(*app.App) *cobra.Command
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
	// served: a server runs it for a caller elsewhere, for it needs nothing of a machine.
	served
	// here: it is about this machine or its user, and runs here though the project's memory is
	// behind a server.
	here
	// asks: of a memory behind a server, named or the project's, it asks the server itself.
	asks
)

// The pages of help that list verbs: the first one, and one for each group.
const firstPage = "first"

// groups are the pages of "mem help GROUP", with the verbs of each in a line.
var groups = []struct{ name, short string }{
	{"records", "decisions, tasks, sessions, journals, bundles of context"},
	{"tidy", "rename, merge, pin, review, check and configure"},
	{"stores", "import, export, copy, make, move, trust and link stores"},
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
	{"set", firstPage, daily.NewSetCmd, served, ""},
	{"get", firstPage, daily.NewGetCmd, seals | served, ""},
	{"note", firstPage, daily.NewNoteCmd, served, ""},
	{"notes", firstPage, daily.NewNotesCmd, served, ""},
	{"search", firstPage, daily.NewSearchCmd, served, ""},
	{"read", firstPage, daily.NewReadCmd, served, ""},
	{"ls", firstPage, daily.NewLsCmd, served, ""},
	{"edit", firstPage, daily.NewEditCmd, served, ""},
	{"forget", firstPage, erase.NewForgetCmd, served, ""},
	{"history", firstPage, daily.NewHistoryCmd, served, ""},
	{"undo", firstPage, daily.NewUndoCmd, served, ""},
	{"setup", firstPage, agents.NewSetupCmd, rootless, ""},
	{"doctor", firstPage, agents.NewDoctorCmd, here | asks, ""},
	{"where", firstPage, stores.NewWhereCmd, here | asks, ""},
	{"event", "records", records.NewEventCmd, seals | served, ""},
	{"decide", "records", records.NewDecideCmd, seals | served, ""},
	{"task", "records", records.NewTaskCmd, seals | served, ""},
	{"handoff", "records", records.NewHandoffCmd, seals | served, ""},
	{"artifact", "records", records.NewArtifactCmd, seals | served, ""},
	{"remember", "records", records.NewRememberCmd, served, ""},
	{"session", "records", records.NewSessionCmd, served, ""},
	{"journal", "records", records.NewJournalCmd, here | served, ""},
	{"core", "records", records.NewCoreCmd, here | served, ""},
	{"bundle", "records", records.NewBundleCmd, seals | served, ""},
	{"query", "records", daily.NewQueryCmd, 0, ""},
	{"diff", "records", daily.NewDiffCmd, served, ""},
	{"merge", "tidy", tidy.NewMergeCmd, served, ""},
	{"mv", "tidy", tidy.NewMvCmd, served, ""},
	{"touch", "tidy", tidy.NewTouchCmd, served, ""},
	{"pin", "tidy", tidy.NewPinCmd, served, ""},
	{"supersede", "tidy", tidy.NewSupersedeCmd, served, ""},
	{"audit", "tidy", tidy.NewAuditCmd, served, ""},
	{"approve", "tidy", tidy.NewApproveCmd, served, ""},
	{"reject", "tidy", tidy.NewRejectCmd, served, ""},
	{"compact", "tidy", tidy.NewCompactCmd, noCopy | served, ""},
	{"fsck", "tidy", tidy.NewFsckCmd, noCopy | served, ""},
	{"stat", "tidy", tidy.NewStatCmd, served, ""},
	{"config", "tidy", tidy.NewConfigCmd, served, ""},
	{"agent", "tidy", records.NewAgentCmd, here | served, ""},
	{"import", "stores", stores.NewImportCmd, served, ""},
	{"export", "stores", stores.NewExportCmd, served, ""},
	{"copy", "stores", stores.NewCopyCmd, here, ""},
	{"move", "stores", stores.NewMoveCmd, here | served, ""},
	{"init", "stores", stores.NewInitCmd, noCopy | here, ""},
	{"trust", "stores", stores.NewTrustCmd, noCopy | here, ""},
	{"project", "stores", stores.NewProjectCmd, noCopy | here, ""},
	{"hook", "agents", agents.NewHookCmd, here | asks | served, ""},
	{"prompt", "agents", agents.NewPromptCmd, here | served, ""},
	{"injections", "agents", agents.NewInjectionsCmd, here | served, ""},
	{"memory-tool", "agents", agents.NewMemoryToolCmd, here | served, ""},
	{"on", "agents", agents.NewOnCmd, rootless, ""},
	{"off", "agents", agents.NewOffCmd, rootless, ""},
	{"migrate", "server", stores.NewMigrateCmd, noCopy, ""},
	{"version", "server", stores.NewVersionCmd, rootless, ""},
	{"rm", "", erase.NewRmCmd, served, ""},

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

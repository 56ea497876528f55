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
	{"set", firstPage, daily.NewSetCmd, 0, ""},
	{"get", firstPage, daily.NewGetCmd, seals, ""},
	{"note", firstPage, daily.NewNoteCmd, 0, ""},
	{"notes", firstPage, daily.NewNotesCmd, 0, ""},
	{"search", firstPage, daily.NewSearchCmd, 0, ""},
	{"read", firstPage, daily.NewReadCmd, 0, ""},
	{"ls", firstPage, daily.NewLsCmd, 0, ""},
	{"edit", firstPage, daily.NewEditCmd, 0, ""},
	{"forget", firstPage, erase.NewForgetCmd, 0, ""},
	{"history", firstPage, daily.NewHistoryCmd, 0, ""},
	{"undo", firstPage, daily.NewUndoCmd, 0, ""},
	{"setup", firstPage, agents.NewSetupCmd, rootless, ""},
	{"doctor", firstPage, agents.NewDoctorCmd, 0, ""},
	{"where", firstPage, stores.NewWhereCmd, 0, ""},
	{"event", "records", records.NewEventCmd, seals, ""},
	{"decide", "records", records.NewDecideCmd, seals, ""},
	{"task", "records", records.NewTaskCmd, seals, ""},
	{"handoff", "records", records.NewHandoffCmd, seals, ""},
	{"artifact", "records", records.NewArtifactCmd, seals, ""},
	{"remember", "records", records.NewRememberCmd, 0, ""},
	{"session", "records", records.NewSessionCmd, 0, ""},
	{"journal", "records", records.NewJournalCmd, 0, ""},
	{"core", "records", records.NewCoreCmd, 0, ""},
	{"bundle", "records", records.NewBundleCmd, seals, ""},
	{"query", "records", daily.NewQueryCmd, 0, ""},
	{"diff", "records", daily.NewDiffCmd, 0, ""},
	{"merge", "tidy", tidy.NewMergeCmd, 0, ""},
	{"mv", "tidy", tidy.NewMvCmd, 0, ""},
	{"touch", "tidy", tidy.NewTouchCmd, 0, ""},
	{"pin", "tidy", tidy.NewPinCmd, 0, ""},
	{"supersede", "tidy", tidy.NewSupersedeCmd, 0, ""},
	{"audit", "tidy", tidy.NewAuditCmd, 0, ""},
	{"approve", "tidy", tidy.NewApproveCmd, 0, ""},
	{"reject", "tidy", tidy.NewRejectCmd, 0, ""},
	{"compact", "tidy", tidy.NewCompactCmd, noCopy, ""},
	{"fsck", "tidy", tidy.NewFsckCmd, noCopy, ""},
	{"stat", "tidy", tidy.NewStatCmd, 0, ""},
	{"config", "tidy", tidy.NewConfigCmd, 0, ""},
	{"agent", "tidy", records.NewAgentCmd, 0, ""},
	{"import", "stores", stores.NewImportCmd, 0, ""},
	{"export", "stores", stores.NewExportCmd, 0, ""},
	{"copy", "stores", stores.NewCopyCmd, 0, ""},
	{"move", "stores", stores.NewMoveCmd, 0, ""},
	{"init", "stores", stores.NewInitCmd, noCopy, ""},
	{"trust", "stores", stores.NewTrustCmd, noCopy, ""},
	{"project", "stores", stores.NewProjectCmd, noCopy, ""},
	{"hook", "agents", agents.NewHookCmd, 0, ""},
	{"prompt", "agents", agents.NewPromptCmd, 0, ""},
	{"injections", "agents", agents.NewInjectionsCmd, 0, ""},
	{"memory-tool", "agents", agents.NewMemoryToolCmd, 0, ""},
	{"on", "agents", agents.NewOnCmd, rootless, ""},
	{"off", "agents", agents.NewOffCmd, rootless, ""},
	{"migrate", "server", stores.NewMigrateCmd, noCopy, ""},
	{"version", "server", stores.NewVersionCmd, rootless, ""},
	{"rm", "", erase.NewRmCmd, 0, ""},

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

package cli

import "github.com/spf13/cobra"

// verb is one command of the program.
type verb struct {
	name  string
	group string
	build func(*app) *cobra.Command
	traits
}

// traits are what other parts of the program ask about a verb.
type traits uint

const (
	// noCopy: the verb asks a server, or nothing that a copy of a store has.
	noCopy traits = 1 << iota
	// seals: it may meet a sealed record, which memd alone opens.
	seals
	// takesAway: it deletes or replaces a record, so it never runs on a key that was guessed.
	takesAway
	// rootless: it opens no store.
	rootless
)

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
	{"set", "write", newSetCmd, 0},
	{"rm", "write", newRmCmd, takesAway},
	{"approve", "write", newApproveCmd, takesAway},
	{"reject", "write", newRejectCmd, takesAway},
	{"note", "write", newNoteCmd, 0},
	{"journal", "write", newJournalCmd, 0},
	{"core", "write", newCoreCmd, 0},
	{"forget", "write", newForgetCmd, takesAway},
	{"import", "write", newImportCmd, 0},
	{"remember", "write", newRememberCmd, 0},
	{"event", "write", newEventCmd, seals},
	{"decide", "write", newDecideCmd, seals},
	{"task", "write", newTaskCmd, seals},
	{"handoff", "write", newHandoffCmd, seals},
	{"artifact", "write", newArtifactCmd, seals},
	{"edit", "write", newEditCmd, 0},
	{"touch", "write", newTouchCmd, 0},
	{"mv", "write", newMvCmd, takesAway},
	{"merge", "write", newMergeCmd, takesAway},
	{"supersede", "write", newSupersedeCmd, takesAway},
	{"pin", "write", newPinCmd, 0},
	{"unpin", "write", newUnpinCmd, 0},
	{"undo", "write", newUndoCmd, takesAway},
	{"get", "read", newGetCmd, seals},
	{"read", "read", newReadCmd, 0},
	{"search", "read", newSearchCmd, 0},
	{"ls", "read", newLsCmd, 0},
	{"query", "read", newQueryCmd, 0},
	{"history", "read", newHistoryCmd, 0},
	{"diff", "read", newDiffCmd, 0},
	{"log", "read", newLogCmd, 0},
	{"notes", "read", newNotesCmd, 0},
	{"prompt", "read", newPromptCmd, 0},
	{"memories", "read", newMemoriesCmd, 0},
	{"export", "read", newExportCmd, 0},
	{"bundle", "read", newBundleCmd, seals},
	{"hook", "agents", newHookCmd, 0},
	{"injections", "agents", newInjectionsCmd, 0},
	{"cost", "agents", newCostCmd, 0},
	{"memory-tool", "agents", newMemoryToolCmd, 0},
	{"setup", "agents", newSetupCmd, rootless},
	{"trust", "agents", newTrustCmd, noCopy},
	{"off", "agents", newOffCmd, rootless},
	{"on", "agents", newOnCmd, rootless},
	{"session", "keep", newSessionCmd, 0},
	{"migrate", "keep", newMigrateCmd, noCopy},
	{"doctor", "keep", newDoctorCmd, 0},
	{"stat", "keep", newStatCmd, 0},
	{"compact", "keep", newCompactCmd, noCopy},
	{"fsck", "keep", newFsckCmd, noCopy},
	{"audit", "keep", newAuditCmd, 0},
	{"config", "keep", newConfigCmd, 0},
	{"init", "keep", newInitCmd, noCopy},
	{"agent", "keep", newAgentCmd, 0},
	{"where", "keep", newWhereCmd, 0},
	{"move", "keep", newMoveCmd, takesAway},
	{"copy", "keep", newCopyCmd, 0},
	{"version", "keep", newVersionCmd, rootless},
}

package cli

import (
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/setup"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// What a shell is offered for the value of a flag.

// words returns the values of flags that have only these.
func words() map[string]string {
	return map[string]string{
		"color": "auto always never", "layer": "user project", "log-level": "error warn info debug",
		"sort": "relevance time importance", "ls --sort": "key time importance size type",
		"scope":          "user workspace session",
		"decide --scope": "project user global", "move --to": "user project",
		"mode": "relevant recent_only off", "on-untrusted": "refuse quarantine",
		"kind":            "user tool web file system agent",
		"event --kind":    "message tool_call tool_result decision task_update artifact",
		"event --actor":   "human: agent: tool:",
		"remember --type": "conversation decision finding preference", "role": "user assistant",
		"status": "open doing done", "channel": "private team agent public",
		"sensitivity": "none low high", "tools": "core bundle journal memory all",
		"read --format": "text json notes private", "import --format": "jsonl mcp claude-memory",
		"export --format": "jsonl mcp claude-memory memory-md", "bundle --format": "json text",
		"session export --format": "json jsonl",
		"cost --by":               "day client project conversation",
		"prompt --client": "claude-code codex gemini qwen copilot droid pi cline opencode " +
			"kilo continue cursor vscode agents-md",
	}
}

// files are the flags whose values are files, which every shell offers by itself.
var files = []string{"root", "out", "from", "source"}

type completion = func(*cobra.Command, []string, string) (
	[]cobra.Completion, cobra.ShellCompDirective)

// completeAll says for a command and all below it what the shell is offered.
func completeAll(a *app.App, cmd *cobra.Command) {
	completeFlags(a, cmd, cmd.Flags())
	if cmd.ValidArgsFunction == nil && !cmd.HasSubCommands() {
		cmd.ValidArgsFunction = argsOf(nameOf(cmd))
	}
	for _, action := range cmd.Commands() {
		completeAll(a, action)
	}
}

// nameOf returns how a command is called without the program.
func nameOf(cmd *cobra.Command) string {
	name := cmd.Name()
	for up := cmd.Parent(); up != nil && up.HasParent(); up = up.Parent() {
		name = up.Name() + " " + name
	}
	return name
}

// argsOf returns the completion of the arguments of a command that registers none: fixed words, the
// shell's files, or nothing.
func argsOf(name string) completion {
	switch name {
	case "setup":
		return completeFirst(cobra.FixedCompletions(namesOf(setup.Clients()),
			cobra.ShellCompDirectiveNoFileComp))
	case "hook":
		return completeFirst(cobra.FixedCompletions(namesOf(setup.HookClients()),
			cobra.ShellCompDirectiveNoFileComp))
	case "trust":
		return completeFirst(cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs))
	case "copy":
		return cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
	case "import", "fsck", "artifact add":
		return nil
	case "agent":
		return completeFirst(cobra.FixedCompletions([]string{"delete", "list"},
			cobra.ShellCompDirectiveNoFileComp))
	case "project":
		return completeFirst(cobra.FixedCompletions([]string{"link"},
			cobra.ShellCompDirectiveNoFileComp))
	case "config":
		return completeFirst(cobra.FixedCompletions([]string{"list", "get", "set"},
			cobra.ShellCompDirectiveNoFileComp))
	}
	return cobra.NoFileCompletions
}

func namesOf(list []*setup.Client) (names []cobra.Completion) {
	for _, agent := range list {
		names = append(names, agent.Name)
	}
	return names
}

// completeFlags registers what a shell is offered for the values of flags. At a server no shell
// asks, and cobra would keep the functions, with their request, until the process ends.
func completeFlags(a *app.App, cmd *cobra.Command, flags *pflag.FlagSet) {
	if a.Served != nil {
		return
	}
	flags.VisitAll(func(f *pflag.Flag) {
		if f.NoOptDefVal == "" && !slices.Contains(files, f.Name) {
			// What a verb has registered by itself stays.
			_ = cmd.RegisterFlagCompletionFunc(f.Name, valuesOf(a, nameOf(cmd), f.Name))
		}
	})
}

func valuesOf(a *app.App, verb, flag string) completion {
	for _, name := range []string{verb + " --" + flag, flag} {
		if list := strings.Fields(words()[name]); len(list) > 0 {
			directive := cobra.ShellCompDirectiveNoFileComp
			if strings.HasSuffix(list[0], ":") { // more is to be typed
				directive |= cobra.ShellCompDirectiveNoSpace
			}
			return cobra.FixedCompletions(list, directive)
		}
	}
	switch flag {
	case "client":
		return cobra.FixedCompletions(namesOf(setup.Clients()), cobra.ShellCompDirectiveNoFileComp)
	case "prefix", "references", "replaces", "into":
		return a.CompleteKeys
	}
	return cobra.NoFileCompletions
}

// completeFirst offers what fn does, for the first argument alone.
func completeFirst(fn completion) completion {
	return func(cmd *cobra.Command, args []string, begun string) (
		[]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return fn(cmd, args, begun)
	}
}

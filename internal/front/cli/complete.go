package cli

import (
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/front/setup"
	"github.com/set-memory/mem/internal/view/journal"
	"github.com/set-memory/mem/internal/view/session"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// What a shell is offered for the value of a flag.

// words are the values of flags that have only these; with the command in front, of that command's.
var words = map[string]string{
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
	"prompt --client":         "claude-code codex gemini opencode cursor vscode agents-md",
}

// files are the flags whose values are files, which every shell offers by itself.
var files = []string{"root", "out", "from", "source"}

type completion = func(*cobra.Command, []string, string) (
	[]cobra.Completion, cobra.ShellCompDirective)

// completeAll says for a command and all below it what the shell is offered.
func completeAll(a *app, cmd *cobra.Command) {
	completeFlags(a, cmd, cmd.Flags())
	if cmd.ValidArgsFunction == nil && !cmd.HasSubCommands() {
		cmd.ValidArgsFunction = argsOf(a, nameOf(cmd))
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

// argsOf returns what is offered for the arguments of a command that offers nothing by itself: the
// shell's files, or none of these.
func argsOf(a *app, name string) completion {
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
	case "session export":
		return completeFirst(completeSessions(a))
	}
	return cobra.NoFileCompletions
}

func namesOf(list []*setup.Client) (names []cobra.Completion) {
	for _, agent := range list {
		names = append(names, agent.Name)
	}
	return names
}

// completeFlags says for each flag of a command what its value may be.
func completeFlags(a *app, cmd *cobra.Command, flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.NoOptDefVal == "" && !slices.Contains(files, f.Name) {
			// What a verb has registered by itself stays.
			_ = cmd.RegisterFlagCompletionFunc(f.Name, valuesOf(a, nameOf(cmd), f.Name))
		}
	})
}

func valuesOf(a *app, verb, flag string) completion {
	for _, name := range []string{verb + " --" + flag, flag} {
		if list := strings.Fields(words[name]); len(list) > 0 {
			directive := cobra.ShellCompDirectiveNoFileComp
			if strings.HasSuffix(list[0], ":") { // more is to be typed
				directive |= cobra.ShellCompDirectiveNoSpace
			}
			return cobra.FixedCompletions(list, directive)
		}
	}
	switch {
	case flag == "client":
		return cobra.FixedCompletions(namesOf(setup.Clients()), cobra.ShellCompDirectiveNoFileComp)
	case verb == "undo" && flag == "to":
		return completeVersions(a)
	case verb == "config" && flag == "session":
		return completeSessions(a)
	case flag == "agent":
		return completeAgents(a)
	case flag == "prefix" || flag == "references" || flag == "replaces":
		return a.completeKeys
	case flag == "type":
		return completeListed(a, func(rec log.Record) []string {
			return []string{content.Parse(rec.Content).Type}
		})
	case flag == "tag" || flag == "tags":
		return completeListed(a, func(rec log.Record) []string {
			return content.Parse(rec.Content).Tags
		})
	case flag == "session":
		return completeListed(a, func(rec log.Record) []string {
			id, _ := strings.CutPrefix(rec.Key.String(), keypath.Sessions+"/")
			id, _, below := strings.Cut(id, "/")
			if !below || id == "" {
				return nil
			}
			return []string{id}
		})
	}
	return cobra.NoFileCompletions
}

// completeListed offers words of the memories, for the last of a list with commas, which may have a
// sign before it.
func completeListed(a *app, wordsOf func(log.Record) []string) completion {
	return func(cmd *cobra.Command, _ []string, begun string) (
		list []cobra.Completion, _ cobra.ShellCompDirective) {
		last := begun[strings.LastIndexByte(begun, ',')+1:]
		last = strings.TrimLeft(last, "!+-")
		before := strings.TrimSuffix(begun, last)
		s, err := openQuietly(a, cmd)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		err = s.List(cmd.Context(), caller, mem.Filter{Browse: true}, func(rec log.Record) error {
			for _, word := range wordsOf(rec) {
				word = before + oneLine(word)
				if strings.HasPrefix(word, begun) && word != before &&
					!slices.Contains(list, word) && len(list) < maxCompletions {
					list = append(list, word)
				}
			}
			return nil
		})
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		slices.Sort(list)
		return list, cobra.ShellCompDirectiveNoFileComp
	}
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

// completeSessions offers the ids of the sessions there are.
func completeSessions(a *app) completion {
	return func(cmd *cobra.Command, _ []string, begun string) (
		list []cobra.Completion, _ cobra.ShellCompDirective) {
		s, err := openQuietly(a, cmd)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		ids, err := session.IDs(cmd.Context(), s, caller)
		for _, id := range ids {
			if strings.HasPrefix(id, begun) && len(list) < maxCompletions {
				list = append(list, id)
			}
		}
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		return list, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeAgents offers the agents that keep something for themselves.
func completeAgents(a *app) completion {
	return func(cmd *cobra.Command, _ []string, begun string) (
		ids []cobra.Completion, _ cobra.ShellCompDirective) {
		s, err := openQuietly(a, cmd)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		list, err := journal.Agents(cmd.Context(), s, caller)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		for _, agent := range list {
			if strings.HasPrefix(agent.ID, begun) && len(ids) < maxCompletions {
				ids = append(ids, agent.ID)
			}
		}
		return ids, cobra.ShellCompDirectiveNoFileComp
	}
}

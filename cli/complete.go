package cli

import (
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/changes"
	"github.com/set-memory/mem/content"
	"github.com/set-memory/mem/journal"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/session"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// What a shell is offered for the value of a flag.

// words are the values of flags that have only these; with the verb in front, of that verb's.
var words = map[string]string{
	"sort": "relevance time importance", "layer": "user project", "log-level": "error warn debug",
	"move --to": "user project", "scope": "user workspace session",
	"mode": "relevant recent_only off", "on-untrusted": "refuse quarantine",
	"read --format": "text json notes private", "import --format": "jsonl mcp claude-memory",
	"export --format": "jsonl mcp claude-memory memory-md",
	"cost --by":       "day client project conversation",
	"prompt --client": "claude-code codex gemini opencode cursor vscode agents-md",
}

// files are the flags whose values are files, which every shell offers by itself.
var files = []string{"root", "out", "from", "source"}

type completion = func(*cobra.Command, []string, string) (
	[]cobra.Completion, cobra.ShellCompDirective)

// completeFlags says for each flag of a command what its value may be.
func completeFlags(a *app, cmd *cobra.Command, flags *pflag.FlagSet) {
	flags.VisitAll(func(f *pflag.Flag) {
		if f.NoOptDefVal == "" && !slices.Contains(files, f.Name) {
			// What a verb has registered by itself stays.
			_ = cmd.RegisterFlagCompletionFunc(f.Name, valuesOf(a, cmd.Name(), f.Name))
		}
	})
}

func valuesOf(a *app, verb, flag string) completion {
	for _, name := range []string{verb + " --" + flag, flag} {
		if list := strings.Fields(words[name]); len(list) > 0 {
			return cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp)
		}
	}
	switch {
	case verb == "undo" && flag == "to":
		return completeVersions(a)
	case verb == "config" && flag == "session":
		return completeSessions(a)
	case flag == "agent":
		return completeAgents(a)
	case flag == "prefix" || flag == "references":
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

// completeVersions offers the versions of the key that is given.
func completeVersions(a *app) completion {
	return func(cmd *cobra.Command, args []string, begun string) (
		list []cobra.Completion, _ cobra.ShellCompDirective) {
		if len(args) == 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		key, s, err := quietKey(a, cmd, args[0])
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		versions, err := s.History(cmd.Context(), caller, key)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		for v, err := range versions.Rows {
			if err != nil || len(list) == maxCompletions {
				break
			}
			if ts := v.TS.String(); strings.HasPrefix(ts, begun) {
				list = append(list, cobra.CompletionWithDesc(ts, verbOf(v.Envelope)))
			}
		}
		return list, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
	}
}

// quietKey is openKeyToRead for a shell that completes a line.
func quietKey(a *app, cmd *cobra.Command, arg string) (key keypath.Key, s *mem.Store, err error) {
	if s, err = openQuietly(a, cmd); err != nil {
		return key, nil, err
	}
	key, err = namedKey(cmd, s, arg)
	return key, s, err
}

// completeEver offers the keys of the store, and those that were deleted lately.
func completeEver(a *app) completion {
	return func(cmd *cobra.Command, args []string, begun string) (
		[]cobra.Completion, cobra.ShellCompDirective) {
		keys, directive := a.completeKeys(cmd, args, begun)
		s, err := openQuietly(a, cmd)
		if err != nil {
			return keys, directive
		}
		recent, err := changes.List(cmd.Context(), s, caller,
			changes.Query{Limit: 5 * maxCompletions})
		if err != nil {
			return keys, directive
		}
		for _, m := range recent.Memories {
			shown := m.Key.Shown()
			if !m.Valid && strings.HasPrefix(shown, begun) && !slices.Contains(keys, shown) {
				keys = append(keys, shown)
			}
		}
		return keys, directive
	}
}

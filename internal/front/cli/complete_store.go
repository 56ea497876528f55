package cli

import (
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/view/edit"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

// What a shell is offered of what is stored.

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
		recent, err := edit.ListChanges(cmd.Context(), s, caller,
			edit.ChangeQuery{Limit: 5 * maxCompletions})
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

// completeWaiting offers the keys that what is quarantined was written for; with /untrusted before
// them where that was typed.
func completeWaiting(a *app) completion {
	return func(cmd *cobra.Command, _ []string, begun string) (
		keys []cobra.Completion, _ cobra.ShellCompDirective) {
		s, err := openQuietly(a, cmd)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		below, err := keypath.ParsePrefix(keypath.Untrusted)
		if err == nil {
			filter := mem.Filter{Prefix: below, Browse: true}
			err = s.List(cmd.Context(), caller, filter, func(rec log.Record) error {
				key := rec.Key.Shown()
				if !strings.HasPrefix(begun, keypath.Untrusted) {
					key = strings.Replace(key, keypath.Untrusted, "", 1)
				}
				if strings.HasPrefix(key, begun) && len(keys) < maxCompletions {
					keys = append(keys, key)
				}
				return nil
			})
		}
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		return keys, cobra.ShellCompDirectiveNoFileComp
	}
}

// completeConfig offers what the verb does, and the names of settings.
func completeConfig(a *app) completion {
	return func(cmd *cobra.Command, args []string, begun string) (
		names []cobra.Completion, _ cobra.ShellCompDirective) {
		switch {
		case len(args) == 0:
			return []string{"list", "get", "set"}, cobra.ShellCompDirectiveNoFileComp
		case len(args) > 1 || args[0] == "list":
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		s, err := openQuietly(a, cmd)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		list, err := s.Settings(cmd.Context())
		for _, x := range list {
			if strings.HasPrefix(x.Name, begun) && !slices.Contains(names, x.Name) {
				names = append(names, x.Name)
			}
		}
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/set-memory/mem/internal/base/seal"
	"github.com/set-memory/mem/internal/front/cli"
	"github.com/set-memory/mem/internal/front/serve"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

func newKeyCmd(h *cli.Host) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "key <action>",
		Short: cli.DaemonVerb("key"),
		Long: `What is stored with sensitivity high is sealed with age, to the newest identity of the file that
$MEM_AGE_IDENTITY names. The file is what age-keygen writes, for its owner alone, and lies in no
memory. Whoever loses it has lost what was sealed.`,
		Example: `  mem key new ~/.config/mem/key
  export MEM_AGE_IDENTITY=~/.config/mem/key
  mem key rotate`,
		Args: cli.Args(1, -1, "new or rotate"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return cli.BadInput("key "+args[0], "no such action", "there is new and rotate")
		},
	}
	cmd.AddCommand(newKeyNewCmd(h), newKeyRotateCmd(h))
	return cmd
}

func newKeyNewCmd(h *cli.Host) *cobra.Command {
	return &cobra.Command{
		Use:     "new <file>",
		Short:   "make a file with a new key",
		Long:    `Make a file with a new key. It must not be there, and lie in no memory.`,
		Example: `  mem key new ~/.config/mem/key`,
		Args:    cli.Args(1, 1, "one file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := h.Check(); err != nil {
				return err
			}
			if err := seal.Create(args[0], h.Clock()(), roots(h, args[0])...); err != nil {
				return err
			}
			return sayKey(h, cmd, args[0])
		},
	}
}

func newKeyRotateCmd(h *cli.Host) *cobra.Command {
	return &cobra.Command{
		Use:   "rotate [<file>]",
		Short: "add a new key, to which is sealed from now on",
		Long: `Add a new key to a file, that of $MEM_AGE_IDENTITY unless another is named. From now on is sealed to
the new one, by a server that runs, too. The old ones stay, to read what was sealed before: nothing
is rewritten.`,
		Example: `  mem key rotate`,
		Args:    cli.Args(0, 1, "at most one file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := h.Check(); err != nil {
				return err
			}
			path := cmp.Or(strings.Join(args, ""), h.KeyFile())
			if path == "" {
				return cli.BadInput("key", "which file?",
					"$MEM_AGE_IDENTITY names it, or an argument")
			}
			if err := seal.Rotate(path, h.Clock()(), roots(h, path)...); err != nil {
				return err
			}
			return sayKey(h, cmd, path)
		},
	}
}

// roots returns below which directories a key at a path may not lie: that of --root, and every
// memory, or root of a server, that the path itself leads through.
func roots(h *cli.Host, path string) (list []string) {
	if h.Root() != "" {
		list = append(list, h.Root())
	}
	at, err := filepath.Abs(path)
	if err != nil {
		return list
	}
	for dir := filepath.Dir(at); ; dir = filepath.Dir(dir) {
		for _, name := range [...]string{log.File, serve.TokensFile} {
			if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
				list = append(list, dir)
			}
		}
		if dir == filepath.Dir(dir) {
			return list
		}
	}
}

// keyReply answers what was done to a key file. The key itself nobody is told.
type keyReply struct {
	File string `json:"file"`
}

func sayKey(h *cli.Host, cmd *cobra.Command, path string) error {
	switch {
	case h.AsJSON():
		return h.Print(cmd, keyReply{path})
	case h.Quiet():
		return nil
	}
	_, err := fmt.Fprintln(cmd.OutOrStdout(), path)
	return err
}

// loadKeys loads a key file.
func loadKeys(path string, roots ...string) (ledger.Keys, error) {
	keys, err := seal.Load(path, roots...)
	if err != nil {
		return nil, err // not a nil *seal.Keys, which would be keys
	}
	return keys, nil
}

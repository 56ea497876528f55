package server

import (
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/set-memory/mem/internal/base/seal"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/serve"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

func newKeyCmd(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "key <action>",
		Long: `Create and rotate the key of sealed records. Records of sensitivity high are
sealed with age, to the newest identity of the file that $MEM_AGE_IDENTITY
names. The file has the format of age-keygen, is readable by its owner alone,
and lies outside every store. Without the file, sealed records are lost.`,
		Example: `  mem key new ~/.config/mem/key
  export MEM_AGE_IDENTITY=~/.config/mem/key
  mem key rotate`,
		Args: app.WantArgs(1, -1, "new or rotate"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return app.BadInput("key "+args[0], "no such action", "there is new and rotate")
		},
	}
	cmd.AddCommand(newKeyNewCmd(a), newKeyRotateCmd(a))
	return cmd
}

func newKeyNewCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "new <file>",
		Short: "create a file with a new key",
		Long: `Create a file with a new key. It must not exist, and must lie outside every
store.`,
		Example: `  mem key new ~/.config/mem/key`,
		Args:    app.WantArgs(1, 1, "one file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.Check(); err != nil {
				return err
			}
			if err := seal.Create(args[0], app.SystemClock()(), roots(a, args[0])...); err != nil {
				return err
			}
			return sayKey(a, cmd, args[0])
		},
	}
}

func newKeyRotateCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:   "rotate [<file>]",
		Short: "add a new key, which seals from now on",
		Long: `Add a new key to a file (default: $MEM_AGE_IDENTITY). New records are sealed to
it, also by a running server. The old keys stay and open earlier records:
nothing is rewritten.`,
		Example: `  mem key rotate`,
		Args:    app.WantArgs(0, 1, "at most one file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := a.Check(); err != nil {
				return err
			}
			path := cmp.Or(strings.Join(args, ""), a.KeyFile())
			if path == "" {
				return app.BadInput("key", "which file?",
					"$MEM_AGE_IDENTITY names it, or an argument")
			}
			if err := seal.Rotate(path, app.SystemClock()(), roots(a, path)...); err != nil {
				return err
			}
			return sayKey(a, cmd, path)
		},
	}
}

// roots returns below which directories a key at a path may not lie: that of --root, and every
// memory, or root of a server, that the path itself leads through.
func roots(a *app.App, path string) (list []string) {
	if a.Root != "" {
		list = append(list, a.Root)
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

// keyReply names the key file that a verb changed. No reply has the key.
type keyReply struct {
	File string `json:"file"`
}

func sayKey(a *app.App, cmd *cobra.Command, path string) error {
	switch {
	case a.AsJSON():
		return a.PrintValue(cmd, keyReply{path})
	case a.Quiet:
		return nil
	}
	_, err := fmt.Fprintln(cmd.OutOrStdout(), path)
	return err
}

// LoadKeys loads a key file.
func LoadKeys(path string, roots ...string) (ledger.Keys, error) {
	keys, err := seal.Load(path, roots...)
	if err != nil {
		return nil, err // not a nil *seal.Keys, which would be keys
	}
	return keys, nil
}

// currentKeys are those of a file, as it is now: a server outlives a rotation.
type currentKeys struct {
	path  string
	roots []string

	mu   sync.Mutex
	keys *seal.Keys
	info fs.FileInfo
}

// load returns the keys, read again if the file has changed.
func (c *currentKeys) load() (*seal.Keys, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now, err := os.Stat(c.path)
	if err == nil && c.keys != nil && os.SameFile(now, c.info) &&
		now.ModTime().Equal(c.info.ModTime()) && now.Size() == c.info.Size() {
		return c.keys, nil
	}
	// Where Stat fails, so does Load, with the reason.
	keys, err := seal.Load(c.path, c.roots...)
	if err == nil {
		c.keys, c.info = keys, now
	}
	return keys, err
}

var _ ledger.Keys = (*currentKeys)(nil)

// Seal seals a text.
func (c *currentKeys) Seal(plain []byte) ([]byte, error) {
	return callCurrent(c, (*seal.Keys).Seal, plain)
}

// Open opens a text.
func (c *currentKeys) Open(sealed []byte) ([]byte, error) {
	return callCurrent(c, (*seal.Keys).Open, sealed)
}

// SealTo seals bytes on their way to w.
func (c *currentKeys) SealTo(w io.Writer) (io.WriteCloser, error) {
	return callCurrent(c, (*seal.Keys).SealTo, w)
}

// OpenFrom opens the bytes that it reads from r.
func (c *currentKeys) OpenFrom(r io.Reader) (io.Reader, error) {
	return callCurrent(c, (*seal.Keys).OpenFrom, r)
}

// callCurrent calls a method of the keys as they are now.
func callCurrent[In, Out any](c *currentKeys, method func(*seal.Keys, In) (Out, error), in In) (
	out Out, err error) {
	keys, err := c.load()
	if err != nil {
		return out, err
	}
	return method(keys, in)
}

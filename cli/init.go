package cli

import (
	"fmt"
	"path/filepath"

	"github.com/set-memory/mem"
	"github.com/spf13/cobra"
)

type initOptions struct{}

func newInitCmd(a *app) *cobra.Command {
	o := &initOptions{}
	return &cobra.Command{
		Use:   "init",
		Short: "make a store in this directory",
		Long: `Make .mem/ in the current directory (or the directory of --root or $MEM_ROOT),
with a README that explains it. From here on every mem below this directory uses it. "mem set"
makes a missing store by itself; this verb only decides where.`,
		Example: `  mem init && echo .mem >> .gitignore`,
		Args:    wantArgs(0, 0, "no arguments"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
}

func (o *initOptions) run(a *app, cmd *cobra.Command) error {
	if a.root == "" && a.getenv("MEM_ROOT") == "" {
		a.root = mem.DotDir
	}
	s, err := a.open(cmd)
	if err != nil {
		return err
	}
	made, err := s.Create()
	if err != nil {
		return err
	}
	path, err := filepath.Abs(s.Path())
	if err != nil {
		path = s.Path()
	}
	if a.asJSON() {
		return a.printValue(cmd, mem.CreateReply{Made: made, Root: path})
	}
	if !made && !a.quiet {
		a.tell(cmd, "hint", "it was there already")
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), path)
	return err
}

package records

import (
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/keypath"
	"github.com/spf13/cobra"
)

func NewArtifactCmd(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "artifact <action>",
		Short: "store files of any bytes, and print them",
		Long: `Store files of any bytes by their SHA-256, and print them. Artifacts hold the
files of "artifact add" and the whole output of a tool if it is too long for
its event. They never change. "mem get ID" prints the record of an artifact;
"mem forget --purge" removes one.`,
		Example: `  mem artifact add build.log --session s1
  mem artifact get art_01KJ2KH5D04XNZEQFPHTQVBEWQ > build.log`,
		Args: cobra.ArbitraryArgs,
		RunE: noAction,
	}
	cmd.AddCommand(newArtifactAddCmd(a), newArtifactGetCmd(a))
	return cmd
}

type artifactOptions struct{ artifact ledger.Artifact }

func newArtifactAddCmd(a *app.App) *cobra.Command {
	o := &artifactOptions{}
	cmd := &cobra.Command{
		Use:         "add <file>",
		Short:       "keep a file of at most 64 MiB, and print its id",
		Annotations: app.GivenArgs(app.FileName),
		Long: `Store the bytes of a file, or of standard input with "-", and print the id of
the artifact. The limit is 64 MiB. A text that seems to contain a secret is
refused (exit code 3).`,
		Example: `  mem artifact add build.log --session s1
  make 2>&1 | mem artifact add -`,
		Args: app.WantArgs(1, 1, "one file, or -"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(a, cmd, args[0]) },
	}
	registerRecord(cmd, &o.artifact.Scope)
	return cmd
}

func (o *artifactOptions) run(a *app.App, cmd *cobra.Command, name string) error {
	in := cmd.InOrStdin()
	if name != "-" {
		f, err := a.OpenFile(name)
		if err != nil {
			return app.BadInput("artifact", app.Message(err), "")
		}
		defer f.Close()
		if isDirectory(f) {
			return fault.Input("artifact "+name, "it is a directory",
				advice.Say("tar -cz "+advice.Quote(name)+" | ").Run("artifact add", "-"))
		}
		var meta jsontext.Object
		meta.Text("name", filepath.Base(name))
		in, o.artifact.Meta = f, meta.Bytes()
	}
	book, err := openBook(a, cmd, keypath.Artifacts)
	if err != nil {
		return err
	}
	kept, err := book.AddArtifact(cmd.Context(), o.artifact, in)
	return printStored(a, cmd, kept, kept.ID, err)
}

// isDirectory reports whether a file of this machine is a directory.
func isDirectory(f io.Reader) bool {
	file, ok := f.(*os.File)
	if !ok {
		return false
	}
	fi, err := file.Stat()
	return err == nil && fi.IsDir()
}

func newArtifactGetCmd(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use:     "get <id>",
		Short:   "print the bytes of an artifact",
		Example: `  mem artifact get art_01KJ2KH5D04XNZEQFPHTQVBEWQ > build.log`,
		Args:    app.WantArgs(1, 1, "the id of an artifact"),
		RunE: func(cmd *cobra.Command, args []string) error {
			book, err := openBook(a, cmd, keypath.Artifacts)
			if err != nil {
				return err
			}
			r, err := book.OpenArtifact(cmd.Context(), "", args[0])
			if err != nil {
				return err
			}
			_, err = io.Copy(cmd.OutOrStdout(), r)
			return errors.Join(err, r.Close())
		},
	}
}

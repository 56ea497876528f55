package cli

import (
	"bytes"
	"errors"
	"io"

	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/spf13/cobra"
)

// recording is standard input that keeps the bytes that were read from it.
type recording struct {
	io.Reader
	read bytes.Buffer
}

// Read reads, and keeps that.
func (r *recording) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.read.Write(p[:n])
	return n, err
}

// unsealed runs a verb, and lets memd run it where this program cannot seal.
func unsealed(a *app.App, root *cobra.Command, stdin io.Reader) error {
	verb := firstWord(root.PersistentFlags(), a.Args)
	if a.HasDaemon() || !hasTrait(verb, seals) {
		return app.Execute(root)
	}
	in := &recording{Reader: stdin}
	root.SetIn(in)
	err := app.Execute(root)
	if errors.Is(err, ledger.ErrNoKey) {
		return a.HandOver(verb, in.read.Bytes())
	}
	return err
}

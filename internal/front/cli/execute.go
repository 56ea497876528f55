package cli

import (
	"bytes"
	"errors"
	"io"

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
func unsealed(a *app, root *cobra.Command, stdin io.Reader) error {
	verb := firstWord(root.PersistentFlags(), a.args)
	if hasDaemon(a) || !hasTrait(verb, seals) {
		return execute(root)
	}
	in := &recording{Reader: stdin}
	root.SetIn(in)
	err := execute(root)
	if errors.Is(err, ledger.ErrNoKey) {
		return handOver(a, verb, in.read.Bytes())
	}
	return err
}

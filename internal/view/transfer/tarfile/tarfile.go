// Package tarfile gives package transfer the tar files of the standard library (POSIX.1-2001,
// "ustar"). It stands apart because archive/tar and the user database that it links make each start
// of mem slower: memd alone imports it.
package tarfile

import (
	"archive/tar"
	"io"

	"github.com/set-memory/mem/internal/view/transfer"
)

// Format is a transfer.Tar.
type Format struct{}

// NewReader returns a reader without a buffer: its input stands where the reader is.
func (Format) NewReader(r io.Reader) transfer.TarReader { return reader{tar.NewReader(r)} }

// NewWriter returns a writer of files that their owner alone reads.
func (Format) NewWriter(w io.Writer) transfer.TarWriter { return writer{tar.NewWriter(w)} }

type reader struct{ *tar.Reader }

func (r reader) Next() (transfer.Member, error) {
	head, err := r.Reader.Next()
	if err != nil {
		return transfer.Member{}, err
	}
	return transfer.Member{Name: head.Name, Size: head.Size}, nil
}

type writer struct{ *tar.Writer }

func (w writer) Add(m transfer.Member, r io.Reader) error {
	err := w.WriteHeader(&tar.Header{Name: m.Name, Mode: 0o600, Size: m.Size})
	if err == nil {
		_, err = io.Copy(w.Writer, r)
	}
	return err
}

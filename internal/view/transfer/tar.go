package transfer

import (
	"bufio"
	"errors"
	"io"
)

// Tar reads and writes tar files. Package tarfile has it, which memd alone links: mem hands the
// verbs over that need one.
type Tar interface {
	NewReader(r io.Reader) TarReader
	NewWriter(w io.Writer) TarWriter
}

// Member is a file in a tar file, with its size in bytes.
type Member struct {
	Name string
	Size int64
}

// TarReader reads the members in their order; Read reads the bytes of the last one.
type TarReader interface {
	io.Reader
	Next() (Member, error) // io.EOF at the end
}

// TarWriter writes members, and at Close the end of the file.
type TarWriter interface {
	Add(m Member, r io.Reader) error
	Close() error
}

// ErrNoTar is returned where an import or an export needs a Tar and has none. Nothing was written.
var ErrNoTar = errors.New("this program reads and writes no tar files")

// noTarError is ErrNoTar with the bytes that were read of a stream.
type noTarError struct{ read []byte }

func (*noTarError) Error() string { return ErrNoTar.Error() }

// Is makes the error an ErrNoTar.
func (*noTarError) Is(target error) bool { return target == ErrNoTar }

// ReadBefore returns the bytes that were read of a stream before ErrNoTar.
func ReadBefore(err error) []byte {
	if no := (*noTarError)(nil); errors.As(err, &no) {
		return no.read
	}
	return nil
}

// noTar returns the error for an archive that comes as a stream.
func noTar(r *bufio.Reader) error {
	read, _ := r.Peek(r.Buffered()) // it is in memory
	return &noTarError{read: read}
}

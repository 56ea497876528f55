package mem

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/set-memory/mem/policy"
)

// EachLine calls fn for every line that is not blank, with its number from 1, or with the error of
// a line that is too long. The error is the reader's.
func EachLine(r io.Reader, fn func(n int, line []byte, err error)) error {
	in := bufio.NewReaderSize(r, 1<<20)
	for n := 1; ; n++ {
		line, err := readLine(in)
		if err == io.EOF {
			return nil
		}
		if err != nil && !errors.Is(err, policy.ErrTooLarge) {
			return err
		}
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if line = bytes.TrimSpace(line); err != nil || len(line) > 0 {
			fn(n, line, err)
		}
	}
}

// readLine reads a line of at most policy.MaxBatchLine bytes; a longer one is read to its end, and
// is an error.
func readLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	size := 0
	for {
		part, err := in.ReadSlice('\n')
		size += len(part)
		if size <= policy.MaxBatchLine+1 {
			line = append(line, part...)
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err == io.EOF && size == 0:
			return nil, io.EOF
		case err != nil && err != io.EOF:
			return nil, err
		}
		if bytes.HasSuffix(part, []byte{'\n'}) {
			size--
		}
		return line, policy.CheckLine(size)
	}
}

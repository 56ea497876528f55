package mem

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/set-memory/mem/internal/rule/policy"
)

// maxSkipped is how much of a line that is too long is read to find the next one. Past it there may
// be none: a device has no lines.
const maxSkipped = 64 << 20

// EachLine calls fn for every line that is not blank, with its number from 1, or with the error of
// a line that is too long. The error is the reader's, or a *LineError for a line that does not end
// in sight: nothing after it was read.
func EachLine(r io.Reader, fn func(n int, line []byte, err error)) error {
	in := bufio.NewReaderSize(r, 1<<20)
	for n := 1; ; n++ {
		line, err := readLine(in)
		switch {
		case err == io.EOF:
			return nil
		case err == errEndless:
			err = fmt.Errorf("line: %w: more than %d bytes, at most %d",
				policy.ErrTooLarge, maxSkipped, policy.MaxBatchLine)
			return &LineError{Line: n, Err: err}
		case err != nil && !errors.Is(err, policy.ErrTooLarge):
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

// readLine reads a line of at most policy.MaxBatchLine bytes; a longer one is read to its end, or
// to maxSkipped, and is an error.
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
		case size > maxSkipped:
			return nil, errEndless
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

package mem

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// ContextReader returns a reader that reads from r until ctx ends, even where r waits for bytes
// that do not come. What r still reads then is lost.
func ContextReader(ctx context.Context, r io.Reader) io.Reader {
	if ctx.Done() == nil {
		return r
	}
	return &contextReader{ctx: ctx, from: r, buf: make([]byte, 1<<16), got: make(chan chunk, 1)}
}

type contextReader struct {
	ctx  context.Context // of the one call that reads
	from io.Reader
	buf  []byte
	got  chan chunk
	rest []byte // of buf, the bytes read and not returned
	err  error  // after rest
}

type chunk struct {
	n   int
	err error
}

// Read returns the bytes read, or waits for more.
func (c *contextReader) Read(p []byte) (n int, err error) {
	for len(c.rest) == 0 && c.err == nil {
		go func() {
			n, err := c.from.Read(c.buf)
			c.got <- chunk{n, err}
		}()
		select {
		case part := <-c.got:
			c.rest, c.err = c.buf[:part.n], part.err
		case <-c.ctx.Done():
			c.err = context.Cause(c.ctx)
		}
	}
	if len(c.rest) == 0 {
		return 0, c.err
	}
	n = copy(p, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

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

// WithBadLines returns the error of a batch in which lines are bad.
func WithBadLines(err error, bad []*LineError) error {
	switch {
	case len(bad) == 0:
		return err
	case err != nil:
		return fmt.Errorf("%w (and %d lines were refused)", err, len(bad))
	}
	return &BatchError{Lines: bad}
}

func parseLine(line, source []byte) (w Write, sourced bool, err error) {
	text, err := log.CompactLine(nil, line)
	if err != nil {
		return w, false, err
	}
	if text[0] != '{' {
		return w, false, fmt.Errorf(
			"%w: want an object like {\"key\":...,\"content\":...,\"source\":...}", ErrInput)
	}
	return writeOf(text, source)
}

// writeOf parses a line, and reports whether it names its source.
func writeOf(text, source []byte) (w Write, sourced bool, err error) {
	w.Source = source
	sealed := false
	for name, value := range jsontext.Members(text) {
		switch name {
		case "key":
			w.Key, err = parseKey(value)
		case "content":
			w.Content = value
		case "source":
			w.Source, sourced = value, true
		case "ts":
			w.TS, err = parseTS(value)
		case "checksum", "valid":
			sealed = true
		}
		if err != nil {
			return w, false, err
		}
	}
	if sealed {
		// It claims to be an envelope of some store: then its checksum must be right, or the import
		// would give a changed one a new checksum.
		if _, err := log.Decode(text); err != nil {
			return w, false, err
		}
	}
	switch {
	case w.Key.IsZero():
		err = fmt.Errorf("%w: no \"key\"", ErrInput)
	case w.Content == nil:
		err = fmt.Errorf("%w: no \"content\"", ErrInput)
	case w.Source == nil:
		err = fmt.Errorf("%w: no \"source\", and none given with --source", ErrInput)
	}
	return w, sourced, err
}

func parseKey(value []byte) (keypath.Key, error) {
	if value[0] != '"' {
		return keypath.Key{}, fmt.Errorf("key: %w: want a string", ErrInput)
	}
	return keypath.Parse(jsontext.Unquote(value))
}

func parseTS(value []byte) (*log.Stamp, error) {
	if value[0] != '"' {
		return nil, fmt.Errorf("ts: %w: want a string like \"2026-02-22T10:00:00Z\"", ErrInput)
	}
	ts, err := log.ParseTime(jsontext.Unquote(value))
	if err != nil {
		return nil, fmt.Errorf("ts: %w", err)
	}
	return &ts, nil
}

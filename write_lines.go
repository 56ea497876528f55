package mem

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/log"
)

// PartialError is the error of a batch that ended in the middle. The stored writes stay.
type PartialError struct {
	Stored  int // lines that were written
	Already int // lines that were there already
	Total   int // lines there are
	Err     error
}

func (e *PartialError) Error() string {
	text := fmt.Sprintf("%d of %d stored", e.Stored, e.Total)
	if e.Already > 0 {
		text += fmt.Sprintf(", %d already there", e.Already)
	}
	return text + ", then: " + Message(e.Err)
}

// Unwrap returns what ended the batch, which decides the exit code.
func (e *PartialError) Unwrap() error { return e.Err }

type batchRun struct {
	op     *Operation
	total  int
	left   []Checked
	rep    BatchReport
	waited bool // somebody held the lock longer than a writer waits, and the caller knows
}

// partial returns an error as that of the whole batch: as it is where nothing is stored, or all.
func (b *batchRun) partial(err error) error {
	if err == nil || len(b.left) == 0 || len(b.left) == b.total {
		return err
	}
	return &PartialError{Stored: b.rep.Written, Already: b.rep.Unchanged, Total: b.total, Err: err}
}

// next stores the next n lines. Once a part of the batch is stored the lock is waited for without
// limit: half a batch helps nobody.
func (b *batchRun) next(ctx context.Context, n int,
	fn func(t *Tx, group []Checked) (BatchReport, error)) error {
	for {
		var part BatchReport
		_, err := b.op.update(ctx, func(t *Tx) (err error) {
			part, err = fn(t, b.left[:n])
			return err
		})
		if stored(err) {
			b.rep.add(part)
			b.left = b.left[n:]
		}
		if len(b.left) == b.total || !errors.Is(err, log.ErrLocked) {
			return err
		}
		if err := b.wait(ctx, err); err != nil {
			return err
		}
	}
}

// UpdateGroups is [Operation.UpdateAsOne] for more writes than one lock should be held for: fn puts
// those of a group, the first of which has the number from, and each group has a lock and an fsync
// of its own. An error before the second group is as of UpdateAsOne, a later one a *PartialError.
func (op *Operation) UpdateGroups(ctx context.Context, writes []Checked, size int,
	fn func(t *Tx, from int, group []Checked) error) (out []Outcome, err error) {
	b := &batchRun{op: op, total: len(writes), left: writes}
	for len(b.left) > 0 && err == nil {
		var last *Tx
		from := b.total - len(b.left)
		err = b.next(ctx, min(size, len(b.left)),
			func(t *Tx, group []Checked) (BatchReport, error) {
				last = t
				err := fn(t, from, group)
				return BatchReport{Written: len(t.written)}, err
			})
		if b.total-len(b.left) == from {
			break
		}
		for _, p := range last.written {
			out = append(out, p.outcome(op.store))
		}
		if op.store.opts.Progress != nil {
			op.store.opts.Progress(op.verb.String(), b.total-len(b.left), b.total)
		}
	}
	err = b.partial(err)
	op.Done(len(out), err)
	return out, err
}

// lockPause is what passes between two attempts at the lock, for a store that does not wait for it
// by itself.
const lockPause = 20 * time.Millisecond

// wait waits a little before the next attempt, and reports the reason the first time.
func (b *batchRun) wait(ctx context.Context, locked error) error {
	if !b.waited {
		b.waited = true
		b.op.store.opts.Warn(fmt.Sprintf("%d of %d stored, the rest is not: %s", b.rep.Written,
			b.total, locked))
	}
	select {
	case <-time.After(lockPause):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// sourceIs reports whether the source is that of a record. A line that names none has that of the
// call, in which the time of the call does not count.
func (p Checked) sourceIs(old []byte) bool {
	switch {
	case p.reason != "": // made for the quarantine, with the time
		return true
	case p.sourced:
		return jsontext.Equal(content.BareSource(old), content.BareSource(p.env.Source))
	case p.when == whenNew:
		return jsontext.Equal(originOf(old), originOf(p.env.Source))
	}
	return true
}

// originOf returns a source without its mark and without the time at which it was read.
func originOf(source []byte) []byte {
	return jsontext.ParseMembers(content.BareSource(source)).DropName("retrieved_at").Object()
}

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

// LineError is one bad line of a batch, or one bad file of a folder.
type LineError struct {
	File string // of an import; empty: the batch has no name
	Line int    // from 1; 0: the whole file
	Err  error
}

func (e *LineError) Error() string {
	switch {
	case e.File == "":
		return fmt.Sprintf("line %d: %s", e.Line, e.Err)
	case e.Line == 0:
		return fmt.Sprintf("%s: %s", e.File, e.Err)
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Err)
}

// Unwrap returns the fault.
func (e *LineError) Unwrap() error { return e.Err }

// BatchError has every bad line of a batch, and names the first of them. Unless the batch was to
// keep going, nothing was written.
type BatchError struct{ Lines []*LineError }

// maxBadLines is the number of bad lines that an error names: for a wrong file more are useless,
// and an agent pays for each.
const maxBadLines = 20

func (e *BatchError) Error() string {
	var texts []string
	for _, l := range e.Lines[:min(len(e.Lines), maxBadLines)] {
		texts = append(texts, l.Error())
	}
	switch more := len(e.Lines) - len(texts); {
	case more == 1: // it takes no more room than to say so
		texts = append(texts, e.Lines[maxBadLines].Error())
	case more > 1:
		texts = append(texts, fmt.Sprintf("%d more bad lines", more))
	}
	return strings.Join(texts, "\n")
}

// Unwrap returns the first fault, which decides the exit code.
func (e *BatchError) Unwrap() error { return e.Lines[0] }

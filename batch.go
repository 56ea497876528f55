package mem

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/set-memory/mem/compact"
	"github.com/set-memory/mem/jsontext"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/policy"
)

// A batch is appended in groups of this size, each under one lock and with one fsync, so that other writers come through between them.
const (
	groupLines = 10_000
	groupBytes = 4 << 20
)

// BatchOptions say how a batch is taken.
type BatchOptions struct {
	Source     []byte // for lines that name none; nil: they are bad
	Quarantine bool   // as in SetOptions
	KeepGoing  bool   // write the good lines although others are bad
	// AllowSecrets is as in SetOptions, for every line.
	AllowSecrets []string

	prefix keypath.Prefix // where the keys go
	once   bool           // leave out what is there already
}

// BatchReport says what became of a batch.
type BatchReport struct {
	Written   int `json:"written"`
	Unchanged int `json:"unchanged"` // imported envelopes that were there already
	Stale     int `json:"stale"`     // imported envelopes older than what the key holds, or held when it was voided
	Refused   int `json:"refused"`   // bad lines
	Apart     int `json:"apart"`     // of the written, kept under /untrusted/

	fresh int // of the written, those whose key held nothing
}

// SetAll stores a batch of JSONL lines {"key","content"[,"source"][,"ts"]}. Every line is checked before anything is
// written: where one is bad the error is a *BatchError and, unless o.KeepGoing, nothing was stored. A line with a ts is an
// import: it keeps its time, and is left out where the history has something newer for its key, so nothing deleted
// comes back.
func (s *Store) SetAll(r io.Reader, o BatchOptions) (rep BatchReport, err error) {
	// What is wrong with the configuration is no fault of each line.
	if _, err := s.Config(); err != nil {
		return rep, err
	}
	if err := checkAllowed(o.AllowSecrets); err != nil {
		return rep, err
	}
	done := s.begin("set")
	done.allowed = o.AllowSecrets
	writes, bad, err := s.readBatch(r, o)
	rep.Refused = len(bad)
	if err == nil && (len(bad) == 0 || o.KeepGoing) {
		err = s.appendAll("set", writes, &rep)
	}
	err = withBad(err, bad)
	done.batch(rep.Written, err)
	return rep, err
}

// withBad gives the error of a batch in which lines are bad.
func withBad(err error, bad []*LineError) error {
	switch {
	case len(bad) == 0:
		return err
	case err != nil:
		return fmt.Errorf("%w (and %d lines were refused)", err, len(bad))
	}
	return &BatchError{Lines: bad}
}

// readBatch checks all lines.
func (s *Store) readBatch(r io.Reader, o BatchOptions) (writes []prepared, bad []*LineError, err error) {
	err = eachLine(r, func(n int, line []byte, err error) {
		var p prepared
		if err == nil {
			p, err = s.parseLine(line, o)
		}
		if err != nil {
			bad = append(bad, &LineError{Line: n, Err: err})
			return
		}
		writes = append(writes, p)
	})
	return writes, bad, err
}

// eachLine calls fn for every line that is not blank, with its number, or with why it cannot be taken.
func eachLine(r io.Reader, fn func(n int, line []byte, err error)) error {
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

// readLine reads a line of at most policy.MaxBatchLine bytes; of a longer one it reads past the end and says so.
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

func (s *Store) parseLine(line []byte, o BatchOptions) (p prepared, err error) {
	text, err := log.CompactLine(nil, line)
	if err != nil {
		return p, err
	}
	if text[0] != '{' {
		return p, fmt.Errorf("%w: want an object like {\"key\":...,\"content\":...,\"source\":...}", ErrInput)
	}
	w := Write{Source: o.Source}
	sealed, sourced := false, false
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
			return p, err
		}
	}
	if sealed {
		// It claims to be an envelope of some store: then it must be a sound one, or the import would put its own seal under a change.
		if _, err := log.Decode(text); err != nil {
			return p, err
		}
	}
	switch {
	case w.Key.IsZero():
		return p, fmt.Errorf("%w: no \"key\"", ErrInput)
	case w.Content == nil:
		return p, fmt.Errorf("%w: no \"content\"", ErrInput)
	case w.Source == nil:
		return p, fmt.Errorf("%w: no \"source\", and none given with --source", ErrInput)
	}
	if p, err = s.prepareBelow(o.prefix, w, o.Quarantine, o.AllowSecrets); err != nil {
		return p, err
	}
	p.once, p.sourced = o.once, sourced
	return p, nil
}

// prepareBelow is prepare for a write that is put below a prefix.
func (s *Store) prepareBelow(prefix keypath.Prefix, w Write, quarantine bool, allow []string) (p prepared, err error) {
	if w.Key, err = below(prefix, w.Key); err != nil {
		return p, err
	}
	return s.prepare(w, quarantine, allow)
}

// below puts a key below a prefix.
func below(prefix keypath.Prefix, key keypath.Key) (keypath.Key, error) {
	if prefix == (keypath.Prefix{}) {
		return key, nil
	}
	return key.WithPrefix(prefix.String())
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

// appendAll stores checked writes group by group.
func (s *Store) appendAll(op string, writes []prepared, rep *BatchReport) error {
	im := newImporter(writes, s.boot)
	total := len(writes)
	for len(writes) > 0 {
		n := groupLen(writes)
		err := s.update(op, func(wr *compact.Writer) error {
			return s.appendGroup(wr, im, writes[:n], rep)
		})
		if err != nil {
			return err
		}
		writes = writes[n:]
		if s.opts.Progress != nil {
			s.opts.Progress(op, total-len(writes), total)
		}
	}
	return nil
}

func groupLen(writes []prepared) int {
	size := 0
	for i, p := range writes {
		if size += len(p.Content) + len(p.Source); i >= groupLines || i > 0 && size > groupBytes {
			return i
		}
	}
	return len(writes)
}

func (s *Store) appendGroup(wr *compact.Writer, im *importer, group []prepared, rep *BatchReport) error {
	if err := im.catchUp(wr); err != nil {
		return err
	}
	f := sieve{im: im, now: s.now, newest: wr.MaxTS(), rep: rep}
	news, err := f.sift(group)
	if err != nil || len(news) == 0 {
		return err
	}
	apart := 0
	for _, p := range news {
		if p.reason != "" {
			apart++
		}
	}
	err = wr.Append(envelopesOf(news))
	if stored(err) {
		rep.Written += len(news)
		rep.Apart += apart
		rep.fresh += f.fresh
	}
	return err
}

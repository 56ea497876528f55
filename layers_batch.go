package mem

import (
	"context"
	"errors"
	"io"

	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/keypath"
)

// SetAll is [Store.SetAll] with each line in the layer that its key belongs to. All lines are
// checked before anything is written; then the layers are written one after the other.
func (l *Layers) SetAll(ctx context.Context, c Caller, r io.Reader, o BatchOptions) (
	rep BatchReport, err error) {
	b := layersBatch{layers: l, caller: c, options: o, parts: map[*site.Site]*batchPart{}}
	bad, err := b.read(ctx, r)
	if err == nil && (len(bad) == 0 || o.KeepGoing) {
		rep, err = b.write(ctx)
	}
	rep.Refused = len(bad)
	err = WithBadLines(err, bad)
	for _, part := range b.parts {
		part.op.Done(part.rep.Written, err)
	}
	return rep, err
}

// layersBatch is a batch while its lines are given to the layers.
type layersBatch struct {
	layers  *Layers
	caller  Caller
	options BatchOptions
	parts   map[*site.Site]*batchPart
	order   []*batchPart // in which they are written
	total   int
}

// batchPart is what goes to one layer.
type batchPart struct {
	op     *Operation
	writes []Checked
	rep    BatchReport
}

func (b *layersBatch) read(ctx context.Context, r io.Reader) (bad []*LineError, err error) {
	var fatal error
	err = EachLine(ContextReader(ctx, r), func(n int, line []byte, err error) {
		if err == nil && fatal == nil {
			fatal, err = b.take(ctx, line)
		}
		if err != nil {
			bad = append(bad, &LineError{Line: n, Err: err})
		}
	})
	return bad, errors.Join(fatal, err)
}

// take checks a line for its layer. fatal is a fault that all lines have.
func (b *layersBatch) take(ctx context.Context, line []byte) (fatal, err error) {
	w, sourced, err := parseLine(line, b.options.Source)
	if err != nil {
		return nil, err
	}
	site, err := b.layers.For(w.Key)
	if err != nil {
		return nil, err
	}
	part, fatal := b.part(ctx, site)
	if fatal != nil {
		return fatal, nil
	}
	p, err := part.op.checkParsed(ctx, w, sourced, b.options, keypath.Prefix{})
	if err == nil {
		part.writes = append(part.writes, p)
		b.total++
	}
	return nil, err
}

// part returns the part of a layer, which begins with its first line.
func (b *layersBatch) part(ctx context.Context, site *site.Site) (*batchPart, error) {
	if part := b.parts[site]; part != nil {
		return part, nil
	}
	s, err := b.layers.Open(site)
	if err != nil {
		return nil, err
	}
	op, err := s.Begin(b.caller, policy.Set, b.options.AllowSecrets...)
	if err != nil {
		return nil, err
	}
	op.forced = b.options.Force
	if _, err := op.Config(ctx); err != nil {
		return nil, err
	}
	part := &batchPart{op: op}
	b.parts[site] = part
	b.order = append(b.order, part)
	return part, nil
}

// write stores the parts. Where the first is stored and the second fails, the error is a
// *PartialError of both.
func (b *layersBatch) write(ctx context.Context) (rep BatchReport, err error) {
	for _, part := range b.order {
		part.op.store.opts.warnBatch(part.writes)
		part.rep, err = part.op.PutAll(ctx, part.writes)
		rep.add(part.rep)
		if err != nil {
			return rep, b.partial(rep, err)
		}
	}
	return rep, nil
}

func (b *layersBatch) partial(rep BatchReport, err error) error {
	var inner *PartialError
	if errors.As(err, &inner) {
		err = inner.Err
	}
	if rep.Written+rep.Unchanged == 0 {
		return err
	}
	return &PartialError{
		Stored: rep.Written, Already: rep.Unchanged, Total: b.total, Err: err,
	}
}

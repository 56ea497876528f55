package fts

import (
	"errors"
	"slices"
	"sync"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/fts/analyzer"
	"github.com/set-memory/mem/internal/store/sidecar"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Builder makes the sidecar while a compaction writes the state. Texts are analyzed beside it, some
// records at a time, by parts that hold the postings of those that they take: when they are many
// they go to a temporary file, sorted, and all are merged at the end.
type Builder struct {
	root    *disk.Dir
	rows    rowWriter
	parts   [buildParts]*part
	maxHeld int // bytes that all parts hold
	alone   int // lines that the first part analyzes alone where others are kept

	next  *batch    // the batch that Add fills
	begun []*batch  // the batches that the parts have, in the order of the rows
	spare []*batch  // batches whose memory is used again
	toDo  int       // lines that were to be analyzed
	count uint32    // rows of all these
	old   *oldIndex // nil: every record is analyzed
	work  chan *batch
	busy  sync.WaitGroup
}

const (
	// buildParts is how many analyze at once. Analysis takes most of the time of a compaction; each
	// part has a vocabulary of its own.
	buildParts = 2
	// batchSize is how many records a part takes at a time.
	batchSize = 256
	// maxBegun is how many batches wait for a part, or for those before them.
	maxBegun = 8
	// forOnePart is how many lines are no work for a second part: it would learn the words anew.
	forOnePart = 4096
)

// defaultMaxHeld is how many bytes of postings and terms are held; a process takes some three times
// that, and 30 bytes for each record.
const defaultMaxHeld = 40 << 20

// batch holds lines that a part takes together.
type batch struct {
	lines []line
	done  chan struct{} // receives once they are analyzed
}

// line is a line of the new state, or one of the old that is gone; with what rowWriter needs.
type line struct {
	log.Record // of one that is kept only the key
	row        uint32
	is         lineKind
	at         log.Stamp     // time of the memory
	realm      keypath.Realm // marked where another memory has replaced it
	words      int
	marks      analyzer.Marks
}

// lineKind is how the lines of old and new state compare.
type lineKind uint8

const (
	fresh lineKind = iota // it is to be analyzed
	kept                  // the old index has its postings
	gone                  // the new state has it not
)

// NewBuilder begins a sidecar below a memory root. Either Draft or Discard ends it.
func NewBuilder(root *disk.Dir) *Builder {
	return &Builder{root: root, maxHeld: defaultMaxHeld, alone: forOnePart,
		work: make(chan *batch, maxBegun)}
}

// Add copies the next line of the state, whose content has these fields; lines come in their order.
// Draft returns the errors of temporary files.
func (b *Builder) Add(rec log.Record, f content.Fields) {
	b.put(line{Record: rec.Clone(), at: f.Time(rec.TS), realm: realmOf(rec.Key, f)})
}

// put takes a line into a batch.
func (b *Builder) put(l line) {
	if b.next == nil {
		b.next = b.newBatch()
	}
	if l.is != kept {
		b.toDo++
	}
	l.row = b.count
	b.next.lines = append(b.next.lines, l)
	if l.is != gone {
		b.count++
	}
	if len(b.next.lines) == batchSize {
		b.begin()
	}
}

// newBatch returns an empty batch.
func (b *Builder) newBatch() *batch {
	if n := len(b.spare); n > 0 {
		some := b.spare[n-1]
		b.spare = b.spare[:n-1]
		return some
	}
	return &batch{lines: make([]line, 0, batchSize), done: make(chan struct{}, 1)}
}

// begin hands the batch over to the parts, and takes in rows that are analyzed.
func (b *Builder) begin() {
	i := slices.Index(b.parts[:], nil)
	if i == 0 || i > 0 && (b.old == nil || b.toDo > b.alone) {
		b.start(i) // the second one where there is a second batch
	}
	b.begun = append(b.begun, b.next)
	b.work <- b.next
	b.next = nil
	for len(b.begun) >= maxBegun {
		b.takeIn()
	}
}

// start begins a part.
func (b *Builder) start(i int) {
	p := newPart(b.root, b.maxHeld/len(b.parts))
	b.parts[i] = p
	work := b.work
	b.busy.Go(func() {
		for some := range work {
			p.add(some)
			some.done <- struct{}{}
		}
	})
}

// takeIn waits for the first batch, and adds its rows.
func (b *Builder) takeIn() {
	some := b.begun[0]
	b.begun = b.begun[1:]
	<-some.done
	for i := range some.lines {
		if l := &some.lines[i]; l.is != gone {
			b.rows.add(l)
		}
	}
	clear(some.lines) // what they hold on to
	some.lines = some.lines[:0]
	b.spare = append(b.spare, some)
}

// end waits until all records are analyzed. Nothing is added any more.
func (b *Builder) end() error {
	if b.work == nil {
		return nil
	}
	if b.next != nil {
		b.begin()
	}
	close(b.work)
	b.work = nil
	for len(b.begun) > 0 {
		b.takeIn()
	}
	b.busy.Wait()
	var all []error
	for _, p := range b.parts {
		if p != nil {
			all = append(all, p.err)
		}
	}
	return errors.Join(all...)
}

// Discard removes what the Builder left on the disk. Draft does it, too.
func (b *Builder) Discard() {
	_ = b.end() // an error does not matter: all of it is thrown away
	for _, p := range b.parts {
		if p == nil {
			continue
		}
		for _, name := range p.runs {
			_ = b.root.Remove(sidecar.Dir + "/" + name) // fsck removes files that remain
		}
		p.runs = nil
	}
	if b.old != nil {
		b.old.ix.Close()
		b.old = nil
	}
}

package fts

import (
	"github.com/set-memory/mem/log"
)

// feed hands records to another goroutine, some at a time, so that a compaction does not wait for their words to be cut and stemmed.
type feed struct {
	present *parcel
	full    chan *parcel
	spare   chan *parcel // to be used again
	done    chan struct{}
}

// parcel is copies of some records.
type parcel struct {
	records []log.Record // with content in bytes
	bytes   []byte
}

const (
	parcelSize = 128 << 10
	parcels    = 8 // on the way at a time
)

// newFeed begins one, whose records take is called with.
func newFeed(take func(*log.Record)) *feed {
	f := &feed{present: &parcel{}, full: make(chan *parcel, parcels), spare: make(chan *parcel, parcels), done: make(chan struct{})}
	go func() {
		defer close(f.done)
		for p := range f.full {
			for i := range p.records {
				take(&p.records[i])
			}
			p.records, p.bytes = p.records[:0], p.bytes[:0]
			select {
			case f.spare <- p:
			default:
			}
		}
	}()
	return f
}

// add takes a copy of what is indexed of a record.
func (f *feed) add(rec *log.Record) {
	p := f.present
	if len(p.bytes)+len(rec.Content) > cap(p.bytes) && len(p.records) > 0 {
		f.send()
		p = f.present
	}
	if cap(p.bytes) < max(parcelSize, len(rec.Content)) {
		p.bytes = make([]byte, 0, max(parcelSize, len(rec.Content)))
	}
	from := len(p.bytes)
	p.bytes = append(p.bytes, rec.Content...)
	e := log.Envelope{Key: rec.Key, TS: rec.TS, Content: p.bytes[from:len(p.bytes):len(p.bytes)]}
	p.records = append(p.records, log.Record{Envelope: e})
}

func (f *feed) send() {
	f.full <- f.present
	select {
	case f.present = <-f.spare:
	default:
		f.present = &parcel{}
	}
}

// close waits until all has been taken. It may be called again.
func (f *feed) close() {
	if f.present == nil {
		return
	}
	f.full <- f.present
	f.present = nil
	close(f.full)
	<-f.done
}

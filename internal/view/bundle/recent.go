package bundle

import (
	"slices"

	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// fewRecent is how many messages are looked at first: more than most windows hold.
const fewRecent = 128

// recent fills in what was last said in the session, oldest first: going back from the newest
// message, to the first that does not fit. What was said before again is passed over.
func (x *builder) recent() error {
	below := prefix(keypath.Events + "/" + x.req.Session)
	records, err := x.read.Newest(x.ctx, below, fewRecent, "message")
	kept, err := x.shared(records, err)
	if err != nil {
		return err
	}
	ended := x.addRecent(kept)
	if !ended && len(records) == fewRecent {
		records, err = x.read.Newest(x.ctx, below, poolMost, "message")
		if kept, err = x.shared(records[min(fewRecent, len(records)):], err); err != nil {
			return err
		}
		x.addRecent(kept)
	}
	slices.Reverse(x.pack.sections[recentWindow].Items)
	return x.cutLately(below)
}

// cutLately tells of the newest events of the session, of any kind, whose text was cut: no word of
// the rest finds them.
func (x *builder) cutLately(below keypath.Prefix) error {
	records, err := x.read.Newest(x.ctx, below, fewRecent)
	records = slices.DeleteFunc(records, func(rec log.Record) bool {
		return x.read.Whole(rec) == ""
	})
	records, err = x.shared(records, err)
	for _, rec := range records {
		x.omitRest(rec)
	}
	return err
}

// addRecent adds messages, the newest first, and reports whether one did not fit.
func (x *builder) addRecent(records []log.Record) (ended bool) {
	for _, rec := range records {
		it, said, ok := x.message(rec)
		if !ok || !x.pack.isNew(said) || isBlank(said) {
			continue
		}
		if !x.pack.add(recentWindow, it, said) {
			return true
		}
	}
	return false
}

// message returns a message with its speaker, and without; not ok for one that is closed.
func (x *builder) message(rec log.Record) (it Item, said string, ok bool) {
	if rec.Key.Class() != keypath.Event {
		return it, "", false // other hands have put it there
	}
	by, said, ok := x.read.Said(rec)
	if !ok {
		x.omit(sealedRecord, rec.Key, "")
		return it, "", false
	}
	return Item{Type: "text", Text: x.read.Mark(rec) + shownName(by) + ": " + said,
		Refs: []string{ledger.IDOf(rec.Key)}}, said, true
}

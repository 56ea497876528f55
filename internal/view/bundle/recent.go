package bundle

import (
	"slices"

	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// fewRecent is how many messages are looked at first: more than most windows hold.
const fewRecent = 128

// recent adds the last messages of the session, oldest first: it goes back from the newest message
// to the first that does not fit. It skips a message whose text is in the bundle already.
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

// cutLately lists as omitted the newest events of the session, of any kind, whose text was cut: a
// search does not find the words of the rest.
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

// message returns a message with and without its speaker. It is not ok for a sealed one.
func (x *builder) message(rec log.Record) (it Item, said string, ok bool) {
	if rec.Key.Class() != keypath.Event {
		return it, "", false // another program has put it there
	}
	by, said, ok := x.read.ActorAndText(rec)
	if !ok {
		x.omit(sealedRecord, rec.Key, "")
		return it, "", false
	}
	return Item{Type: "text", Text: x.read.Mark(rec) + shownName(by) + ": " + said,
		Refs: []string{ledger.IDOf(rec.Key)}, of: ledger.IDOf(rec.Key)}, said, true
}

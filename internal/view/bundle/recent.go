package bundle

import (
	"cmp"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// fewRecent is how many events of the session are read first.
const fewRecent = 128

// recent adds the last messages of the session, oldest first: it goes back from the newest message
// to the first that does not fit. It skips a message whose text is in the bundle already.
func (x *builder) recent() error {
	messages := slices.DeleteFunc(slices.Clone(x.lately), func(rec log.Record) bool {
		return !strings.EqualFold(content.Parse(rec.Content).Type, "message")
	})
	ended, err := x.addRecent(messages)
	if !ended && len(x.lately) == fewRecent {
		err = cmp.Or(err, x.addOlder(len(messages)))
	}
	slices.Reverse(x.pack.sections[recentWindow].Items)
	return cmp.Or(err, x.cutLately())
}

// addOlder adds messages behind the first few, which were looked at. Of a long dialogue it reads as
// many as the window may take by the size of those that it has, and more if that was too few.
func (x *builder) addOlder(seen int) error {
	below := keypath.MustPrefix(keypath.Events + "/" + x.req.Session)
	for most := fewRecent; most < poolMost; {
		spent := x.pack.sections[recentWindow].Tokens + 1
		most = min(max(2*most, seen+seen*x.pack.left[recentWindow]/spent*5/4), poolMost)
		list, err := x.read.Newest(x.ctx, below, most, "message")
		ended, failed := x.addRecent(list[min(seen, len(list)):])
		if err = cmp.Or(err, failed); ended || err != nil || len(list) < most {
			return err
		}
		seen = len(list)
	}
	return nil
}

// cutLately lists as omitted the newest events of the session, of any kind, whose text was cut: a
// search does not find the words of the rest.
func (x *builder) cutLately() error {
	records, err := x.shared(slices.DeleteFunc(slices.Clone(x.lately), func(rec log.Record) bool {
		return x.read.Whole(rec) == ""
	}), nil)
	for _, rec := range records {
		x.omitRest(rec)
	}
	return err
}

// addRecent adds messages, the newest first, and reports whether one did not fit.
func (x *builder) addRecent(records []log.Record) (ended bool, err error) {
	for _, rec := range records {
		if hidden, err := x.isPrivate(rec); err != nil {
			return false, err
		} else if hidden {
			continue
		}
		it, said, ok := x.message(rec)
		if ok && x.pack.isNew(said) && !isBlank(said) && !x.pack.add(recentWindow, it, said) {
			return true, nil
		}
	}
	return false, nil
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

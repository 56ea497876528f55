package ledger_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/ulid"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// given is a message with an id of its sender, made at the clock of the lab and later.
func (l *lab) given(session, text string, later time.Duration) ledger.Event {
	id, err := ulid.New(l.Clock.Add(later), nil)
	l.Must(err)
	e := message(session, text)
	e.ID = "evt_" + id
	return e
}

// An event that is sent again is answered as the first time, and stored once; another one with its
// id is refused.
func TestEventsAreSentAgain(t *testing.T) {
	eachLab(t, func(t *testing.T, l *lab) {
		long := l.given("s1", strings.Repeat("lengthy words\n", 9000), 0)
		decided := l.given("s1", "", 0)
		decided.Kind, decided.Refs = "decision", []string{l.record(message("s1", "why")).Event}
		decided.Content = []byte(`{"decision":"ship it"}`)
		task := l.given("s1", "write it down", 0)
		task.Kind = "task_update"
		old := l.given("s1", "old", -48*time.Hour)
		for _, e := range []ledger.Event{l.given("s1", "hello", 0), long, decided, task, old} {
			first, before := l.record(e), l.count()
			if again := l.record(e); !reflect.DeepEqual(again, first) || l.count() != before {
				t.Errorf("%s: %+v, then %+v", e.Content, first, again)
			}
			if first.Event != e.ID {
				t.Errorf("it has the id %s, not %s", first.Event, e.ID)
			}
			other := e
			other.Content = []byte(`{"text":"something else"}`)
			if e.ID == long.ID { // no new words
				other.Content = []byte(strings.Replace(string(long.Content), `"}`, `words"}`, 1))
			}
			if _, err := l.book.Record(ctx, other); !errors.Is(err, ledger.ErrTaken) ||
				mem.KindOf(err) != mem.KindConflict || l.count() != before {
				t.Errorf("%s with another content: %v", e.ID, err)
			}
		}
	})
}

// count returns how many records the store has.
func (l *lab) count() (n int) {
	l.T.Helper()
	l.Must(l.Everything(ctx, func(log.Record) error { n++; return nil }))
	return n
}

// Bad ids and times are refused.
func TestGivenIDsAndTimes(t *testing.T) {
	l := newLab(storetest.NewStore(t, storetest.Files))
	ahead, day := l.given("s1", "x", 2*time.Minute), message("s1", "x")
	at := log.StampOf(l.Clock.Add(25 * time.Hour))
	day.At = &at
	for _, c := range []struct {
		e    ledger.Event
		want error
	}{{ahead, mem.ErrFuture}, {day, mem.ErrFuture}} {
		if _, err := l.book.Record(ctx, c.e); !errors.Is(err, c.want) {
			t.Errorf("%+v: %v", c.e, err)
		}
	}
	for _, id := range []string{"x", "evt_x", "dec_01J00000000000000000000000", "evt_",
		"01J00000000000000000000000", "evt_01j00000000000000000000000"} {
		e := message("s1", "x")
		e.ID = id
		if _, err := l.book.Record(ctx, e); !errors.Is(err, mem.ErrInput) {
			t.Errorf("id %q: %v", id, err)
		}
	}
}

// A purged event does not come back, and an id of one session does not lead to another.
func TestGivenIDsLeadToTheFirst(t *testing.T) {
	l := newLab(storetest.NewStore(t, storetest.Files))
	e := l.given("s1", "the first", 0)
	l.record(e)
	forged := e
	forged.Session, forged.Content = "s2", []byte(`{"text":"forged"}`)
	l.record(forged)
	n, err := l.book.Resolve(ctx, "private", e.ID)
	l.Must(err)
	if !strings.HasPrefix(n.Record.Key.String(), "/event/s1/") {
		t.Errorf("the id leads to %s", n.Record.Key)
	}
	l.Clock = l.Clock.Add(2 * time.Minute)
	key := keypath.MustParse("/event/s1/" + e.ID)
	_, err = l.Purge(ctx, mem.Caller{}, mem.PurgeOptions{Keys: []keypath.Key{key}})
	l.Must(err)
	if _, err := l.book.Record(ctx, e); !errors.Is(err, ledger.ErrTaken) {
		t.Errorf("a purged event is stored again: %v", err)
	}
}

// Of a list each event is stored or has its own error, in one update.
func TestEventsOfAList(t *testing.T) {
	eachLab(t, func(t *testing.T, l *lab) {
		one, bad := l.given("s1", "one", 0), message("s1", "x")
		bad.Kind = "joke"
		twice, other := one, one
		other.Content = []byte(`{"text":"other"}`)
		gone := message("s1", "x")
		gone.Kind, gone.Content = "task_update",
			[]byte(`{"task_id":"task_01J00000000000000000000000","status":"done"}`)
		list := []ledger.Event{one, bad, message("s1", "two"), twice, other, gone,
			message("s2", "three")}
		results, err := l.book.RecordEach(ctx, list)
		l.Must(err)
		for i, want := range []error{nil, mem.ErrInput, nil, nil, ledger.ErrTaken,
			ledger.ErrNotFound, nil} {
			got := results[i]
			if !errors.Is(got.Err, want) || (want == nil) != (got.Err == nil) ||
				(want == nil) != (got.Created != 0) {
				t.Errorf("event %d: %+v, want %v", i, got, want)
			}
		}
		if results[0].Event != results[3].Event || l.count() != 3 {
			t.Errorf("%d records: %+v", l.count(), results)
		}
		again, err := l.book.RecordEach(ctx, list[:1])
		l.Must(err)
		if !reflect.DeepEqual(again[0], results[0]) {
			t.Errorf("%+v, then %+v", results[0], again[0])
		}
	})
}

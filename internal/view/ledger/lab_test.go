package ledger_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/ledger"
)

var ctx = context.Background()

// lab is a book over a store, whose clock moves on by a second with each event.
type lab struct {
	*storetest.Store
	book *ledger.Book
}

func newLab(s *storetest.Store) *lab {
	return &lab{s, ledger.New(s.Store, mem.Caller{}, ledger.Options{})}
}

func eachLab(t *testing.T, test func(*testing.T, *lab)) {
	storetest.EachKind(t, func(t *testing.T, s *storetest.Store) { test(t, newLab(s)) })
}

// message is an event of a person.
func message(session, text string) ledger.Event {
	value, err := json.Marshal(map[string]string{"text": text})
	if err != nil {
		panic(err)
	}
	return ledger.Event{Session: session, Actor: ledger.Actor{Type: "human", ID: "user"},
		Kind: "message", Content: value}
}

func (l *lab) record(e ledger.Event) ledger.Recorded {
	l.T.Helper()
	l.Clock = l.Clock.Add(time.Second)
	list, err := l.book.Record(ctx, e)
	l.Must(err)
	return list[0]
}

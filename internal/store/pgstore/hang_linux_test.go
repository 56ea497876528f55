package pgstore_test

import (
	"context"
	"testing"
	"time"

	"github.com/set-memory/mem/keypath"
)

// A replica that hangs costs a little time, and then the primary answers.
func TestReplicaThatHangs(t *testing.T) {
	p := newTwin(t)
	other := follow(t, p.place, t.TempDir())
	other.put("known", "/k/1")
	p.pauses()
	p.standby.Resume(t)
	reader := p.reader(t.TempDir())
	for range 2 {
		if got := reader.gets("/k/1"); got != `"known"` {
			t.Error(got)
		}
	}
	goOn := p.standby.Hang(t)
	defer goOn()
	limited, cancel := context.WithTimeout(ctx, 8*time.Second)
	defer cancel()
	key := keypath.MustParse("/k/1")
	rec, _, err := reader.Store.Get(limited, key)
	if err != nil || string(rec.Content) != `"known"` {
		t.Errorf("%s, %v", rec.Content, err)
	}
	versions := 0
	for _, err := range reader.History(limited) {
		must(t, err)
		versions++
	}
	if versions != 1 || len(reader.warns) != 1 {
		t.Errorf("%d versions, warnings %q", versions, reader.warns)
	}
}

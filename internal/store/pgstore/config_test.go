package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/pgstore"
	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/internal/view/ledger"
	"github.com/set-memory/mem/keypath"
)

// machine opens a space as another machine does.
func machine(t testing.TB, place *pgstore.Address) *mem.Store {
	t.Helper()
	space, err := pgstore.Open(place, pgstore.Options{CacheDir: t.TempDir()})
	must(t, err)
	store := mem.New(space, mem.Options{})
	t.Cleanup(func() { must(t, store.Close()) })
	return store
}

// say writes a key whose source is a chat.
func say(s *mem.Store, key string, o mem.SetOptions) (mem.Outcome, error) {
	return s.Set(context.Background(), mem.Caller{}, mem.Write{Key: keypath.MustParse(key),
		Content: []byte(`"it is said"`), Source: []byte(`"chat"`)}, o)
}

// TestConfigOfOthers is a setting that another machine has changed: the very next write obeys it,
// though nobody asked for it before the write.
func TestConfigOfOthers(t *testing.T) {
	ctx, place := context.Background(), newPlace(t, database(t))
	mine, others := machine(t, place), machine(t, place)
	set := func(value string) {
		t.Helper()
		_, err := others.SetSetting(ctx, mem.Caller{}, "knowledge", value)
		must(t, err)
	}
	_, err := say(mine, "/docs/a", mem.SetOptions{})
	must(t, err)

	set(`["/docs"]`)
	if _, err := say(mine, "/docs/b", mem.SetOptions{}); !errors.Is(err, policy.ErrProvenance) {
		t.Errorf("%v, want a refusal by the new setting", err)
	}
	if _, err := mine.Get(ctx, mem.Caller{}, keypath.MustParse("/docs/b"), true); err == nil {
		t.Error("what was refused is stored")
	}
	set("null")
	_, err = say(mine, "/docs/c", mem.SetOptions{})
	must(t, err) // nor does the old setting refuse it

	set(`["/docs"]`)
	out, err := say(mine, "/docs/d", mem.SetOptions{Quarantine: true})
	must(t, err)
	if !out.Key.Untrusted() || out.Reason == "" {
		t.Errorf("%s is stored, want it quarantined by the new setting", out.Key)
	}
	set("null")
	out, err = say(mine, "/docs/e", mem.SetOptions{Quarantine: true})
	must(t, err)
	if out.Key.Untrusted() {
		t.Errorf("%s is quarantined by the old setting", out.Key)
	}
}

// TestConfigOfOthersLimit is a stricter limit that another machine has set.
func TestConfigOfOthersLimit(t *testing.T) {
	ctx, place := context.Background(), newPlace(t, database(t))
	mine, others := machine(t, place), machine(t, place)
	add := func() error {
		_, err := say(mine, "/session/s1/r"+fmt.Sprint(time.Now().UnixNano()), mem.SetOptions{})
		return err
	}
	_ = add() // the configuration is known
	_, err := others.SetSetting(ctx, mem.Caller{}, "storage.max_session_size_mb", "0.00001")
	must(t, err)
	var full *policy.FullError
	if err := add(); !errors.As(err, &full) {
		t.Errorf("%v, want the session to be full", err)
	}
	_, err = others.SetSetting(ctx, mem.Caller{}, "storage.max_session_size_mb", "1")
	must(t, err)
	must(t, add())
}

// TestOneTransactionPerWrite is a caller that writes one after the other, and looks at nothing.
func TestOneTransactionPerWrite(t *testing.T) {
	const writes = 300
	ctx, place := context.Background(), newPlace(t, database(t))
	sql := connect(t, database(t))
	count := func() (n int) {
		t.Helper()
		time.Sleep(100 * time.Millisecond) // a session that ends reports what it did
		must(t, sql.QueryRow(ctx, `SELECT xact_commit + xact_rollback FROM pg_stat_database
			WHERE datname = current_database()`).Scan(&n))
		return n
	}
	before := count()
	space, err := pgstore.Open(place, pgstore.Options{CacheDir: t.TempDir()})
	must(t, err)
	book := ledger.New(mem.New(space, mem.Options{}), mem.Caller{}, ledger.Options{})
	for i := range writes {
		_, err := book.Record(ctx, ledger.Event{Session: "s1", Kind: "message",
			Actor: ledger.Actor{Type: "human", ID: "ada"}, Content: fmt.Appendf(nil, "%d", i)})
		must(t, err)
	}
	must(t, space.Close())
	n := count() - before
	t.Logf("%d transactions for %d events", n, writes)
	if n < writes || n > writes+writes/10 {
		t.Errorf("%d transactions for %d events", n, writes)
	}
}

// TestLostAnswersOfConfig is a connection that is cut while another machine changes the
// configuration: nothing is stored twice, and nothing acknowledged is lost.
func TestLostAnswersOfConfig(t *testing.T) {
	cuts := testkit.Extent(20, 60, 1000)
	ctx, place := context.Background(), newPlace(t, database(t))
	between, behind := newProxy(t, place.URL(), 7)
	space := openPlace(t, behind)
	through, others := mem.New(space, mem.Options{}), machine(t, place)
	_, err := say(through, "/first", mem.SetOptions{})
	must(t, err)
	var told verdicts
	told.add(verdict{content: `"it is said"`})
	between.begin()
	var writers sync.WaitGroup
	for w := range 6 {
		writers.Go(func() {
			for i := 0; between.count() < cuts; i++ {
				content := fmt.Sprintf(`"%d of %d"`, i, w)
				key := fmt.Sprintf("/w/%d/%d", w, i)
				_, err := through.Set(ctx, mem.Caller{}, mem.Write{Key: keypath.MustParse(key),
					Content: []byte(content), Source: []byte(`"test"`)},
					mem.SetOptions{IfAbsent: i%3 == 0})
				told.add(verdict{key, content, err})
			}
		})
	}
	for i := 0; between.count() < cuts; i++ {
		_, err := others.SetSetting(ctx, mem.Caller{}, "memory.max_total", fmt.Sprint(100+i%50))
		must(t, err)
		time.Sleep(30 * time.Millisecond)
	}
	writers.Wait()
	n := between.end()
	stored, failed, unknown := told.hold(t, openPlace(t, place))
	t.Logf("%d cuts: %d stored, %d failed, %d unknown", n, stored, failed, unknown)
	for _, one := range told.all {
		if errors.Is(one.err, backend.ErrConfig) {
			t.Errorf("%s: %v", one.key, one.err)
		}
		if one.err != nil && strings.Contains(one.err.Error(), "compare-and-set") {
			t.Errorf("%s: its own write was taken for another's", one.key)
		}
	}
}

package pgstore_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/store/pgstore"
	"github.com/set-memory/mem/internal/test/pgtest"
	"github.com/set-memory/mem/internal/test/testkit"
)

// The environment of a process that writes: the URL of its space, and its number.
const (
	writerURL    = "MEM_TEST_WRITER_URL"
	writerNumber = "MEM_TEST_WRITER"
)

// writeUntilKilled is what a process of TestKilledWriters does: 8 goroutines write 200 times each,
// and what was acknowledged is printed.
func writeUntilKilled(url string) int {
	place, err := pgstore.ParseURL(url)
	if err != nil {
		return 1
	}
	dir, err := os.MkdirTemp("", "mem-writer-")
	if err != nil {
		return 1
	}
	defer os.RemoveAll(dir)
	s, err := pgstore.Open(place, pgstore.Options{CacheDir: dir, LockWait: time.Minute})
	if err != nil {
		return 1
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	for g := range 8 {
		all.Go(func() {
			for i := range 200 {
				content := fmt.Sprintf(`"%s-%d-%d"`, os.Getenv(writerNumber), g, i)
				key := fmt.Sprintf("/w/%s/%d/%d", os.Getenv(writerNumber), g, i%50)
				if err := put(context.Background(), s, key, content, false); err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
				mu.Lock()
				fmt.Println(content)
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return 0
}

// Four processes of eight writers each, of which two are killed in the middle: what was
// acknowledged is there, once; who follows sees no stamp that is not later than the one before.
func TestKilledWriters(t *testing.T) {
	place := newPlace(t, database(t))
	self, err := os.Executable()
	must(t, err)
	var told verdicts
	var all sync.WaitGroup
	stop := make(chan struct{})
	follower := openPlace(t, place)
	var following sync.WaitGroup
	following.Go(func() { keepReading(t, follower, stop) })
	for n := range 4 {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), writerURL+"="+place.URL(), fmt.Sprint(writerNumber, "=", n))
		out, err := cmd.StdoutPipe()
		must(t, err)
		cmd.Stderr = os.Stderr
		must(t, cmd.Start())
		all.Go(func() {
			limit := 1600
			if n%2 == 1 {
				limit = 100 + rand.IntN(1200)
			}
			lines := bufio.NewScanner(out)
			for i := 0; lines.Scan(); i++ {
				if i == limit {
					_ = cmd.Process.Kill() // what it says until it is dead counts, too
				}
				told.add(verdict{content: lines.Text()})
			}
			if err := cmd.Wait(); (err != nil) != (n%2 == 1) {
				t.Errorf("writer %d: %v", n, err)
			}
		})
	}
	all.Wait()
	close(stop)
	following.Wait()
	count := told.holdAcknowledged(t, follower)
	t.Logf("%d acknowledged, %d there", len(told.all), count)
	if len(told.all) < 3200 {
		t.Errorf("%d writes were acknowledged", len(told.all))
	}
	found, err := check(context.Background(), follower, false)
	must(t, err)
	if len(found) > 0 {
		t.Errorf("check: %v", found)
	}
}

// holdAcknowledged checks that what was acknowledged is there, and nothing twice.
func (v *verdicts) holdAcknowledged(t *testing.T, s *pgstore.Store) int {
	t.Helper()
	count := map[string]int{}
	for rec, err := range s.History(context.Background()) {
		must(t, err)
		if count[string(rec.Content)]++; count[string(rec.Content)] > 1 {
			t.Errorf("%s is there twice", rec.Content)
		}
	}
	for _, one := range v.all {
		if count[one.content] != 1 {
			t.Errorf("%s was acknowledged, and is not there", one.content)
		}
	}
	return len(count)
}

// keepReading reads again and again: what is newest never becomes older.
func keepReading(t *testing.T, s *pgstore.Store, stop chan struct{}) {
	newest := int64(0)
	for {
		select {
		case <-stop:
			return
		default:
		}
		snap, err := s.Snapshot(context.Background())
		if err != nil {
			t.Error(err)
			return
		}
		if now := int64(snap.Newest()); newest > 0 && now < newest {
			t.Errorf("%d comes after %d", now, newest)
		} else {
			newest = now
		}
		snap.Close()
	}
}

// The server is killed with SIGKILL while eight write, and started again: the writers go on, and
// what was acknowledged survives. Each kill waits for writes to be acknowledged since the one
// before, however long that takes.
func TestKilledServer(t *testing.T) {
	kills := testkit.Extent(1, 4, 50)
	server := pgtest.Own(t)
	url := server.Database(t)
	_, err := pgstore.Migrate(context.Background(), url)
	must(t, err)
	place := newPlace(t, url)
	s := openPlace(t, place)
	var told verdicts
	var done atomic.Bool
	var writers sync.WaitGroup
	acked := make(chan struct{}, 64)
	for w := range 8 {
		writers.Go(func() {
			for i := 0; !done.Load(); i++ {
				content := fmt.Sprintf(`"%d of %d"`, i, w)
				key := fmt.Sprintf("/w/%d/%d", w, i%20)
				err := put(context.Background(), s, key, content, false)
				told.add(verdict{content: content, err: err})
				if err != nil {
					continue
				}
				select {
				case acked <- struct{}{}:
				default: // nobody waits: the server is being killed or started
				}
			}
		})
	}
	for range kills {
		for range 10 + len(acked) + rand.IntN(40) { // some are of before the last kill
			<-acked
		}
		must(t, server.Kill())
		must(t, server.Up())
	}
	done.Store(true)
	writers.Wait()
	stored, failed, unknown := told.hold(t, s)
	t.Logf("%d kills: %d stored, %d failed, %d unknown", kills, stored, failed, unknown)
	for _, one := range told.all {
		if one.err != nil && !strings.Contains(one.err.Error(), "PostgreSQL") {
			t.Errorf("a writer was told %v", one.err)
			break
		}
	}
}

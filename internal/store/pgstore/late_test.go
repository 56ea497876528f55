package pgstore_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/store/pgstore"
	"github.com/set-memory/mem/keypath"
)

// late is a proxy that holds back what a client sends from the first message on that has a marker,
// lets the client believe that the connection is lost, and brings it to the server later.
type late struct {
	server  string
	marker  []byte
	met     atomic.Bool
	held    chan struct{} // closed when something is held back
	lose    chan struct{} // closed to lose the client's connection
	deliver chan struct{} // closed to bring it
	arrived chan error    // how that went
}

func newLate(t testing.TB, place, marker string) (*late, *pgstore.Address) {
	t.Helper()
	u, err := url.Parse(place)
	must(t, err)
	query := u.Query()
	dir, err := os.MkdirTemp("", "mem-late-")
	must(t, err)
	l := &late{server: filepath.Join(query.Get("host"), ".s.PGSQL.5432"), marker: []byte(marker),
		held: make(chan struct{}), lose: make(chan struct{}), deliver: make(chan struct{}),
		arrived: make(chan error, 1)}
	listener, err := net.Listen("unix", filepath.Join(dir, ".s.PGSQL.5432"))
	must(t, err)
	t.Cleanup(func() { listener.Close(); os.RemoveAll(dir) })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("unix", l.server)
			if err != nil {
				client.Close()
				continue
			}
			answered := make(chan struct{})
			go l.pass(client, server, answered)
			go func() {
				_, _ = io.Copy(client, server) // until the client is lost
				client.Close()
				close(answered)
			}()
		}
	}()
	query.Set("host", dir)
	u.RawQuery = query.Encode()
	behind, err := pgstore.ParseURL(u.String())
	must(t, err)
	return l, behind
}

// pass passes what a client sends, until it has the marker for the first time.
func (l *late) pass(client, server net.Conn, answered chan struct{}) {
	defer server.Close()
	buf := make([]byte, 1<<20) // more than a batch: it comes in one piece
	for {
		n, err := client.Read(buf)
		if err != nil {
			return
		}
		if bytes.Contains(buf[:n], l.marker) && l.met.CompareAndSwap(false, true) {
			l.arrived <- l.hold(buf[:n], client, server, answered)
			return
		}
		if _, err := server.Write(buf[:n]); err != nil {
			return
		}
	}
}

// hold brings a batch when it is told to.
func (l *late) hold(batch []byte, client, server net.Conn, answered chan struct{}) error {
	close(l.held)
	<-l.lose
	client.Close()
	<-l.deliver
	if _, err := server.Write(batch); err != nil {
		return err
	}
	<-answered // the server flushes its answer when the batch is committed
	return nil
}

// What was sent and never answered may reach the server long after it was looked for: it is not
// stored then, neither beside what was stored in its place, nor where the caller was told that
// nothing is.
func TestWhatArrivesLate(t *testing.T) {
	for n := range 8 {
		gaveUp, moved, served := n&1 > 0, n&2 > 0, n&4 > 0
		name := fmt.Sprintf("gave up %v, moved %v, served %v", gaveUp, moved, served)
		t.Run(name, func(t *testing.T) { arriveLate(t, gaveUp, moved, served) })
	}
}

func arriveLate(t *testing.T, gaveUp, moved, served bool) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	place := newPlace(t, database(t))
	slow, err := pgstore.Open(place, pgstore.Options{CacheDir: t.TempDir(),
		Now: func() time.Time { return time.Now().Add(-time.Hour) }})
	must(t, err)
	defer slow.Close()
	l, behind := newLate(t, place.URL(), `"late one"`)
	s := openPlace(t, behind)
	if served {
		s = openServed(t, behind)
	}
	ended := make(chan error, 1)
	go func() { ended <- add(ctx, s, "/late", `"late one"`) }()
	<-l.held
	if moved {
		must(t, add(context.Background(), slow, "/other", `"other"`))
	}
	if gaveUp {
		cancel()
	}
	close(l.lose)
	err = <-ended
	close(l.deliver)
	must(t, <-l.arrived)
	var told verdicts
	told.add(verdict{key: "/late", content: `"late one"`, err: err})
	if moved {
		told.add(verdict{key: "/other", content: `"other"`})
	}
	told.hold(t, slow)
	if !gaveUp && err != nil {
		t.Error(err)
	}
	if gaveUp && moved && !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that it was given up", err)
	}
	if _, _, err := s.Get(context.Background(), keypath.MustParse("/late")); err != nil {
		t.Error(err)
	}
}

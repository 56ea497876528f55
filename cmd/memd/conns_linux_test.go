package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/set-memory/mem/internal/test/pgtest"
	"github.com/set-memory/mem/internal/test/testkit"
)

// status returns the status of a request, and its Retry-After.
func (d *daemon) head(path string) (int, string) {
	d.t.Helper()
	res, err := d.http.Get("http://mem" + path)
	if err != nil {
		d.t.Fatal(err)
	}
	res.Body.Close()
	return res.StatusCode, res.Header.Get("Retry-After")
}

// Many spaces share few connections: each is served, and the server sees no more than
// --connections. Where others have them all, requests get 503 with Retry-After, and /healthz
// says so.
func TestFewConnectionsForManySpaces(t *testing.T) {
	const most, spaces = 8, 24
	server := pgtest.Own(t, "fsync=off", "max_connections=20")
	names := make([]string, spaces)
	for i := range names {
		names[i] = fmt.Sprintf("s%d", i)
	}
	d, url := onDatabase(t, server, names...)
	d.stop()
	dir := newDir(t)
	d.start("--socket", filepath.Join(dir, "s"), "--connections", fmt.Sprint(most))
	ctx := context.Background()
	watch, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Close(ctx)
	var all sync.WaitGroup
	for i, name := range names {
		for n := range 3 {
			all.Go(func() {
				got, err := d.ask("POST", "/api/v1/events", event(name, "s1", fmt.Sprint(i, n)))
				if err != nil || got.status != 201 {
					t.Errorf("%s: %d %s %v", name, got.status, got.body, err)
				}
				got, err = d.ask("GET", "/api/v1/memories?tenant_id="+name, nil)
				if err != nil || got.status != 200 {
					t.Errorf("%s: %d %s %v", name, got.status, got.body, err)
				}
			})
		}
	}
	all.Wait()
	var n int
	err = watch.QueryRow(ctx, "SELECT count(*) FROM pg_stat_activity WHERE application_name = "+
		"'memd' AND backend_type = 'client backend'").Scan(&n)
	if err != nil || n > most || n == 0 {
		t.Errorf("%d connections, %v", n, err)
	}
	if status, _ := d.head("/healthz"); status != 200 {
		t.Errorf("healthz: %d", status)
	}
	release := occupy(t, url)
	testkit.WaitFor(t, "others to have all connections", func() bool {
		var own, others int
		err := watch.QueryRow(ctx, `SELECT count(pg_terminate_backend(pid)) FILTER (WHERE
			application_name = 'memd'), count(*) FILTER (WHERE application_name <> 'memd')
			FROM pg_stat_activity WHERE backend_type = 'client backend'`).Scan(&own, &others)
		return err == nil && own == 0 && others == 20
	})
	time.Sleep(1100 * time.Millisecond) // connections that were idle answer before they are used
	refused := 0
	for _, name := range names {
		all.Go(func() {
			got, err := d.ask("POST", "/api/v1/events", event(name, "s1", "later"))
			if err != nil || got.status != 201 && got.status != 503 {
				t.Errorf("%s: %d %s %v", name, got.status, got.body, err)
			}
		})
	}
	all.Wait()
	for _, name := range names {
		status, after := d.head("/api/v1/memories?tenant_id=" + name)
		if status == 503 && after != "" {
			refused++
			break
		} else if status != 200 {
			t.Errorf("%s: %d, Retry-After %q", name, status, after)
		}
	}
	if status, _ := d.head("/healthz"); status != 503 || refused == 0 {
		t.Errorf("healthz: %d, %d refused", status, refused)
	}
	release()
	testkit.WaitFor(t, "connections", func() bool {
		status, _ := d.head("/healthz")
		return status == http.StatusOK
	})
}

// newDir returns a directory short enough for a socket.
func newDir(t *testing.T) string {
	t.Helper()
	dir := newRoot(t)
	if err := os.MkdirAll(filepath.Join(dir, "tenants"), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// occupy takes connections of a server until none is left, and again while others let some go.
func occupy(t *testing.T, url string) (release func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	taken := make(chan struct{})
	var once sync.Once
	all.Go(func() {
		var held []*pgx.Conn
		for ctx.Err() == nil {
			if conn, err := pgx.Connect(ctx, url); err == nil {
				held = append(held, conn)
			} else if strings.Contains(err.Error(), "53300") {
				once.Do(func() { close(taken) })
			}
		}
		for _, conn := range held {
			conn.Close(context.Background())
		}
	})
	<-taken
	return func() { cancel(); all.Wait() }
}

// A server starts while PostgreSQL is down, says so with 503, and serves when it is up.
func TestServeBeforePostgres(t *testing.T) {
	server := pgtest.Own(t, "fsync=off")
	d, url := onDatabase(t, server, "one")
	d.stop()
	if err := server.Down("fast"); err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(newDir(t), "s")
	d.cmd = exec.Command(filepath.Join(d.bin, "memd"), "serve", "--root", url, "--socket", socket)
	said := &strings.Builder{}
	d.cmd.Stderr = said
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	d.ended = false
	d.connect()
	testkit.WaitFor(t, "memd", func() bool {
		res, err := d.http.Get("http://mem/healthz")
		if err == nil {
			res.Body.Close()
		}
		return err == nil && res.StatusCode == 503
	})
	if got, err := d.ask("POST", "/api/v1/events", event("one", "s1", "early")); err != nil ||
		got.status != 503 {
		t.Errorf("%d %s %v", got.status, got.body, err)
	}
	if err := server.Up("fsync=off"); err != nil {
		t.Fatal(err)
	}
	testkit.WaitFor(t, "PostgreSQL", func() bool {
		got, err := d.ask("POST", "/api/v1/events", event("one", "s1", "later"))
		return err == nil && got.status == 201
	})
	d.stop()
	if !strings.Contains(said.String(), "requests get 503 until it can be reached") {
		t.Errorf("it said %s", said)
	}
}

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/set-memory/mem/scripts/harness"
)

// daemon is a memd that serves the spaces of the database.
type daemon struct{ *harness.Daemon }

// startDaemon starts a memd of a name on the database, which has a socket and copies of its own,
// and waits for its first answer.
func (l *lab) startDaemon(ctx context.Context, name string) *daemon {
	return l.startOn(ctx, l.memd, name, l.url())
}

// startOn is startDaemon of any memd on any root.
func (l *lab) startOn(ctx context.Context, program, name, root string) *daemon {
	dir := l.path(name)
	harness.Check(os.MkdirAll(dir, 0o700))
	process := exec.CommandContext(ctx, program, "serve", "--root", root,
		"--socket", filepath.Join(dir, "s"), "--log-level", "warn")
	process.Env = append(cleanEnv(), "XDG_RUNTIME_DIR="+dir, "XDG_CACHE_HOME="+dir)
	d := &daemon{harness.StartDaemon(ctx, process, filepath.Join(dir, "s"))}
	l.daemons = append(l.daemons, d)
	return d
}

// record stores one event in a space.
func (d *daemon) record(ctx context.Context, space string, i, n int) {
	(d.Post(ctx, "events", fmt.Sprintf(`{"tenant_id":%q,%s}`, space,
		eventMembers(i, n))))
}

// recordList stores a list of events in a space.
func (d *daemon) recordList(ctx context.Context, space string, from, n int) {
	var list []string
	for i := range listLen {
		list = append(list, fmt.Sprintf(`{"tenant_id":%q,%s}`, space,
			eventMembers((from+i)%n, n)))
	}
	d.Post(ctx, "events", "["+strings.Join(list, ",")+"]")
}

// build asks for a bundle of the memory.
func (d *daemon) build(ctx context.Context, agent, i int, query string) time.Duration {
	return (d.Post(ctx, "acb/build", fmt.Sprintf(`{"tenant_id":%q,"session_id":"s%d",`+
		`"agent_id":"a%d","query_text":%q}`, memory, i%sessions, agent, query)))
}

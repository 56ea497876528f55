package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Many processes write to one session, others search it and compact the store: nobody is in
// another's way, everything acknowledged is found at once, and the size is that of a recount.
func TestMultiProcessAccess(t *testing.T) {
	t.Parallel()
	s := newSessionStorm(t, `{"rotate":{"lines":20,"bytes":1000000}}`)
	stop := make(chan struct{})
	var others sync.WaitGroup
	others.Go(func() { s.compact(stop, 1) })
	others.Go(func() { s.search(stop) })
	s.writers(6, 8)
	close(stop)
	others.Wait()
	if sum := s.settled(); sum.Entries != 48 || len(s.acked) != 48 || s.searched == 0 {
		t.Errorf("%d entries, %d acknowledged, %d searches", sum.Entries, len(s.acked), s.searched)
	}
}

// Writers are killed while a session that is nearly full compacts itself, and others compact it and
// the store. Whatever was acknowledged is there, or a compaction says why it is not, and nothing is
// half there.
func TestPowerLossMidWrite(t *testing.T) {
	t.Parallel()
	s := newSessionStorm(t, `{"rotate":{"lines":20,"bytes":1000000},`+
		`"storage":{"max_session_size_mb":0.02,"compaction_threshold":0.8}}`)
	s.kills = true
	stop := make(chan struct{})
	var others sync.WaitGroup
	others.Go(func() { s.compact(stop, 3) })
	others.Go(func() { s.compactSession(stop) })
	s.writers(6, 16)
	close(stop)
	others.Wait()
	s.f.Put("/after", "1") // heals what a kill left
	s.f.sweep()
	s.settled()
	t.Logf("%d acknowledged, %d killed, %d dropped", len(s.acked), s.killed, s.dropped)
	if s.killed == 0 || s.dropped == 0 || len(s.acked) < 20 {
		t.Error("that is too little")
	}
}

// sessionStorm is processes on one session.
type sessionStorm struct {
	*storm
	f *fixture

	guard             sync.Mutex
	acked             map[string]bool // ids of records
	dropped, searched int
}

func newSessionStorm(t *testing.T, config string) *sessionStorm {
	bin := filepath.Join(buildMem(t), "mem")
	f := newStore(t)
	f.Must(os.MkdirAll(f.Root, 0o700))
	f.Must(os.WriteFile(filepath.Join(f.Root, mem.ConfigFile), []byte(config), 0o600))
	f.Open()
	f.Clock = time.Now().Add(time.Hour)
	s := &sessionStorm{f: f, acked: map[string]bool{},
		storm: &storm{t: t, bin: bin, root: f.Root, tally: newTally()}}
	if out, err := s.mem("session", "create", "--id", "s").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return s
}

// writers lets processes remember records, so many of each at once.
func (s *sessionStorm) writers(n, each int) {
	var all sync.WaitGroup
	for w := range n {
		all.Go(func() {
			for i := range each {
				s.remember(w, i)
			}
		})
	}
	all.Wait()
}

// remember stores a record, of which half are irrelevant; where there are kills, every fourth
// process is killed at a random moment.
func (s *sessionStorm) remember(w, i int) {
	args := []string{"remember", "s", textOfStorm(w, i), "--type", "finding"}
	if i%2 == 0 {
		args = append(args, "--at", "800d", "--importance", "0.1")
	}
	var out, stderr bytes.Buffer
	cmd := s.mem(args...)
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Start(); err != nil {
		s.t.Error(err)
		return
	}
	if s.kills && i%4 == 3 {
		killAfter(cmd, (i*w+w)%11)
	}
	err := cmd.Wait()
	s.guard.Lock()
	defer s.guard.Unlock()
	switch code := cmd.ProcessState.ExitCode(); {
	case err == nil:
		s.acked[strings.TrimSpace(out.String())] = true
	case !cmd.ProcessState.Exited():
		s.killed++
	case !s.kills || code != 3: // full is no fault
		s.t.Errorf("remember: %v: %s", err, stderr.String())
	}
}

func textOfStorm(w, i int) string {
	return fmt.Sprintf("record %d of %d %s", i, w, strings.Repeat("x", 300))
}

// compactSession drops what is irrelevant until it is stopped, and is killed every third time.
func (s *sessionStorm) compactSession(stop chan struct{}) {
	for i := 0; !over(stop); i++ {
		cmd := s.mem("session", "compact", "s", "--quiet")
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			s.t.Error(err)
			return
		}
		if i%3 == 2 {
			killAfter(cmd, i%9)
		}
		if err := cmd.Wait(); err != nil && cmd.ProcessState.Exited() {
			s.t.Errorf("session compact: %v: %s", err, out.String())
		}
	}
}

// search searches until it is stopped. What was acknowledged before is found.
func (s *sessionStorm) search(stop chan struct{}) {
	for !over(stop) {
		s.guard.Lock()
		var known []string
		for id := range s.acked {
			known = append(known, id)
		}
		s.guard.Unlock()
		out, err := s.mem("search", "--session", "s", "--limit", "1000").Output()
		if err != nil && len(known) > 0 { // else nothing may be there, which is exit code 1
			s.t.Errorf("search: %v", err)
			return
		}
		for _, id := range known {
			if !bytes.Contains(out, []byte(id)) {
				s.t.Errorf("%s was acknowledged before, and is not found", id)
			}
		}
		s.searched++
	}
}

// storedSession is what mem session show tells of a session.
type storedSession struct {
	Entries int   `json:"total_entries"`
	Bytes   int64 `json:"total_size_bytes"`
}

// settled holds what is stored against what was acknowledged, and the size against a recount.
func (s *sessionStorm) settled() (sum storedSession) {
	s.t.Helper()
	out, err := s.mem("session", "show", "s", "--json").Output()
	s.f.Must(err)
	s.f.Must(json.Unmarshal(out, &sum))
	newest := map[keypath.Key]log.Record{}
	s.f.Must(s.f.Everything(ctx, func(rec log.Record) error {
		if old, is := newest[rec.Key]; rec.Key.Class() == keypath.Remembered && (!is || rec.Wins(old)) {
			newest[rec.Key] = rec.Clone()
		}
		return nil
	}))
	var size int64
	entries := 0
	for _, rec := range newest {
		switch {
		case rec.Valid():
			size += int64(len(rec.Line)) + 1
			entries++
		case strings.Contains(string(rec.Source), `"name":"session-compaction","reason":"relevance 0.0`):
			s.dropped++
		default:
			s.t.Errorf("deleted by nobody: %s", rec.Line)
		}
	}
	if sum.Bytes != size || sum.Entries != entries {
		s.t.Errorf("%d entries of %d bytes; the log has %d of %d", sum.Entries, sum.Bytes, entries, size)
	}
	for id := range s.acked {
		if _, is := newest[keypath.MustParse("/session/s/"+id)]; !is {
			s.t.Errorf("%s was acknowledged and is lost", id)
		}
	}
	return sum
}

package life

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/depot"
	"github.com/set-memory/mem/internal/base/parcel"
	"github.com/set-memory/mem/log"
)

// place is a folder between the machines, or one for backups.
type place struct {
	path    string
	removed []removed
}

// removed is a segment that somebody took away.
type removed struct {
	path string
	text []byte
}

// keyFile is the key of the sync, below the home of a machine.
const keyFile = ".local/state/mem/sync/key"

// addDepot makes a depot, from the first machine.
func (l *life) addDepot(name string) {
	d := &place{path: filepath.Join(l.dir, name)}
	l.ok(l.machines[0], user, "sync", "init", "--yes", d.path)
	l.machines[0].joined[d] = true
	l.depots = append(l.depots, d)
	l.look(l.machines[0], &taken{name: "sync init", isAcknowledged: true})
}

// join lets a machine take part in all depots.
func (l *life) join(m *machine) {
	l.wake(l.machines[0])
	key, err := os.ReadFile(filepath.Join(l.home(), keyFile))
	l.must(err)
	l.wake(m)
	l.must(os.MkdirAll(filepath.Join(l.home(), filepath.Dir(keyFile)), 0o700))
	l.must(os.WriteFile(filepath.Join(l.home(), keyFile), key, 0o600))
	for _, d := range l.depots {
		if m.joined[d] {
			continue
		}
		m.joined[d] = true
		l.ok(m, user, "sync", "join", "--yes", d.path)
		for _, p := range projects {
			l.ok(m, user, "sync", "accept", "--yes", l.identities[p][:8])
		}
	}
	l.look(m, &taken{name: "sync join", isAcknowledged: true})
}

// segments returns the plain text of each segment at a depot that can be opened.
func (l *life) segments(d *place) map[string]string {
	l.wake(l.machines[0])
	keys, err := parcel.Load(filepath.Join(l.home(), keyFile))
	l.must(err)
	f, err := depot.OpenFolder(d.path)
	l.must(err)
	defer f.Close()
	names, err := f.List()
	l.must(err)
	texts := map[string]string{}
	for _, name := range names {
		sealed, err := f.Get(name)
		if err != nil {
			continue
		}
		for _, key := range keys {
			if plain, err := key.Open(f.Info().ID, sealed); err == nil {
				r, err := gzip.NewReader(bytes.NewReader(plain))
				l.must(err)
				text, err := io.ReadAll(r)
				l.must(err)
				texts[name] = string(text)
			}
		}
	}
	return texts
}

// segmentFiles returns the files at the depots.
func (l *life) segmentFiles() (files []string) {
	for _, d := range l.depots {
		files = append(files, below(d.path)...)
	}
	return files
}

// noteUnkept notes the segments that an exchange has sent which was killed, or met a full disk, as
// far as they were not there before: the sender may not have kept that it knows them.
func (l *life) noteUnkept(before []string) {
	for _, file := range l.segmentFiles() {
		if !slices.Contains(before, file) {
			l.unkept[file] = true
		}
	}
}

// addLines adds the lines that the segments at a depot have.
func (l *life) addLines(d *place, held map[at]bool) {
	scopeOf := map[string]string{user: user}
	for _, p := range projects {
		scopeOf[l.identities[p]] = p
	}
	for _, text := range l.segments(d) {
		head, rest, _ := strings.Cut(text, "\n")
		var of struct{ Scope string }
		l.must(json.Unmarshal([]byte(head), &of))
		for line := range strings.Lines(rest) {
			if e, err := log.Decode([]byte(strings.TrimSuffix(line, "\n"))); err == nil {
				held[at{scopeOf[of.Scope], e.Identity()}] = true
			}
		}
	}
}

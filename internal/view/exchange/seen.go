package exchange

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/view/exchange/places"
	"github.com/set-memory/mem/log"
)

// seen is the file of a machine for one depot and scope.
type seen struct {
	places.Past
	segments map[string]int // lines of each, by name
	lines    map[log.Identity]bool
	late     map[log.Identity]waiting // lines from the future, which wait
	former   map[string]int           // segments from before all are read again, until they are
}

type waiting struct {
	ts      log.Stamp
	machine string // that has written it
	isPurge bool
}

const (
	elsewhere = -1 // stands for the lines of a segment of another scope, or of a file
	unsettled = -2 // for those of one in which lines wait
)

// maxSeen is the greatest size of the file: ten million lines.
const maxSeen = 1 << 30

// readSeen reads the file. One that is not there, or not sound, is as one of a first exchange.
func readSeen(path, scope string) *seen {
	empty := &seen{places.Past{V: 1, Scope: scope, Machines: map[string]places.Machine{},
		Scopes: map[string]string{}, Files: map[string]string{},
		Unread: map[string]places.Unread{}},
		map[string]int{}, map[log.Identity]bool{}, map[log.Identity]waiting{}, map[string]int{}}
	text, err := os.ReadFile(path)
	if err != nil || len(text) > maxSeen {
		return empty
	}
	first, rest, _ := bytes.Cut(text, []byte{'\n'})
	s := &seen{segments: map[string]int{}, lines: make(map[log.Identity]bool, len(rest)/65),
		late: map[log.Identity]waiting{}, former: map[string]int{}}
	if json.Unmarshal(first, &s.Past) != nil || s.V != 1 || s.Scope != scope ||
		!bytes.HasSuffix(text, []byte("end\n")) {
		return empty
	}
	for line := range bytes.Lines(bytes.TrimSuffix(rest, []byte("end\n"))) {
		if !s.read(line) {
			return empty
		}
	}
	if s.Machines == nil {
		s.Machines = map[string]places.Machine{}
	}
	if s.Scopes == nil {
		s.Scopes = map[string]string{}
	}
	if s.Files == nil {
		s.Files = map[string]string{}
	}
	if s.Unread == nil {
		s.Unread = map[string]places.Unread{}
	}
	return s
}

// read takes in a line of the file, unless it is of no known form.
func (s *seen) read(line []byte) bool {
	if id, ok := log.ParseIdentity(line); ok {
		s.lines[id] = true
		return true
	}
	kind, rest, _ := strings.Cut(strings.TrimSpace(string(line)), " ")
	name, rest, _ := strings.Cut(rest, " ")
	id, isID := log.ParseIdentity([]byte(name))
	number, machine, _ := strings.Cut(rest, " ")
	n, err := strconv.ParseInt(cmp.Or(number, "0"), 10, 64)
	switch {
	case err == nil && kind == "s":
		s.segments[name] = int(n)
	case err == nil && kind == "f":
		s.former[name] = int(n)
	case err == nil && (kind == "w" || kind == "p") && isID:
		s.late[id] = waiting{log.Stamp(n), machine, kind == "p"}
	default:
		return false
	}
	return true
}

// forget drops the lines and segments of the depot. The machines stay, and what waits.
func (s *seen) forget() {
	maps.Copy(s.former, s.segments)
	s.segments = map[string]int{}
	clear(s.Files)
	s.lines = map[log.Identity]bool{}
}

// knew reports whether a segment was read before, also one in which lines wait.
func (s *seen) knew(name string) bool {
	_, isKnown := s.segments[name]
	_, wasKnown := s.former[name]
	return isKnown || wasKnown
}

// hadRead reports whether a segment was read before all are read again, and no line waited in it.
func (s *seen) hadRead(name string) bool {
	lines, known := s.former[name]
	return known && lines != unsettled
}

// clearUnsettled notes that no line waits any more.
func (s *seen) clearUnsettled() {
	for name, lines := range s.segments {
		if lines == unsettled && len(s.late) == 0 {
			s.segments[name] = 0
		}
	}
}

// write replaces the file. A crash within leaves the old one.
func (s *seen) write(path string) error {
	dir, err := disk.Create(filepath.Dir(path))
	if err != nil {
		return err
	}
	defer dir.Close()
	text, err := json.Marshal(s.Past)
	if err != nil {
		return err
	}
	text = append(text, '\n')
	for name, n := range s.segments {
		text = fmt.Appendf(text, "s %s %d\n", name, n)
	}
	for name, n := range s.former {
		text = fmt.Appendf(text, "f %s %d\n", name, n)
	}
	for id := range s.lines {
		text = append(hex.AppendEncode(text, id[:]), '\n')
	}
	for id, w := range s.late {
		kind := 'w'
		if w.isPurge {
			kind = 'p'
		}
		text = fmt.Appendf(text, "%c %x %d %s\n", kind, id, w.ts, w.machine)
	}
	return dir.WriteFile(filepath.Base(path), append(text, "end\n"...))
}

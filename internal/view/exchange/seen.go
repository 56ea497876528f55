package exchange

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/view/exchange/places"
	"github.com/set-memory/mem/log"
)

// seen is the file of a machine for one depot and scope.
type seen struct {
	places.Past
	segments map[string]int // lines of each, by name
	lines    map[log.Identity]bool
}

const (
	elsewhere = -1 // stands for the lines of a segment of another scope, or of a file
	unsettled = -2 // for those of one that the next exchange reads again
)

// maxSeen is the greatest size of the file: ten million lines.
const maxSeen = 1 << 30

// readSeen reads the file. One that is not there, or not sound, is as one of a first exchange.
func readSeen(path, scope string) *seen {
	empty := &seen{places.Past{V: 1, Scope: scope, Machines: map[string]places.Machine{},
		Scopes: map[string]string{}, Files: map[string]string{}},
		map[string]int{}, map[log.Identity]bool{}}
	text, err := os.ReadFile(path)
	if err != nil || len(text) > maxSeen {
		return empty
	}
	first, rest, _ := bytes.Cut(text, []byte{'\n'})
	s := &seen{segments: map[string]int{}, lines: make(map[log.Identity]bool, len(rest)/65)}
	if json.Unmarshal(first, &s.Past) != nil || s.V != 1 || s.Scope != scope ||
		!bytes.HasSuffix(text, []byte("end\n")) {
		return empty
	}
	for line := range bytes.Lines(bytes.TrimSuffix(rest, []byte("end\n"))) {
		var name string
		var n int
		if id, ok := log.ParseIdentity(line); ok {
			s.lines[id] = true
		} else if _, err := fmt.Sscanf(string(line), "s %s %d", &name, &n); err == nil {
			s.segments[name] = n
		} else {
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
	return s
}

// forget drops the lines and segments of the depot, and keeps the machines.
func (s *seen) forget() { clear(s.segments); clear(s.lines); clear(s.Files) }

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
	for id := range s.lines {
		text = append(hex.AppendEncode(text, id[:]), '\n')
	}
	return dir.WriteFile(filepath.Base(path), append(text, "end\n"...))
}

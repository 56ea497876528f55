package exchange

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/log"
)

// Machine is a machine that takes part.
type Machine struct {
	ID   string    `json:"id"`
	Name string    `json:"name,omitempty"`
	At   log.Stamp `json:"at,omitempty"` // of the newest segment of it that was read here
}

// Past is what this machine remembers of its exchanges with one depot.
type Past struct {
	V        int                `json:"v"`
	Scope    string             `json:"scope"`
	At       log.Stamp          `json:"at"` // of the last exchange that ended well
	Sent     int                `json:"sent"`
	Received int                `json:"received"`
	Own      log.Stamp          `json:"own"`               // of the last segment that this machine sent
	Unclean  bool               `json:"unclean,omitempty"` // a mark came, and segments may have more
	Machines map[string]Machine `json:"machines"`
	Scopes   map[string]string  `json:"scopes,omitempty"` // others at the depot, with their names
	Files    map[string]string  `json:"files,omitempty"`  // segments of a backup, by [fileID]
}

// seen is the file of a machine for one depot and scope.
type seen struct {
	Past
	segments map[string]int // lines of each, by name
	lines    map[log.Identity]bool
}

const (
	elsewhere = -1 // stands for the lines of a segment of another scope, or of a file
	unsettled = -2 // for those of one that the next exchange reads again
)

// maxPast is the greatest size of its head.
const maxPast = 16 << 20

// maxSeen is the greatest size of the file: ten million lines.
const maxSeen = 1 << 30

// readSeen reads the file. One that is not there, or not sound, is as one of a first exchange.
func readSeen(path, scope string) *seen {
	empty := &seen{Past{V: 1, Scope: scope, Machines: map[string]Machine{},
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
		s.Machines = map[string]Machine{}
	}
	if s.Scopes == nil {
		s.Scopes = map[string]string{}
	}
	if s.Files == nil {
		s.Files = map[string]string{}
	}
	return s
}

// readPast reads the head of the file; the zero Past where there is none that is sound.
func readPast(path string) (past Past) {
	f, err := os.Open(path)
	if err != nil {
		return past
	}
	defer f.Close()
	if json.NewDecoder(io.LimitReader(f, maxPast)).Decode(&past) != nil || past.V != 1 {
		return Past{}
	}
	return past
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

// String returns the name of a machine and the first digits of its id.
func (m Machine) String() string {
	id := m.ID[:min(len(m.ID), 8)]
	if m.Name == "" {
		return id
	}
	return m.Name + " (" + id + ")"
}

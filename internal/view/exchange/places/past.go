package places

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/log"
)

// Machine is a machine that takes part.
type Machine struct {
	ID   string    `json:"id"`
	Name string    `json:"name,omitempty"`
	At   log.Stamp `json:"at,omitempty"` // of the newest segment of it that was read here
	// Heard is when that was read, by the clock of this machine.
	Heard log.Stamp `json:"heard,omitempty"`
}

// String returns the name of a machine and the first digits of its id.
func (m Machine) String() string {
	id := m.ID[:min(len(m.ID), 8)]
	if m.Name == "" {
		return id
	}
	return m.Name + " (" + id + ")"
}

// Late is how many lines from the future of a machine wait, how many of them are purges, and the
// time of the newest.
type Late struct {
	Machine Machine   `json:"machine"`
	Lines   int       `json:"lines"`
	Purges  int       `json:"purges,omitempty"`
	TS      log.Stamp `json:"ts"`
}

// Unread is since when a segment cannot be read, and why.
type Unread struct {
	Since log.Stamp `json:"since"`
	Why   string    `json:"why"`
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
	Waiting  []Late             `json:"waiting,omitempty"`
	Ahead    int                `json:"ahead,omitempty"` // own lines from the future
	// Overtaken are own lines in whose place another machine has taken others.
	Overtaken int `json:"overtaken,omitempty"`

	Behind log.Stamp         `json:"behind,omitempty"` // two others say that it is so late
	Unread map[string]Unread `json:"unread,omitempty"` // segments that cannot be read
	Told   []string          `json:"told,omitempty"`   // of these, those that the others know
	// Identities are those of the project that this machine sent last.
	Identities []string `json:"identities,omitempty"`
}

// maxPast is the greatest size of its head.
const maxPast = 16 << 20

// ReadPast reads the head of the file of a depot and a scope; the zero Past where no file is sound.
func ReadPast(path string) (past Past) {
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

// Backups begins the scopes of backups.
const Backups = "backup/"

// IsBackup reports whether a scope is that of a backup.
func IsBackup(scope string) bool { return strings.HasPrefix(scope, Backups) }

// Row is a destination, and what this machine remembers of it: the sums over all that it exchanges
// there.
type Row struct {
	Stored
	Past
}

// Rows returns all destinations.
func (p *Places) Rows() (rows []Row, err error) {
	for _, one := range p.List {
		row := Row{one, Past{Machines: map[string]Machine{}}}
		files, err := os.ReadDir(filepath.Join(p.dir, one.ID))
		if disk.IgnoreNotExist(err) != nil {
			return nil, err
		}
		for _, file := range files {
			row.add(ReadPast(filepath.Join(p.dir, one.ID, file.Name())))
		}
		rows = append(rows, row)
	}
	return rows, nil
}

// add adds the exchanges of one memory. A backup is none.
func (r *Row) add(past Past) {
	if IsBackup(past.Scope) {
		return
	}
	r.At = max(r.At, past.At)
	r.Sent, r.Received = r.Sent+past.Sent, r.Received+past.Received
	r.Waiting, r.Ahead = append(r.Waiting, past.Waiting...), r.Ahead+past.Ahead
	r.Overtaken += past.Overtaken
	r.Behind = max(r.Behind, past.Behind)
	for name, one := range past.Unread { // every exchange reads all segments
		if r.Unread == nil {
			r.Unread = map[string]Unread{}
		}
		r.Unread[name] = one
	}
	for id, m := range past.Machines {
		if m.At > r.Machines[id].At {
			r.Machines[id] = m
		}
	}
}

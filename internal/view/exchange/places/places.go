// Package places owns the destinations of a machine, STATE/mem/sync/places.json, and reads the
// heads of the files in which it remembers its exchanges with them. Verbs that only name a
// destination import it, and link neither a depot nor an archive: see package exchange.
// Package jsonfile says what a crash leaves of the list.
package places

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/base/jsonfile"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/log"
)

// Dest is a destination: a folder, or the depot of a memd that ssh starts.
type Dest struct {
	Text string // as people read it
	Path string // of a folder; "" for ssh
	Host string // with its user, as ssh takes it
	Port string // "": that of ssh
	Name string // of the depot there
}

// safe is what a host, a user and a name may hold: they become words of a command line.
var safe = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]*$`)
})

// ParseDest parses ssh://[USER@]HOST[:PORT][/NAME], or the path of a folder. The error wraps
// mem.ErrInput.
func ParseDest(text string) (d Dest, err error) {
	if !strings.Contains(text, "://") {
		if text == "" {
			return d, fault.Input("the destination", "it is empty", nil)
		}
		if host, rest, far := strings.Cut(text, ":"); far && len(host) > 1 &&
			!strings.ContainsAny(host, `/\`) { // of one letter it is a drive of Windows
			return d, fault.Input(text, "it looks like a path on another machine",
				advice.Say("want ssh://"+host+"/NAME; the folder ./"+text+" is "+
					advice.Quote("./"+host+":"+rest)))
		}
		path, err := filepath.Abs(text)
		return Dest{Text: path, Path: path}, err
	}
	bad := func(why string) (Dest, error) {
		return d, fault.Input(text, why,
			advice.Say("want ssh://[USER@]HOST[:PORT][/NAME], or the path of a folder"))
	}
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "ssh" || u.RawQuery != "" || u.Fragment != "" {
		return bad("no URL of ssh")
	}
	d = Dest{Text: text, Host: u.Hostname(), Port: u.Port(),
		Name: cmp.Or(strings.Trim(u.Path, "/"), "default")}
	if _, has := u.User.Password(); has {
		return bad("a password does not belong there")
	}
	words := []string{d.Host, d.Name}
	if user := u.User.Username(); user != "" {
		words = append(words, user)
		d.Host = user + "@" + d.Host
	}
	for _, word := range words {
		if !safe().MatchString(word) {
			return bad(fmt.Sprintf("%q is no name of a user, a host or a depot", word))
		}
	}
	return d, nil
}

// Stored is a destination that a person has added.
type Stored struct {
	Dest  string    `json:"dest"`
	ID    string    `json:"id"` // of the depot that was there
	Since log.Stamp `json:"since"`
	// Project is the identity of the one project that is exchanged; "": the user's own memory, and
	// all projects.
	Project string `json:"project,omitempty"`
	Fault   string `json:"fault,omitempty"` // of the last exchange; "": it ended well
}

// Extent says what is exchanged with a destination, and how.
func (s Stored) Extent() string {
	text := "all"
	if s.Project != "" {
		text = "one project"
	}
	return text
}

// Places are the destinations of a machine, in STATE/mem/sync/places.json.
type Places struct {
	V    int      `json:"v"`
	List []Stored `json:"places"`
	// Admitted are the identities of projects whose stores here are exchanged, by the ids of the
	// depots: this machine sent them first, or a person has said so.
	Admitted map[string][]string `json:"admitted,omitempty"`

	dir string
}

const maxPlaces = 1 << 20

// file is the list, in the directory of the exchanges.
var file = jsonfile.File{Name: "places.json", Lock: "places.lock", Op: "sync",
	Since: log.MinStamp.Time(), Wait: 5 * time.Second}

// errNewer is returned for a list of a later version.
var errNewer = errors.New("a newer mem wrote it")

// Read reads the destinations, of the directory of the book of trust.
func Read(state string) (*Places, error) {
	p := &Places{V: 1, dir: filepath.Join(state, site.SyncDir)}
	dir, err := disk.Open(p.dir)
	if err != nil {
		return p, disk.IgnoreNotExist(err)
	}
	defer dir.Close()
	return p, p.read(dir)
}

func (p *Places) read(dir *disk.Dir) error {
	list, err := jsonfile.Read[Places](dir, file.Name, maxPlaces)
	if err == nil && list.V > 1 {
		err = errNewer
	}
	if err != nil {
		return fault.Input(dir.Join(file.Name), err.Error(),
			advice.Say("remove that file, and join each destination again"))
	}
	list.V, list.dir = 1, p.dir
	*p = list
	return nil
}

// change changes the list as it is on disk, while no other process does: a person may link a
// project beside a sync.
func (p *Places) change(fn func()) error {
	dir, err := disk.Create(p.dir)
	if err != nil {
		return err
	}
	defer dir.Close()
	return file.Update(context.Background(), dir, func() (any, error) {
		err := p.read(dir)
		if err == nil {
			fn()
		}
		return p, err
	})
}

// Keeps refuses to exchange more or less with a destination than before.
func (p *Places) Keeps(one Stored) error {
	for _, old := range p.List {
		if old.Dest == one.Dest && old.Project != one.Project {
			return fault.Input(one.Dest,
				"it is a destination already, of something else ("+old.Extent()+")",
				advice.Run("sync", "remove", one.Dest).Then(" ends that first"))
		}
	}
	return nil
}

// Set adds a destination, or replaces the one of the same name.
func (p *Places) Set(one Stored) error {
	return p.change(func() {
		p.drop(one.Dest)
		p.List = append(p.List, one)
	})
}

// Admits reports whether the store of a project here is exchanged with a depot. repository is where
// the project is, "" for a store to which only a link of a person leads. An archive may claim any
// origin: so where the depot has had this identity before this machine, a person decides.
func (p *Places) Admits(depot, identity, repository string, isThere bool) (bool, error) {
	if repository == "" || slices.Contains(p.Admitted[depot], identity) {
		return true, nil
	}
	if isThere {
		return false, nil
	}
	return true, p.Admit(depot, identity)
}

// Admit lets the store of a project here be exchanged with a depot.
func (p *Places) Admit(depot, identity string) error {
	if slices.Contains(p.Admitted[depot], identity) {
		return nil
	}
	return p.change(func() {
		if p.Admitted == nil {
			p.Admitted = map[string][]string{}
		}
		p.Admitted[depot] = append(p.Admitted[depot], identity)
	})
}

// AdmitAll lets the store of a project here be exchanged with every depot: a person has said so.
func (p *Places) AdmitAll(identity string) error {
	for _, one := range p.List {
		if err := p.Admit(one.ID, identity); err != nil {
			return err
		}
	}
	return nil
}

// Note keeps how the last exchange with a destination ended.
func (p *Places) Note(dest, fault string) error {
	at := func() int {
		return slices.IndexFunc(p.List, func(s Stored) bool { return s.Dest == dest })
	}
	if i := at(); i < 0 || p.List[i].Fault == fault {
		return nil
	}
	return p.change(func() {
		if i := at(); i >= 0 {
			p.List[i].Fault = fault
		}
	})
}

// Drop takes a destination away, and reports whether there was one.
func (p *Places) Drop(dest string) (found bool, err error) {
	if !slices.ContainsFunc(p.List, func(s Stored) bool { return s.Dest == dest }) {
		return false, nil // a file of places makes this a machine that exchanges
	}
	err = p.change(func() { found = p.drop(dest) })
	return found, err
}

func (p *Places) drop(dest string) bool {
	n := len(p.List)
	p.List = slices.DeleteFunc(p.List, func(s Stored) bool { return s.Dest == dest })
	return len(p.List) < n
}

// File returns the path of a file of syncs: the key, or the lock.
func (p *Places) File(name string) string { return filepath.Join(p.dir, name) }

// Seen returns the path of the file in which this machine remembers a depot, for one copy of a
// scope.
func (p *Places) Seen(depot, scope, root string) string {
	sum := sha256.Sum256([]byte(scope + "\x00" + root))
	return filepath.Join(p.dir, depot, hex.EncodeToString(sum[:8]))
}

// Future returns the path of the file in which this machine remembers lines from the future, for
// one copy of a scope.
func (p *Places) Future(scope, root string) string { return p.Seen("late", scope, root) }

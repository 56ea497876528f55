package inbox

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/log"
)

// The most proposals and rules of one store that wait; then no other is taken.
const maxOpen, maxRules = 50, 200

// maxProposal is the length in bytes of the longest file of a proposal.
const maxProposal = 16 << 10

// Proposal is a fact that a person may store.
type Proposal struct {
	ID       string    `json:"id"`
	Class    string    `json:"class,omitempty"` // such as command-after-failure
	Text     string    `json:"text,omitempty"`
	Key      string    `json:"key,omitempty"`  // of its record; "": it becomes a note
	User     bool      `json:"user,omitempty"` // it is about the user, and no project
	Store    string    `json:"store,omitempty"`
	Project  string    `json:"project,omitempty"`
	Client   string    `json:"client,omitempty"`
	Sessions []string  `json:"sessions,omitempty"` // the conversations that made it
	Evidence []string  `json:"evidence,omitempty"` // commands, or the line of a text
	At       log.Stamp `json:"at,omitzero"`        // of the newest conversation
	Gone     log.Stamp `json:"gone,omitzero"`      // when it was decided, or expired

	// Fact is the key of the memory that a pin makes a rule, of the class Rule; such a proposal
	// waits as long as that lives. Named says that the person has heard of it at a start, and Ended
	// that an agent has ended its wait.
	Fact  string `json:"fact,omitempty"`
	Named bool   `json:"named,omitempty"`
	Ended bool   `json:"ended,omitempty"`

	// Insists makes it again though it was decided: the person asks to remember it.
	Insists bool `json:"-"`
	// Seen is the version of the fact that was read with it.
	Seen log.Stamp `json:"-"`
}

// kind returns the part of a proposal's identity besides its text.
func (p *Proposal) kind() string {
	if p.Class == Rule {
		return Rule
	}
	return ""
}

// ErrNoProposal is returned where an id names no proposal that waits.
var ErrNoProposal = errors.New("no such proposal")

const letters = "abcdefghijklmnopqrstuvwxyz234567"

// idOf returns the id of a fact: the first 50 bits of its sum, five a letter.
func idOf(p Proposal) string {
	text := p.Store + "\x00" + content.FoldText(p.Text)
	if kind := p.kind(); kind != "" {
		text += "\x00" + kind
	}
	sum := sha256.Sum256([]byte(text))
	id, bits := []byte("c-"), binary.BigEndian.Uint64(sum[:])
	for range 10 {
		id, bits = append(id, letters[bits>>59]), bits<<5
	}
	return string(id)
}

// Is reports whether an id is that of the proposal.
func (p Proposal) Is(id string) bool { return idOf(p) == id }

// Propose adds proposals, and to those that wait already the conversation that makes them again.
// It returns those that are new, with their ids. One that was decided or has expired is not made
// again, unless the person insists.
func (b *Inbox) Propose(list ...Proposal) (made []Proposal, err error) {
	if len(list) == 0 {
		return nil, nil
	}
	dir, err := b.open("proposals", true)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	if err := b.expire(); err != nil {
		return nil, err
	}
	waiting, err := b.List()
	if err != nil {
		return nil, err
	}
	m, err := b.marks(false)
	if disk.IgnoreNotExist(err) != nil {
		return nil, err
	}
	open := map[[2]string]int{}
	for _, p := range waiting {
		open[[2]string{p.Store, p.kind()}]++
	}
	for _, p := range list {
		p.ID, p.At = idOf(p), cmp.Or(p.At, log.StampOf(b.now()))
		was, known := readProposal(dir, p.ID)
		gone := known && was.Gone != 0 || !known && m.has(dir, p)
		if gone && p.Insists {
			gone, known = false, false
		}
		crowd := [2]string{p.Store, p.kind()}
		switch {
		case gone:
		case known && was.Fact != p.Fact: // that was forgotten, and stored anew
			was.Fact, was.At, was.Named, was.Ended = p.Fact, p.At, false, false
			err = was.write(dir)
		case known && containsAll(was.Sessions, p.Sessions):
		case known: // in its words that the person may have seen
			was.Sessions = union(was.Sessions, p.Sessions)
			was.Evidence, was.At = union(was.Evidence, p.Evidence), p.At
			err = was.write(dir)
		case open[crowd] < maxOf(p):
			if err = p.write(dir); err == nil {
				made = append(made, p)
				open[crowd]++
			}
		}
		if err != nil {
			return made, err
		}
	}
	return made, nil
}

func maxOf(p Proposal) int {
	if p.Class == Rule {
		return maxRules
	}
	return maxOpen
}

// Knows reports whether a fact was proposed before.
func (b *Inbox) Knows(p Proposal) bool {
	dir, err := b.open("proposals", false)
	if err != nil {
		return false
	}
	defer dir.Close()
	m, _ := b.marks(false)
	_, known := readProposal(dir, idOf(p))
	return known || m.has(dir, p)
}

// maxSessions and maxEvidence limit what a proposal remembers.
const maxSessions, maxEvidence = 8, 6

func union(old, more []string) []string {
	all := slices.Clone(old)
	for _, s := range more {
		if !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

func containsAll(list, some []string) bool {
	return !slices.ContainsFunc(some, func(s string) bool { return !slices.Contains(list, s) })
}

// isGone reports whether a proposal no longer waits.
func (b *Inbox) isGone(p Proposal) bool {
	return p.Gone != 0 || p.Class != Rule && b.now().Sub(p.At.Time()) > kept
}

func readProposal(dir *disk.Dir, id string) (p Proposal, ok bool) {
	line, err := dir.ReadFile(id+".json", maxProposal)
	if err != nil || json.Unmarshal(line, &p) != nil || p.ID != id {
		return p, false
	}
	isKey := p.Key == "" || strings.HasPrefix(p.Key, CommandKeys)
	return p, p.Gone != 0 || idOf(p) == id && isKey
}

// Requested is the class of a fact that a person asked to remember, and Rule that of a rule that
// was typed and is stored as a fact.
const Requested, Rule = "request", "rule"

// CommandKeys begins the keys that a proposal may have.
const CommandKeys = "/project/commands/"

func (p Proposal) write(dir *disk.Dir) error {
	p.Sessions = p.Sessions[:min(len(p.Sessions), maxSessions)]
	p.Evidence = p.Evidence[:min(len(p.Evidence), maxEvidence)]
	line, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return dir.WriteFile(p.ID+".json", append(line, '\n'))
}

// List returns the proposals that wait: those of more conversations first, then the newest. One
// that has expired is left out, and stays for a clock that was wrong.
func (b *Inbox) List() (list []Proposal, err error) {
	err = b.each("proposals", func(dir *disk.Dir, name string) error {
		p, ok := readProposal(dir, strings.TrimSuffix(name, ".json"))
		if ok && !b.isGone(p) {
			list = append(list, p)
		}
		return nil
	})
	slices.SortFunc(list, func(a, b Proposal) int {
		return cmp.Or(cmp.Compare(len(b.Sessions), len(a.Sessions)), cmp.Compare(b.At, a.At),
			cmp.Compare(a.Text, b.Text))
	})
	return list, err
}

// Check returns an error that wraps ErrNoProposal where a proposal does not wait, or no longer says
// what it said.
func (b *Inbox) Check(p Proposal) error {
	dir, err := b.open("proposals", false)
	if disk.IgnoreNotExist(err) != nil {
		return err
	}
	var now Proposal
	if err == nil {
		defer dir.Close()
		now, _ = readProposal(dir, p.ID)
	}
	if now.ID == "" || b.isGone(now) || now.Key != p.Key || now.User != p.User ||
		now.Fact != p.Fact {
		return fmt.Errorf("%s: %w", p.ID, ErrNoProposal)
	}
	return nil
}

// expire buries the proposals that have expired, and removes old marks.
func (b *Inbox) expire() error {
	return b.each("proposals", func(dir *disk.Dir, name string) error {
		p, ok := readProposal(dir, strings.TrimSuffix(name, ".json"))
		switch {
		case ok && p.Gone != 0 && b.now().Sub(p.Gone.Time()) > remembered:
			// After a crash the mark is there or gone.
			return dir.Remove(name)
		case ok && p.Gone == 0 && b.isGone(p):
			return b.bury(dir, p)
		}
		return nil
	})
}

// Decide marks a proposal as decided, so that it is not made again.
func (b *Inbox) Decide(id string) error {
	dir, err := b.open("proposals", false)
	if err != nil {
		return err
	}
	defer dir.Close()
	if p, ok := readProposal(dir, id); ok && p.Gone == 0 {
		err = b.bury(dir, p)
	}
	return errors.Join(err, b.expire())
}

// Follow lets the facts that wait for a store wait for another one, which has taken its place. They
// get other ids. After a crash some wait for both.
func (b *Inbox) Follow(from, to string) error {
	all, err := b.List()
	var follow []Proposal
	for _, p := range all {
		if p.Store == from && p.Class != Rule {
			p.Store = to
			follow = append(follow, p)
		}
	}
	if _, bad := b.Propose(follow...); err != nil || bad != nil {
		return errors.Join(err, bad)
	}
	return b.each("proposals", func(dir *disk.Dir, name string) error {
		p, ok := readProposal(dir, strings.TrimSuffix(name, ".json"))
		if !ok || p.Store != from || p.Class == Rule || p.Gone != 0 {
			return nil
		}
		p.Store = to
		if _, isThere := readProposal(dir, idOf(p)); !isThere {
			return nil // there was no room, or it was decided there
		}
		// After a crash the file is there or gone.
		return dir.Remove(name)
	})
}

// MarkNamed notes that a person has heard of proposals.
func (b *Inbox) MarkNamed(list ...Proposal) error {
	return b.change(list, func(p *Proposal) *bool { return &p.Named })
}

// MarkEnded notes that a person has heard that these do not wait any more.
func (b *Inbox) MarkEnded(list ...Proposal) error {
	return b.change(list, func(p *Proposal) *bool { return &p.Ended })
}

// change sets a mark of proposals that wait.
func (b *Inbox) change(list []Proposal, mark func(*Proposal) *bool) error {
	dir, err := b.open("proposals", false)
	if err != nil {
		return disk.IgnoreNotExist(err)
	}
	defer dir.Close()
	for _, p := range list {
		if was, ok := readProposal(dir, p.ID); ok && was.Gone == 0 && !*mark(&was) {
			*mark(&was) = true
			err = errors.Join(err, was.write(dir))
		}
	}
	return err
}

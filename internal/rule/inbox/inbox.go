package inbox

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/log"
)

const (
	maxJournal = 128 << 10           // bytes of one journal
	maxHead    = 4 << 10             // bytes of its first line
	maxCount   = 64                  // journals when a session begins
	maxAll     = 1<<20 - maxJournal  // of all when a session begins
	kept       = 14 * 24 * time.Hour // for a journal, and for a proposal without a decision
	remembered = 180 * 24 * time.Hour
)

// Inbox is the inbox of a person. It holds no file open, and any number of processes may use the
// same files.
type Inbox struct {
	dir string // "" where there is none
	now func() time.Time
}

// In returns the inbox below a person's state directory, "" for none, with its clock; it touches no
// file. [Inbox.Scrub] and [Inbox.Each] need no clock.
func In(state string, now func() time.Time) *Inbox {
	b := &Inbox{now: now}
	if state != "" {
		b.dir = filepath.Join(state, "inbox")
	}
	return b
}

// Session is what a conversation's hooks know of it when it begins.
type Session struct {
	Quiet      bool   `json:"quiet,omitempty"` // only prompts leave a step
	Client     string `json:"client"`
	Session    string `json:"session"`
	Store      string `json:"store"`                // root or address of the store that facts go to
	Project    string `json:"project,omitempty"`    // its name
	Folder     string `json:"folder,omitempty"`     // its work tree; steps elsewhere do not count
	Transcript string `json:"transcript,omitempty"` // the client's own record of the conversation
}

// Step is one call of a tool.
type Step struct {
	At      log.Stamp `json:"at"`
	Tool    string    `json:"tool"`
	Command string    `json:"command,omitempty"`
	Files   []string  `json:"files,omitempty"`
	Dir     string    `json:"dir,omitempty"`
	Failed  bool      `json:"failed,omitempty"`
	Exit    int       `json:"exit,omitempty"` // 0: it worked, or the client does not say
	Derived bool      `json:"derived,omitempty"`
}

func cut(s string, most int) string { return strings.ToValidUTF8(s[:min(len(s), most)], "") }

// Prompt is the tool of a step that is a prompt of the conversation, without its text.
const Prompt = "prompt"

// Bounds of a step, in bytes and in files; more is cut.
const maxName, maxCommand, maxFiles = 400, 1000, 16

// cut returns the step within its bounds.
func (s Step) cut() Step {
	s.Tool, s.Dir = cut(s.Tool, maxName), cut(s.Dir, maxName)
	s.Command = cut(s.Command, maxCommand)
	var files []string
	for _, name := range s.Files[:min(len(s.Files), maxFiles)] {
		files = append(files, cut(name, maxName))
	}
	s.Files = files
	return s
}

// Journal has the session and the steps of one conversation.
type Journal struct {
	Session
	Steps   []Step
	Pending bool // steps came after the last derivation
}

// Begin makes the journal of a conversation, after removing those that are too old or too many. One
// that is there already stays: the conversation is resumed. One whose first line would be too long
// gets none.
func (b *Inbox) Begin(s Session) error {
	dir, err := b.open("sessions", true)
	if err != nil {
		return err
	}
	defer dir.Close()
	line, err := json.Marshal(s)
	if err != nil || len(line) > maxHead {
		return err
	}
	if err := b.prune(dir); err != nil {
		return err
	}
	f, err := disk.New(dir, nameOf(s.Client, s.Session))
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	// After a crash the journal may be empty, and is then no journal.
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

// Append adds a step to the journal of a conversation, if there is one with room.
func (b *Inbox) Append(client, session string, s Step) error {
	dir, err := b.open("sessions", false)
	if err != nil {
		return disk.IgnoreNotExist(err)
	}
	defer dir.Close()
	name := nameOf(client, session)
	fi, err := dir.Lstat(name)
	if err != nil || fi.Size() > maxJournal {
		return disk.IgnoreNotExist(err)
	}
	if s.At == 0 {
		s.At = log.StampOf(b.now())
	}
	line, err := json.Marshal(s.cut())
	if err != nil {
		return err
	}
	f, err := dir.Append(name)
	if err != nil {
		return err
	}
	if s.Tool == Prompt || !isQuiet(f) {
		_, err = f.Write(append(line, '\n'))
	}
	return errors.Join(err, f.Close())
}

// isQuiet reports whether the first line of a journal says so.
func isQuiet(f *disk.File) bool {
	head := make([]byte, maxHead)
	n, _ := f.ReadAt(head, 0) // at the end of the file is an error
	line, _, _ := bytes.Cut(head[:n], []byte("\n"))
	return bytes.Contains(line, []byte(`"quiet":true`))
}

// Stop removes the journal of a conversation.
func (b *Inbox) Stop(client, session string) error {
	dir, err := b.open("sessions", false)
	if err != nil {
		return disk.IgnoreNotExist(err)
	}
	defer dir.Close()
	// After a crash the journal is there or gone.
	return disk.IgnoreNotExist(dir.Remove(nameOf(client, session)))
}

// StopAll removes all journals of a client; "" of all.
func (b *Inbox) StopAll(client string) error {
	return b.each("sessions", func(dir *disk.Dir, name string) error {
		text, err := dir.ReadFile(name, 2*maxJournal)
		if err != nil || !isJournalName(name) {
			return err
		}
		if j, ok := parseJournal(text); ok && client != "" && j.Client != client {
			return nil
		}
		// After a crash some journals are there.
		return dir.Remove(name)
	})
}

// Leave removes the journals of a client whose hooks are removed, and the directories where nothing
// is left. Proposals wait for the person.
func (b *Inbox) Leave(client string) error {
	if b.dir == "" {
		return nil
	}
	err := b.StopAll(client)
	for _, name := range [...]string{"sessions", "proposals", ".", ".."} {
		if _, err := os.Lstat(filepath.Join(b.dir, "proposals")); name == "." && err != nil {
			_ = os.Remove(filepath.Join(b.dir, keyFile)) // there are no marks
		}
		_ = os.Remove(filepath.Join(b.dir, name)) // a directory with files in it stays
	}
	return err
}

// Journals returns the journals of a store, the oldest session first.
func (b *Inbox) Journals(store string) (list []Journal, err error) {
	err = b.each("sessions", func(dir *disk.Dir, name string) error {
		text, err := dir.ReadFile(name, 2*maxJournal)
		if err != nil {
			return err
		}
		if j, ok := parseJournal(text); ok && j.Store == store {
			list = append(list, j)
		}
		return nil
	})
	slices.SortStableFunc(list, func(a, b Journal) int { return int(a.began() - b.began()) })
	return list, err
}

// Journal returns the journal of a conversation; ok is false where there is none.
func (b *Inbox) Journal(client, session string) (j Journal, ok bool) {
	dir, err := b.open("sessions", false)
	if err != nil {
		return j, false
	}
	defer dir.Close()
	text, err := dir.ReadFile(nameOf(client, session), 2*maxJournal)
	if err != nil {
		return j, false
	}
	return parseJournal(text)
}

// HasPrompt reports whether the conversation has had a prompt.
func (j *Journal) HasPrompt() bool {
	return slices.ContainsFunc(j.Steps, func(s Step) bool { return s.Tool == Prompt })
}

func (j *Journal) began() log.Stamp {
	if len(j.Steps) == 0 {
		return 0
	}
	return j.Steps[0].At
}

// parseJournal skips lines that are torn.
func parseJournal(text []byte) (j Journal, ok bool) {
	for line := range strings.Lines(string(text)) {
		var s Step
		switch {
		case !ok:
			if json.Unmarshal([]byte(line), &j.Session) != nil || j.Session.Session == "" {
				return j, false
			}
			ok = true
		case json.Unmarshal([]byte(line), &s) != nil:
		case s.Derived:
			j.Pending = false
		default:
			j.Steps, j.Pending = append(j.Steps, s), true
		}
	}
	return j, ok
}

// isJournalName reports whether this package gave a name; any other file is somebody's.
func isJournalName(name string) bool {
	sum, ok := strings.CutSuffix(name, ".jsonl")
	return ok && len(sum) == 32 && strings.Trim(sum, "0123456789abcdef") == ""
}

// prune removes journals that are too old, and the oldest of too many.
func (b *Inbox) prune(dir *disk.Dir) error {
	entries, err := dir.ReadDir(".")
	if err != nil {
		return err
	}
	var infos []fs.FileInfo
	for _, e := range entries {
		if fi, err := e.Info(); err == nil && isJournalName(e.Name()) && !e.IsDir() {
			infos = append(infos, fi)
		}
	}
	newest := func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) }
	slices.SortFunc(infos, newest)
	all := int64(0)
	for i, fi := range infos {
		all += fi.Size()
		if i < maxCount && all <= maxAll && b.now().Sub(fi.ModTime()) < kept {
			continue
		}
		// After a crash the journal is there or gone. Another process may have removed it.
		if err := disk.IgnoreNotExist(dir.Remove(fi.Name())); err != nil {
			return err
		}
	}
	return nil
}

// errNone is returned where there is no state directory.
var errNone = &fs.PathError{Op: "open", Path: "the state directory", Err: fs.ErrNotExist}

// open opens a directory of the inbox; a link in its place is refused.
func (b *Inbox) open(sub string, create bool) (dir *disk.Dir, err error) {
	switch {
	case b.dir == "":
		return nil, errNone
	case create:
		dir, err = disk.Create(b.dir)
	default:
		dir, err = disk.Open(b.dir)
	}
	if err != nil || sub == "." {
		return dir, err
	}
	defer dir.Close()
	return dir.Sub(sub, create)
}

func nameOf(client, session string) string {
	sum := sha256.Sum256([]byte(client + "\x00" + session))
	return hex.EncodeToString(sum[:16]) + ".jsonl"
}

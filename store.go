package mem

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/store/memstore"
	"github.com/set-memory/mem/internal/store/upkeep"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Options are the options of a store. The zero value is good; any function may be
// nil, and is called by several goroutines at once.
type Options struct {
	Now      func() time.Time                   // the clock; nil is the system's
	Clock    func() time.Time                   // measures durations for ops.jsonl; nil: they are 0
	LockWait time.Duration                      // 0: DefaultLockWait, negative: does not wait
	Log      *slog.Logger                       // takes what happens; nil: nothing does
	Warn     func(msg string)                   // of omissions and repairs, one line each
	Program  string                             // in warnings, like "mem --root DIR"; "": mem
	Debug    func(msg string)                   // of decisions that change only the speed
	Progress func(what string, done, total int) // of long work, now and then

	// Belongs refuses a key that this store is not to hold; nil: it may hold any.
	Belongs func(keypath.Key) error
	// OnBegin is called with every operation that begins, to guard its writes, see Guard.
	OnBegin func(*Operation)
	// OnCompactionDue is called after a write that leaves a compaction due. It must not take
	// long.
	OnCompactionDue func()
	// OnStored is called with what an update stored, when that is on disk. It must not take long.
	OnStored func(written []log.Envelope)
	// Shared is whether git may replace the log: what it has taken away is then no news, and what
	// follows from the log is made anew before it is checked.
	Shared bool
	// ForeignConfig is whether config.json in the root came with a repository: nothing of it
	// counts.
	ForeignConfig bool
	// FromCopy is whether a store on a server is not asked: this machine's copy of it answers.
	FromCopy bool
	// Connect opens the store at a URL (site.IsRemote); nil: this program cannot.
	Connect func(url string, o Options) (*Store, error)
	// Elsewhere is whether callers are not on this machine: answers name none of its files.
	Elsewhere bool
	// OpenOther opens another store of this user by its root, to end an update of several stores
	// that was killed; nil: no such update is ended. The error wraps fs.ErrNotExist where none is.
	OpenOther func(root string) (*Store, error)
	// Repository is written into a root that is made, as the repository that it is for; "": none.
	Repository string

	// Layer is the layer that the store is; "": it was named.
	Layer string
	// Belief is how far its records are believed.
	Belief Belief
	// Beside is what this machine keeps of the store's records outside of it; nil: nothing.
	Beside *Beside
}

// Belief is how far the records of a store are believed; the zero Belief: as the user's own.
type Belief = policy.Belief

// DefaultLockWait is how long a writer waits for another.
const DefaultLockWait = 5 * time.Second

// Caller names the caller, where a call depends on it. The zero Caller is a person at a terminal.
type Caller = backend.Caller

// Store is one memory. It may be used by several goroutines, and by any number of processes; while
// it is open it sees what they write.
type Store struct {
	backend backend.Backend
	opts    Options
	members []LayerMember // that are read together; see JoinStores

	mu      sync.Mutex
	conf    *Config // nil: not read yet
	version string  // of conf
	warned  bool    // that config.json is wrong
}

// Open opens the store below path, or at a URL. One of files need not exist: it then reads as
// empty, and the first write makes it.
func Open(path string, o Options) (*Store, error) {
	s := &Store{opts: o.Complete()}
	if site.IsRemote(path) {
		return s.connect(path)
	}
	files := upkeep.Options{Progress: s.opts.Progress, Options: filestore.Options{
		Now: s.opts.Now, LockWait: s.opts.LockWait, Create: s.opts.fill, Debug: s.opts.Debug,
		Warn: s.opts.Warn, Program: s.opts.Program, Shared: s.opts.Shared,
		Log: s.opts.Log, Clock: s.opts.clock,
	}}
	files.Config = func(ctx context.Context) error { _, err := s.Config(ctx); return err }
	if s.opts.OnCompactionDue != nil {
		files.Due = s.onDue
	}
	kept, err := upkeep.Open(path, files)
	if err != nil {
		return nil, err
	}
	s.backend = kept
	return s, nil
}

func (s *Store) connect(url string) (*Store, error) {
	if s.opts.Connect == nil {
		return nil, fmt.Errorf("%w: a store on a server needs memd", ErrInput)
	}
	return s.opts.Connect(url, s.opts)
}

// New returns a store over a backend of another kind than files.
func New(b backend.Backend, o Options) *Store { return &Store{backend: b, opts: o.Complete()} }

// NewMemory returns a store that keeps its bytes in memory alone: for tests, and for programs that
// need no file. Nothing of it outlives the process.
func NewMemory() *Store {
	o := Options{}.Complete()
	return New(memstore.New(o.Now), o)
}

// Complete returns the options with the defaults of those that are not set.
func (o Options) Complete() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.LockWait == 0 {
		o.LockWait = DefaultLockWait
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	if o.Debug == nil {
		o.Debug = func(string) {}
	}
	return o
}

// Close releases the store. Acknowledged writes are on disk already.
func (s *Store) Close() error { return s.backend.Close() }

// Path returns the root, or the URL of one on a server without its secrets; "" where the store is
// nowhere but in memory.
func (s *Store) Path() string {
	if l, ok := s.backend.(backend.Located); ok {
		return l.Location()
	}
	return ""
}

// RealPath returns the whole path of the root without links, by which a journal names the store,
// made or not; a URL is as Path returns it.
func (s *Store) RealPath() string {
	path := s.Path()
	if path == "" || site.IsRemote(path) {
		return path
	}
	if real, err := disk.RealPath(path); err == nil {
		return real
	}
	return path
}

// Surrounds reports whether another store is this one, or lies in it, however both are named.
func (s *Store) Surrounds(ctx context.Context, o *Store) (bool, error) {
	mine, served := s.backend.(backend.Identified)
	its, both := o.backend.(backend.Identified)
	switch {
	case s == o:
		return true, nil
	case served && both:
		one, err := mine.Identity(ctx)
		if err != nil {
			return false, err
		}
		other, err := its.Identity(ctx)
		return one == other, err
	case s.rooted() == nil || o.rooted() == nil:
		return false, nil
	}
	return disk.IsWithin(s.Path(), o.Path())
}

// rooted returns the backend as one in files; nil where it is another.
func (s *Store) rooted() backend.Rooted {
	r, _ := s.backend.(backend.Rooted)
	return r
}

// Exists reports whether the store was made; of several that are read together, any of them.
func (s *Store) Exists() bool {
	if s.members != nil {
		return anyExists(s.members)
	}
	r := s.rooted()
	return r == nil || r.Exists()
}

// LogFault says that acknowledged lines of the log are gone, as far as the last read has met it, so
// that memories are missing; else "".
func (s *Store) LogFault() (fault string) {
	for _, m := range s.members {
		fault = cmp.Or(fault, m.Store.LogFault())
	}
	if r := s.rooted(); r != nil {
		fault = r.LogFault()
	}
	return fault
}

// Logger returns the log of a view above the store; see Options.Log.
func (s *Store) Logger() *slog.Logger { return s.opts.Log }

// For returns the store for one caller, with a clock and a place for warnings of their own, and
// Options.Belongs. Both share what they keep, and are closed once.
func (s *Store) For(now func() time.Time, warn func(msg string),
	belongs func(keypath.Key) error) *Store {
	o := s.opts
	o.Now, o.Warn, o.Belongs = now, warn, belongs
	conf, version := s.knownConfig()
	return &Store{backend: s.backend, opts: o.Complete(), members: s.members, conf: conf,
		version: version}
}

// Now returns the time of the store's clock, in UTC.
func (s *Store) Now() time.Time { return s.opts.Now().UTC() }

func (o Options) stamp(c Caller) log.Stamp {
	if c.Now != 0 {
		return c.Now
	}
	return log.StampOf(o.Now())
}

// Create makes the root, with the README that explains it, where absent. It reports whether
// it made it.
func (s *Store) Create() (bool, error) {
	if r := s.rooted(); r != nil {
		return r.Create()
	}
	return false, nil
}

// FilePath returns where a key's index file is, or would be; "" where the store keeps no files.
func (s *Store) FilePath(key keypath.Key) string {
	if r := s.rooted(); r != nil && !s.opts.Elsewhere {
		return r.FilePath(key)
	}
	return ""
}

// Journal returns a journal of the store by its name, as "ops.jsonl".
func (s *Store) Journal(name string) backend.Journal { return s.backend.Journal(name) }

// onDue calls OnCompactionDue where the configuration lets compactions begin by themselves.
func (s *Store) onDue() {
	if conf, err := s.Config(context.Background()); err == nil && conf.AutoCompact {
		s.opts.OnCompactionDue()
	}
}

// snapshot returns all live memories at one moment, and warns of lines that it left out.
func (s *Store) snapshot(ctx context.Context) (backend.Snapshot, error) {
	v, err := s.backend.Snapshot(ctx)
	if err == nil {
		s.opts.warnDamaged(v.Damaged())
	}
	return v, err
}

// warnDamaged reports omitted lines: to the log, as an error, or where there is none as a warning.
func (o Options) warnDamaged(damaged []*log.Damage) {
	for _, d := range damaged {
		backend.ReportDamage(o.Log, o.Warn, o.Program, d)
	}
}

// warnContent warns of what in a content is hardly meant, and was not in the content that it
// replaces. Content may be anything, so this is no error.
func (o Options) warnContent(text, was []byte, now log.Stamp) {
	known := doubts(was, now)
	for _, doubt := range doubts(text, now) {
		if !slices.Contains(known, doubt) {
			o.Warn(doubt)
		}
	}
}

// doubts returns what in a content is hardly meant: it never expires because its expired_at is not
// a time, or has expired already; it is not as old as it says because that is no time; or it
// outranks all others because its importance is a whole 1.
func doubts(text []byte, now log.Stamp) (list []string) {
	f := content.Parse(text)
	switch {
	case f.BadExpiry:
		list = append(list, "content: expired_at is no ISO 8601 time, so this memory never expires")
	case f.Expired(now):
		list = append(list, "content: expired_at is in the past, so this memory has expired")
	}
	if name := content.BadTime(text); name != "" {
		list = append(list,
			"content: "+name+" is no ISO 8601 time, so the memory has the time of its write")
	}
	if f.WholeOne {
		list = append(list, wholeOne)
	}
	return list
}

// wholeOne is the hint on importance 1. The scale of the other memories is not looked up: the
// spelling is enough, for 1.0 says the same without a doubt.
const wholeOne = "importance 1 is the greatest of 0..1, above a 9 of 1..10: " +
	"write 1.0 for the greatest, and 0.1 for the least"

// warnBatch warns of importance 1 in a batch, once.
func (o Options) warnBatch(writes []Checked) {
	lines := 0
	for _, p := range writes {
		if !p.Imported() && bytes.Contains(p.env.Content, []byte(`"importance":1`)) &&
			content.Parse(p.env.Content).WholeOne {
			lines++
		}
	}
	if lines > 0 {
		o.Warn(fmt.Sprintf("%s (lines: %d)", wholeOne, lines))
	}
}

// fill writes the README of a new root, and which repository it is for, unless a record was there
// before. A crash leaves none or one of them, and perhaps a temporary file; the next write makes up
// for a missing README.
func (o Options) fill(dir *disk.Dir) error {
	if _, err := dir.Lstat(site.RepositoryFile); o.Repository != "" && err != nil {
		text := site.RepositoryText(o.Repository)
		if err := dir.WriteFile(site.RepositoryFile, text); err != nil {
			return err
		}
	}
	return dir.WriteBytesSync(filestore.ReadmeFile, []byte(readmeRoot))
}

// readmeRoot explains a root to a person that finds it. It is written once and never touched again.
//
//go:embed readme_root.md
var readmeRoot string

// Numbers says which keys of notes have a number. One goroutine uses it.
type Numbers struct {
	all    backend.Numbers
	caller Caller
}

// Numbers returns the numbers of all notes that there are or ever were, at about the cost of Get.
// The caller closes them.
func (r Reader) Numbers(ctx context.Context) (*Numbers, error) {
	all, err := r.store.backend.Numbers(ctx)
	if err != nil {
		return nil, err
	}
	return &Numbers{all, r.caller}, nil
}

// Of returns the keys that have, or ever had, a memory of a number and that the caller may see, in
// their order.
func (n *Numbers) Of(number int64) ([]keypath.Key, error) {
	keys, err := n.all.Of(number)
	return slices.DeleteFunc(slices.Clone(keys), func(key keypath.Key) bool {
		return !policy.Permits(n.caller, key)
	}), err
}

// Close releases what the numbers have open.
func (n *Numbers) Close() { n.all.Close() }

package mem

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/settings"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

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

func (o Options) stamp(c Caller) log.Stamp {
	if c.Now != 0 {
		return c.Now
	}
	return log.StampOf(o.Now())
}

// clock measures durations; it is the system's even where Now is fixed.
func (o Options) clock() time.Time {
	if o.Clock == nil {
		return time.Time{}
	}
	return o.Clock()
}

// Caller names the caller, where a call depends on it. The zero Caller is a person at a terminal.
type Caller = backend.Caller

// The settings of a store: package settings has the table of all members.
type (
	Config       = settings.Config
	DecayConfig  = settings.DecayConfig
	InjectLimits = settings.InjectLimits
	NoteLimits   = settings.NoteLimits
	Setting      = settings.Setting
)

// LayerMember is one of the stores that are read together.
type LayerMember struct {
	Store  *Store
	Layer  string // what its records have in log.Record.Layer
	Belief Belief // how far its records are believed

	// Records of the classes Without, and those that Accept refuses, are left out.
	Without backend.Classes
	Accept  func(log.Record) bool // nil: refuses none
	// Shares reports whether the member hides a key from no later one; nil: it hides all.
	Shares func(keypath.Key) bool
}

// Beside is what this machine keeps of a store's records outside of it: the journals of the user's
// store, and in the book of trust the identities of lines.
type Beside struct {
	sites *site.Sites
	one   *site.Site
	lines site.Identities // of the lines to purge
	texts []string        // of the records to purge, folded
}

// Operation is one call of a verb: what it writes passes the rules here, and it has a line in the
// journal of what ran. A view above the Store does its work through one.
type Operation struct {
	store   *Store
	caller  Caller
	verb    Verb
	call    *policy.Call // both of them, for the facts of its writes
	start   time.Time
	allowed []string          // rules for secrets that do not count this time
	conf    *Config           // nil: not asked for yet
	version string            // of conf, which the store compares; see known
	assumed bool              // conf is what this process knew; nobody was asked
	exempt  policy.Exemptions // of what it writes
	guard   guardFunc         // nil: none; see Guard
	// brought are the sessions that came with the operation: each is as it was elsewhere, and the
	// records from before it was closed come with it.
	brought map[keypath.Key]bool
	kept    []keypath.Key   // rules of the user that an import was to replace
	undoes  string          // id of the command that it takes back
	joined  bool            // see Join
	joint   bool            // it is one of an update of several stores
	ready   func(*Tx) error // called before an update is stored; nil: nothing is

	first string   // key of the first write that it stored
	last  *Checked // the last one; nil: none
	runs  []run    // what each update stored
}

// Verb is a row of the table of operations: it says what an operation may write, and whether a
// person has to call it. Other modules have [NewOperation] and the methods of Store.
type Verb = policy.Verb

// guardFunc judges an update by what it has written; see [Operation.Guard].
type guardFunc func(ctx context.Context, tx *Tx, written []Checked) error

// Checked is a write that has passed every rule that needs no lock: only [Operation.Check] makes
// one, and [Tx.Put] takes no other.
type Checked struct {
	op     *Operation    // that has checked it, and alone may put it; nil: it did not pass
	facts  *policy.Facts // shared by its copies, which replace and do not change them; nil as op
	env    log.Envelope
	reason string    // why it is quarantined under /untrusted/; "" if it is not
	conf   *Config   // by which it was checked
	when   condition // under which a batch stores it

	restamped bool // see Restamped
	sourced   bool // its line named a source
	fresh     bool // its key holds nothing append-only: it was drawn, or the history was asked

	mayQuarantine bool // where its source does not suffice
}

// condition is what the key of a write has to hold for a batch to store it.
type condition int

const (
	always      condition = iota
	whenFree              // nothing, and never did: else it is a conflict
	whenChanged           // another content, or another source where the line names one
	whenNew               // another content or source, of whatever origin
)

// Tx is an update while it runs: it reads the live memories, and stores writes.
type Tx struct {
	ctx     context.Context // of the one update that it lives for
	op      *Operation
	tx      backend.Tx
	written []Checked
}

// run is what one update stored: all lines of the history from the first to the last.
type run struct {
	first, last *log.Envelope
	text        string // as the journal names it; "": no line has yet
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

// rooted returns the backend as one in files; nil where it is another.
func (s *Store) rooted() backend.Rooted {
	r, _ := s.backend.(backend.Rooted)
	return r
}

// Logger returns the log of a view above the store; see Options.Log.
func (s *Store) Logger() *slog.Logger { return s.opts.Log }

// Now returns the time of the store's clock, in UTC.
func (s *Store) Now() time.Time { return s.opts.Now().UTC() }

// Journal returns a journal of the store by its name, as "ops.jsonl".
func (s *Store) Journal(name string) backend.Journal { return s.backend.Journal(name) }

// notify passes what was stored to Options.OnStored.
func (s *Store) notify(list []log.Envelope) {
	if fn := s.opts.OnStored; fn != nil && len(list) > 0 {
		fn(list)
	}
}

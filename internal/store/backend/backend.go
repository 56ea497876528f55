package backend

import (
	"cmp"
	"context"
	"errors"
	"iter"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/store/fts"
	"github.com/set-memory/mem/internal/store/purge"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

var (
	// ErrStored is wrapped by the error of an Update that is durable, but that something derived
	// could not follow. The next Update tries again.
	ErrStored = errors.New("stored in the log, but the index could not follow")
	// ErrOlder is wrapped where an envelope that brings its ts does not win against what the
	// history has of its key.
	ErrOlder = errors.New("not newer than the stored version")
	// ErrNoCounter is returned by NextNumber for a counter that no key carries; see
	// keypath.Counters.
	ErrNoCounter = errors.New("no such counter")
	// ErrReason is returned by Erase for a reason that holds a value which is to be erased.
	ErrReason = errors.New("the reason contains text that is to be forgotten")
	// ErrChanged is wrapped by the error of SetConfig where somebody else changed the configuration
	// again and again.
	ErrChanged = errors.New("it was changed meanwhile")
	// ErrUnavailable is wrapped where the server that keeps the store cannot be reached: the same
	// call may succeed later.
	ErrUnavailable = errors.New("cannot be reached")
	// ErrUsedUp is returned by NextNumber when a counter has no more numbers.
	ErrUsedUp = errors.New("the numbers are used up")
	// ErrSum is wrapped by an error for a blob name that is not a SHA-256.
	ErrSum = errors.New("not 64 hexadecimal digits in lower case")
	// ErrTooLarge is wrapped by the error of PutBlob for what does not end within the limit.
	ErrTooLarge = errors.New("too large")
	// ErrDamaged is wrapped by the error of OpenBlob where the bytes that are kept are not those of
	// their name.
	ErrDamaged = errors.New("the bytes are not those of their SHA-256")
	// ErrConfig is wrapped where an update goes by another configuration than the store has.
	ErrConfig = errors.New("the configuration was changed meanwhile")
	// ErrNoSize is wrapped by the error of Size for a prefix of which no size is kept; see
	// keypath.Prefix.Sized.
	ErrNoSize = errors.New("the store keeps no size for this prefix")
)

// UnknownError is the error of an Update of which it is unknown whether it is stored: the store
// went away in mid commit, and could not be asked again in time.
type UnknownError struct {
	Stamps []log.Stamp // that the writes have, if they are stored
	Err    error       // why nobody can tell
}

func (e *UnknownError) Error() string {
	return "it is unknown whether the write is stored: " + e.Err.Error()
}

// Unwrap returns why nobody can tell.
func (e *UnknownError) Unwrap() error { return e.Err }

// Kind returns "unknown".
func (e *UnknownError) Kind() string { return "unknown" }

// Advice returns how to find out.
func (e *UnknownError) Advice() advice.List {
	return advice.Say("when the server is back, ").Run("history", "KEY").
		Then(" shows whether the ts is stored").Also(advice.Say("else write it again"))
}

// CatchingUpError is the error of a read that timed out before this machine's copy was complete. A
// later read finds more of the copy built.
type CatchingUpError struct {
	Name string // of the memory
	Err  error  // why it was too early
}

func (e *CatchingUpError) Error() string {
	return e.Name + ": this machine is still copying it: " + e.Err.Error()
}

// Unwrap returns why it was too early.
func (e *CatchingUpError) Unwrap() error { return e.Err }

// Advice returns what to do.
func (e *CatchingUpError) Advice() advice.List { return advice.Say("ask again in a while") }

// Caller describes the caller of an operation, as far as its outcome depends on that.
type Caller struct {
	Tenant  string // whose memory; "" for the only one
	Session string // the conversation
	Agent   string // the agent that runs it
	Member  string // of a team, whose token calls; "" for a caller without a token
	Channel string // the front that the call came through: cli, hook, mcp
	// Client is the program that calls in place of a person: a coding agent whose shell runs mem,
	// MCP, or HTTP; "" for a person, and for a program that a person has made.
	Client string
	// Unattended is whether neither a terminal nor --yes says that a person takes a decision.
	Unattended bool
	// Command is the command that the call is part of; nil: it is one by itself.
	Command *Command

	Now log.Stamp // the instant of the call; 0: that of the store's clock
}

// Backend keeps the bytes of one memory. It may be used by several goroutines.
type Backend interface {
	// Update runs fn on the newest state, excluding all other updates. fn may share its lock and
	// its sync with others' and may run again: it has no effects outside Tx, but for what it
	// returns. All that fn appended is durable, or nothing; see the promises of the package.
	Update(ctx context.Context, c Caller, op string, fn func(Tx) error) error
	// Snapshot returns the live records at one moment. A store that does not exist is empty.
	Snapshot(ctx context.Context) (Snapshot, error)
	// Get returns the newest live record of a key, expired or not, at less cost than a snapshot.
	Get(ctx context.Context, key keypath.Key) (log.Record, bool, error)
	// ScanBelow yields what that of a snapshot does, at less cost.
	ScanBelow(ctx context.Context, prefix keypath.Prefix) iter.Seq2[log.Record, error]
	// Match returns the live records that a matcher matches and that meet Where: those with the
	// greatest share first, at most limit. It may miss some, for it is asked beside every note and
	// at every edit of a file: its cost counts more.
	Match(ctx context.Context, m Matcher, w Where, limit int) ([]log.Record, error)
	// History yields every envelope ever written, in the order of the log's segments. A line that
	// cannot be read comes as a *log.Damage and the walk continues; another error is the last. A
	// line that is in two files, as after a crash in a rotation, comes twice.
	History(ctx context.Context) iter.Seq2[log.Record, error]
	// Versions returns every version of a key that there ever was, newest first and each once.
	Versions(ctx context.Context, key keypath.Key) (Versions, error)
	// Numbers returns the numbers of all notes that there are or ever were, at about the cost of
	// Get.
	Numbers(ctx context.Context) (Numbers, error)
	// Journal returns a journal by its name, as "ops.jsonl".
	Journal(name string) Journal
	// Config returns the text of the configuration and its version, which changes when it does.
	// Where the version is still the one that the caller has, there is no text; where there is no
	// configuration, the version is empty too.
	Config(ctx context.Context, have string) (text []byte, version string, err error)
	// Close releases the store.
	Close() error
}

// Numbers says which keys have a number (keypath.Key.Number). One goroutine uses it.
type Numbers interface {
	// Of returns the keys that carry a number and have, or ever had, a version, in their order. A
	// copy of a store on a server, which is not asked, knows the live ones alone.
	Of(n int64) ([]keypath.Key, error)
	Close()
}

// NumbersFunc is Numbers of a function, without anything to close.
type NumbersFunc func(n int64) ([]keypath.Key, error)

// Of calls the function.
func (fn NumbersFunc) Of(n int64) ([]keypath.Key, error) { return fn(n) }

// Close does nothing.
func (NumbersFunc) Close() {}

// Reader reads the records that are live at one moment.
type Reader interface {
	// Get returns the newest live record of a key, expired or not.
	Get(ctx context.Context, key keypath.Key) (log.Record, bool, error)
	// ScanBelow yields the newest record of every live key under a prefix, by key, expired ones
	// too. The record shares a buffer until the next step. An error is the last.
	ScanBelow(ctx context.Context, prefix keypath.Prefix) iter.Seq2[log.Record, error]
	// Size returns the bytes of the newest lines, newline included, of the keys strictly below a
	// prefix: of those that are live, expired or not, and of those whose newest line is a
	// tombstone. The newest line of a key is that of the greatest ts, of equal ts the greater
	// bytes; whether its checksum is right does not matter. The error wraps ErrNoSize for a prefix
	// of which no size is kept (keypath.Prefix.Sized).
	Size(ctx context.Context, below keypath.Prefix) (live, deleted int64, err error)
	// Select returns what meets Where, in an order; limit 0: all. It reads no more records than it
	// returns, but for those that are asked about singly (Where.Shadowed, Where.Accept).
	Select(ctx context.Context, w Where, o Order, limit int) ([]log.Record, error)
}

// Tx is an update while it runs. It reads the present records, and those that it has appended
// itself.
type Tx interface {
	Reader
	// Newest returns the newest live record of each of these keys, at the cost of one pass. Keys
	// without one are not in it. The caller may change the map. A caller with several updates
	// passes the keys of all to the first, so that the later ones read nothing again.
	Newest(ctx context.Context, keys []keypath.Key) (map[keypath.Key]log.Record, error)
	// NewestEver returns the newest record of each of these keys in the whole history, tombstones
	// too; otherwise it is as Newest.
	NewestEver(ctx context.Context, keys []keypath.Key) (map[keypath.Key]log.Record, error)
	// NextNumber returns the next number of a counter (keypath.Counters), from 1. Where the update
	// appends a key that carries it (keypath.Key.Number), the number is never returned again, even
	// after a deletion. Numbers of keys that others wrote are passed over, unless they lie so far
	// above all others (keypath.MaxGap) that nobody will come to them.
	NextNumber(ctx context.Context, counter string) (int64, error)
	// Append adds writes and returns their stamps, each later than any before; those that are
	// imported keep their ts. They must win against all that their key ever had, see NewestEver, or
	// the error wraps ErrOlder. On an error nothing was added.
	Append(writes ...Write) ([]log.Stamp, error)
}

// Write is one envelope for Tx.Append.
type Write struct {
	log.Envelope
	Imported bool // it keeps its TS; else that does not matter
}

// Snapshot shows the live records of one moment. One goroutine uses it.
type Snapshot interface {
	Reader
	// Selected yields what Select returns without a limit, one by one, each with its place. The
	// record shares a buffer until the next step. An error is the last.
	Selected(ctx context.Context, w Where, o Order) iter.Seq2[Placed, error]
	// Has reports whether a key has a live record that has not expired at now, at less cost than
	// Get.
	Has(ctx context.Context, key keypath.Key, now log.Stamp) (bool, error)
	// Rank ranks what meets Where.
	Rank(ctx context.Context, q readout.Query, w Where) (Ranking, error)
	// Search finds what matches a query best among what meets Where, best first; with Relevant what
	// is clearly relevant comes before the rest.
	Search(ctx context.Context, q *fts.Query, w Where, o SearchOptions) ([]Hit, error)
	// Newest returns the newest ts that was ever written; log.MinStamp for none.
	Newest() log.Stamp
	// Damaged returns the lines that could not be read and were left out.
	Damaged() []*log.Damage
	Close()
}

// Versions are the versions of a key. The caller must range over the rows, at least to the first:
// the end of the range closes the files opened for them.
type Versions struct {
	Count   int
	Damaged []*log.Damage                // lines that could not be read and may be versions too
	Rows    iter.Seq2[log.Record, error] // newest first; nil where there is none
}

// Ranking is memories by their score. The caller must range over its rows, at least to the first:
// the end of the range closes the files opened for them.
type Ranking struct {
	// Considered is how many may appear. Those that the conditions on single records leave out
	// (Where.Shadowed, Superseded and Accept) are among them: they are asked only on the way.
	Considered int
	Rows       iter.Seq2[readout.Candidate, error] // best first, as many as a page could look at
}

// SearchOptions are how many hits a search returns, and with what details.
type SearchOptions struct {
	Limit    int  // hits; 0: all
	Ranked   int  // matches that go on to their neighbors, see fts.Options; 0: as usual
	Relevant bool // hits that are not clearly relevant have BelowFloor set
	Explain  bool // with the parts of each score
	Focus    bool // with Relevant: hits above the floor have Evidence

	// Stats serves a search of several stores as one: it is called once, with the numbers of this
	// store and before anything is scored, and returns those that the scores go by. nil: these. An
	// error of it ends the search.
	Stats func(own fts.Stats) (fts.Stats, error)
	// Bare leaves records, order and floor to the caller: the hits come by their scores, beyond the
	// limit as many as fts.Enough says, and every hit has key and ts alone, and type and
	// importance; with Relevant the best one that is evidence by itself has Evident set.
	Bare bool
}

// Hit is a memory that a search has found.
type Hit struct {
	Record       log.Record // of a hit below the floor the key and ts alone
	Score        float64
	Lift         float64   // what it is put in order by besides, see fts.Arrange
	Time         log.Stamp // of the memory, see content.Fields.Time
	FromNeighbor bool      // it matches nothing itself, but its neighbor does
	BelowFloor   bool
	Evident      bool         // with SearchOptions.Bare
	Parts        []fts.Part   // with SearchOptions.Explain
	Evidence     fts.Evidence // with SearchOptions.Focus

	Type       string  // with SearchOptions.Bare
	Importance float64 // with SearchOptions.Bare, 0..1
}

// Compare puts the better hit first: by score, then the newer, then by key.
func (h *Hit) Compare(o *Hit) int {
	return cmp.Or(fts.CompareScores(h.Score, o.Score), cmp.Compare(o.Time, h.Time),
		h.Record.Key.Compare(o.Record.Key))
}

// Eraser is a backend that can remove records from the history for good.
type Eraser interface {
	// Erase deletes keys and removes every version of them that was written before, with all copies
	// and traces, and looks whether anything is left. Writes wait for it or stay, and reads go on.
	// After an error or a killed process the next update finishes the erasure. The error wraps
	// ErrReason where the reason contains the text to erase; then nothing has happened.
	Erase(ctx context.Context, c Caller, e Erasure) (Proof, error)
}

// Erasure names the keys that are to be erased.
type Erasure struct {
	Keys   []keypath.Key
	Source []byte // of the tombstones, a JSON object with "purged":true
	Reason string // as Source has it
	// Limit is the latest time that the tombstones may name as seen; 0: any.
	Limit log.Stamp
	// Forget leaves no tombstones: nothing keeps an old copy from bringing the keys back.
	Forget bool
}

// Plan returns the plan of an erasure whose horizon is not known yet: it takes all that there is.
func (e Erasure) Plan() *purge.Plan {
	return &purge.Plan{Keys: e.Keys, Horizon: log.MaxStamp, Source: e.Source,
		Limit: cmp.Or(e.Limit, log.MaxStamp), Tombstones: !e.Forget}
}

// Bury appends the tombstones of an erasure, and sets the horizon of its plan.
func (e Erasure) Bury(tx Tx, plan *purge.Plan) error {
	writes := make([]Write, len(e.Keys))
	for i, key := range e.Keys {
		writes[i].Envelope = log.Envelope{Key: key, Source: plan.SourceOf(key),
			Content: []byte("null")}
	}
	stamps, err := tx.Append(writes...)
	if err == nil {
		plan.Horizon = stamps[len(stamps)-1]
	}
	return err
}

// Trace is a place where an erased value stands in another key.
type Trace = purge.Occurrence

// Proof says what an erasure has found, and what it could not remove.
type Proof struct {
	Horizon  log.Stamp      // versions at or before it were removed; 0: there was nothing
	Versions int            // lines that were removed
	Remains  []string       // where something stands that belongs to no other key: it is not proved
	Others   []Trace        // where values stand in what other keys hold, or held
	Short    int            // values too short to be looked for
	Beyond   []string       // files that were not looked into, and why
	Stones   []log.Envelope // the tombstones that are left
	Kept     []string       // sums of its blobs that stay: another artifact is about them too
	Looked   string         // the places that were looked into, for people
}

// Merger is a backend that takes in the lines of another copy of its memory.
type Merger interface {
	// Merge adds lines, each with its own time, durably and under the lock: those that lose against
	// what their key has had become versions of it. Lines that are there already change nothing.
	// choose returns them, and gets the newest record that each of some keys has ever had. After an
	// error or a killed process some may be stored.
	Merge(ctx context.Context, c Caller, op string, keys []keypath.Key,
		choose func(newest map[keypath.Key]log.Record) []log.Envelope) error
	// EraseMarked removes, as [Eraser] does, the versions in the history that some marks of purges
	// take, and the traces of such versions in quarantine. Without any nothing happens.
	EraseMarked(ctx context.Context, op string, marks []log.Envelope) (Proof, error)
}

// ConfigComparer is a backend that is asked for its configuration at a cost: an update can go by
// the one that the caller knows.
type ConfigComparer interface {
	// UpdateBy is Update for a caller that goes by a version of the configuration, as Config
	// returned it. Where the store has another one nothing is stored, and the error wraps
	// ErrConfig.
	UpdateBy(ctx context.Context, c Caller, op, version string, fn func(Tx) error) error
}

// Configurer is a backend whose configuration can be changed.
type Configurer interface {
	// SetConfig replaces the text of the configuration by what change makes of it, durably and as a
	// whole, excluding all updates. Where an editor, which takes no lock, changes it meanwhile,
	// change is called again with the new text. A text that stays as it is is not written. The
	// error is that of change, after which nothing was written, or wraps ErrChanged.
	SetConfig(ctx context.Context, c Caller, change func(text []byte) ([]byte, error)) error
}

// Journal is a file of JSON lines, capped in size and never synced. It is best effort, and never a
// reason for anything to fail.
type Journal interface {
	// Append adds a line, which ends in a newline. Past limit bytes the older half is removed.
	Append(line []byte, limit int64)
	// Read returns the lines, at most limit bytes; nothing where there are none.
	Read(limit int64) ([]byte, error)
	// Key returns a random key, which makes sums in the lines useless to a reader of the lines
	// alone; nil where none can be kept.
	Key() []byte
}

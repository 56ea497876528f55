package policy

import (
	"errors"
	"fmt"
	"math"
	"strconv"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

var (
	// ErrClosed is wrapped by the refusal of a record for a session that was closed.
	ErrClosed = errors.New("the session is closed")
	// ErrDeleted is wrapped by the refusal of a record for a session that was deleted.
	ErrDeleted = errors.New("the session was deleted")
	// ErrFull is wrapped by *FullError.
	ErrFull = errors.New("the session is full")
	// ErrNewer is wrapped by the refusal of a record for a session that a newer mem has made.
	ErrNewer = errors.New("a newer mem wrote the session")
	// ErrUnversioned is wrapped by the refusal of a session in which a record names no version.
	ErrUnversioned = errors.New("a record of it has no version")
)

// SessionVersion is the version of a session's metadata, and of the records that this build writes.
const SessionVersion = 1

// FullError is the refusal of a write that does not fit; errors.Is(err, ErrFull) holds.
type FullError struct {
	ID          string
	Size, Limit int64 // bytes; the size includes the refused write
	Spent       bool  // whether a compaction has just been tried, or the last one dropped nothing
}

func (e *FullError) Error() string {
	return fmt.Sprintf("%s: %s: %d bytes with this, at most %d", e.ID, ErrFull, e.Size, e.Limit)
}

// Is makes every FullError an ErrFull.
func (e *FullError) Is(target error) bool { return target == ErrFull }

// Kind is that of a refusal by policy.
func (e *FullError) Kind() string { return "refused" }

// Advice returns how to make room.
func (e *FullError) Advice() advice.List {
	if !e.Spent {
		return advice.Run("session compact", e.ID).Then(" drops the least relevant records")
	}
	twice := math.Ceil(2*1000*float64(e.Limit)/(1<<20)) / 1000 // MiB
	more := strconv.FormatFloat(twice, 'f', -1, 64)
	return advice.Say("its last compaction kept only relevant records: ").
		Run("config", "set", "storage.max_session_size_mb", more).Then(" allows more, ").
		Run("session create").Then(" makes a new one, and ").
		Run("search", "--session", e.ID, "--sort", "importance").
		Then(" shows what could be forgotten")
}

// Gate returns the key that gates another one: the session for all keys in it. The content under
// the gate decides which writes pass, see [SessionHead]. ok is false for a key without a gate.
func Gate(key keypath.Key) (gate keypath.Key, ok bool) {
	if key.Class() == keypath.SessionInfo {
		return key, true
	}
	p, ok := key.SizedBelow()
	if !ok {
		return keypath.Key{}, false
	}
	gate, err := keypath.Parse(p.String())
	return gate, err == nil
}

// SessionID returns the id in the key of a session, or of a record in it.
func SessionID(key keypath.Key) string {
	rest := key.String()[len(keypath.Sessions)+1:]
	for i := range len(rest) {
		if rest[i] == '/' {
			return rest[:i]
		}
	}
	return rest
}

// SessionHead is the part of a session's metadata that decides what the session takes.
type SessionHead struct {
	Version int
	Closed  log.Stamp // 0: it is open
	Deleted int64     // bytes of the tombstones in it right after its last compaction
}

// ParseHead returns the head of a session. A malformed member counts as absent.
func ParseHead(content []byte) (h SessionHead) {
	if len(content) == 0 || content[0] != '{' {
		return h
	}
	for name, value := range jsontext.Members(content) {
		switch name {
		case "version":
			h.Version = int(NumberOrZero(value))
		case "closed_at":
			h.Closed = StampOrZero(value)
		case "deleted_bytes":
			h.Deleted = NumberOrZero(value)
		}
	}
	return h
}

// NumberOrZero returns the whole number of a JSON text; 0 for a text that is none, or below 0.
func NumberOrZero(value []byte) int64 {
	n, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// StampOrZero returns the time of a JSON text; 0 for a text that is none.
func StampOrZero(value []byte) log.Stamp {
	at, err := log.ParseTime(jsontext.Unquote(value))
	if err != nil {
		return 0
	}
	return at
}

// CheckOpen refuses a record for a closed session (ErrClosed), or a newer one (ErrNewer).
func (h SessionHead) CheckOpen(id string) error {
	switch {
	case h.Version > SessionVersion:
		return fault.Wrap("refused", id, ErrNewer, advice.Say("install the newer mem"))
	case h.Closed != 0:
		return fault.Wrap("refused", id, ErrClosed,
			advice.Run("session close", id, "--reopen").Then(" opens it again"))
	}
	return nil
}

// IsUnversioned reports whether a record of a session names no version, and the metadata of one
// neither: another program wrote it. It is read as it is, and no verb of sessions changes it.
func IsUnversioned(rec log.Record) bool {
	switch rec.Key.Class() {
	case keypath.SessionInfo:
		return rec.Valid() && ParseHead(rec.Content).Version == 0
	case keypath.Remembered:
		return len(rec.Content) > 0 && rec.Content[0] == '{' &&
			NumberOrZero(content.Member(rec.Content, "schema_version")) == 0
	}
	return false
}

// UnversionedError returns the refusal of a session because of one record.
func UnversionedError(key keypath.Key) error {
	id, remove := SessionID(key), advice.Run("forget", key.String())
	if key.Class() == keypath.SessionInfo {
		remove = advice.Run("session", "delete", id)
	}
	return fault.Wrap("refused", id, fmt.Errorf("%w: %s", ErrUnversioned, key.Shown()),
		advice.Run("get", key.String()).Then(" shows it").Also(remove.Then(" removes it")))
}

// Size returns the size of a session in bytes; see package session.
func (h SessionHead) Size(live, deleted int64) int64 { return live + max(0, deleted-h.Deleted) }

// DeletedError returns the refusal of a record for a session that was deleted.
func DeletedError(id string) error {
	return fault.Wrap("refused", id, ErrDeleted,
		advice.Run("undo", keypath.Sessions+"/"+id).Then(" restores it"))
}

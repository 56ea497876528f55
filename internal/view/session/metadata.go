package session

import (
	"context"
	"strconv"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Version is the version of a session's metadata, and of the records that this build writes.
const Version = policy.SessionVersion

// Session is the metadata of a session.
type Session struct {
	ID      string
	User    string
	Created log.Stamp
	Closed  log.Stamp // when it was closed; 0: it is open
	Version int       // of the metadata
	Entries int       // version that all records have; 0: some may have none

	LastCompaction log.Stamp // 0: never
	Deleted        int64     // bytes of the tombstones right after it
	Idle           int64     // bytes of the session where that dropped nothing; 0: it did

	members jsontext.MemberList // as they are stored, those that this build does not know too
	key     keypath.Key         // of the metadata
	ts      log.Stamp           // of its write
}

// KeyOf returns the key of a session. The error wraps mem.ErrInput for a text that is no id.
func KeyOf(id string) (keypath.Key, error) {
	if !keypath.IsSessionID(id) {
		do := advice.Run("session list").Then(" shows the ids")
		if like := idLike(id); keypath.IsSessionID(like) {
			do = advice.Say(like + " would be one").Also(do)
		}
		return keypath.Key{}, fault.Input("session "+strconv.Quote(id),
			"want 1 to 64 letters of ASCII, digits and _", do)
	}
	return keypath.Parse(keypath.Sessions + "/" + id)
}

// idLike returns a text with _ for what parts its words.
func idLike(text string) string {
	return strings.NewReplacer("-", "_", " ", "_", ".", "_").Replace(text)
}

func prefixOf(id string) keypath.Prefix {
	p, err := keypath.ParsePrefix(keypath.Sessions + "/" + id)
	if err != nil {
		panic(err) // an id is checked before
	}
	return p
}

func parse(rec log.Record) *Session {
	s := &Session{ID: idOf(rec.Key), key: rec.Key, ts: rec.TS,
		Created: content.TimeOf(rec.Content, rec.TS)}
	if len(rec.Content) == 0 || rec.Content[0] != '{' {
		return s // by other hands, and of no use
	}
	s.members = jsontext.ParseMembers(rec.Content)
	s.User = jsontext.Unquote(s.members.Get("user_id"))
	head := policy.ParseHead(rec.Content)
	s.Version, s.Closed, s.Deleted = head.Version, head.Closed, head.Deleted
	s.Entries = int(policy.NumberOrZero(s.members.Get("schema_version")))
	s.LastCompaction = policy.StampOrZero(s.members.Get("last_compaction"))
	s.Idle = policy.NumberOrZero(s.members.Get("idle_bytes"))
	return s
}

func idOf(key keypath.Key) string { return policy.SessionID(key) }

// recordID returns the id of a record, the last segment of its key.
func recordID(key keypath.Key) string {
	text := key.String()
	return text[strings.LastIndexByte(text, '/')+1:]
}

// newSession returns a session that is not stored yet.
func newSession(id, user string, now log.Stamp) *Session {
	s := &Session{ID: id, User: user, Created: now, Version: Version, Entries: Version}
	s.text("type", "session")
	s.number("version", Version)
	s.number("schema_version", Version)
	s.text("session_id", id)
	s.text("user_id", user)
	s.text("created_at", now.String())
	return s
}

func (s *Session) text(name, value string) {
	s.members = s.members.With(name, jsontext.AppendString(nil, value))
}

func (s *Session) number(name string, value int64) {
	s.members = s.members.With(name, strconv.AppendInt(nil, value, 10))
}

// set brings the members that change up to what the fields say.
func (s *Session) set() {
	for name, at := range map[string]log.Stamp{
		"closed_at": s.Closed, "last_compaction": s.LastCompaction,
	} {
		if at == 0 {
			s.members = s.members.DropName(name)
		}
	}
	if s.Closed != 0 {
		s.text("closed_at", s.Closed.String())
	}
	if s.LastCompaction != 0 {
		s.text("last_compaction", s.LastCompaction.String())
		s.number("deleted_bytes", s.Deleted)
	}
	if s.Idle == 0 {
		s.members = s.members.DropName("idle_bytes")
	} else {
		s.number("idle_bytes", s.Idle)
	}
	s.number("version", Version)
	if s.Entries == Version {
		s.number("schema_version", Version)
	} else if s.Entries < Version {
		s.members = s.members.DropName("schema_version")
	}
}

func (s *Session) write(ctx context.Context, op *mem.Operation) (mem.Checked, error) {
	key, err := KeyOf(s.ID)
	if err != nil {
		return mem.Checked{}, err
	}
	s.set()
	return op.Check(ctx, mem.Write{Key: key, Content: s.members.Object(),
		Source: op.Source("system", "mem session", "session", s.ID)}, false)
}

// reader is what sessions are read from: an update, or a store.
type reader interface {
	Get(ctx context.Context, key keypath.Key) (log.Record, bool, error)
}

// load returns a session for a verb of sessions, as find, or ErrUnversioned.
func load(ctx context.Context, r reader, id string, now log.Stamp) (*Session, error) {
	s, err := find(ctx, r, id, now)
	if err == nil && s.Version == 0 {
		return nil, policy.UnversionedError(s.key)
	}
	return s, err
}

// find returns a session as it is stored. The error wraps ErrNotFound, as for one that has expired
// at now.
func find(ctx context.Context, r reader, id string, now log.Stamp) (*Session, error) {
	key, err := KeyOf(id)
	if err != nil {
		return nil, err
	}
	rec, found, err := r.Get(ctx, key)
	if err != nil {
		return nil, err
	}
	if !found || content.Expired(rec.Content, now) {
		return nil, notFound(id)
	}
	return parse(rec.Clone()), nil
}

// writable returns why nothing may be added to a session.
func (s *Session) writable() error { return s.head().CheckOpen(s.ID) }

// head returns the part of a session that its gate judges.
func (s *Session) head() policy.SessionHead {
	return policy.SessionHead{Version: s.Version, Closed: s.Closed, Deleted: s.Deleted}
}

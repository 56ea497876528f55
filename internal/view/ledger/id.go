package ledger

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/base/ulid"
	"github.com/set-memory/mem/internal/view/request"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// What stands before the ULID of an id.
const (
	eventID    = keypath.EventID
	artifactID = keypath.ArtifactID
	decisionID = "dec_"
	taskID     = "task_"
	chunkID    = "chk_"
)

// chunkDigits is how many hex digits number the chunks of an event.
const chunkDigits = 3

// The namespaces of decisions and of tasks.
const (
	decisions = "/decision"
	tasks     = "/task"
)

// spaceOf returns the namespace of what an id with this prefix names without more, with a slash
// behind it, or "".
func spaceOf(prefix string) string {
	switch prefix {
	case decisionID:
		return decisions + "/"
	case taskID:
		return tasks + "/"
	case artifactID:
		return keypath.Artifacts + "/"
	}
	return ""
}

// splitID returns the prefix of an id and its ULID; of a chunk also its number.
func splitID(id string) (prefix, unique string, number int, ok bool) {
	at := strings.IndexByte(id, '_') + 1
	prefix, unique = id[:at], id[at:]
	if prefix == chunkID && len(unique) == ulid.Len+chunkDigits {
		n, err := strconv.ParseUint(unique[ulid.Len:], 16, 16)
		return prefix, unique[:ulid.Len], int(n), err == nil && ulid.Is(unique[:ulid.Len])
	}
	known := spaceOf(prefix) != ""
	return prefix, unique, 0, (known || prefix == eventID) && ulid.Is(unique)
}

// IsID reports whether a text has the form of an id of an event, a chunk, a decision, a task or an
// artifact.
func IsID(text string) bool {
	_, _, _, ok := splitID(text)
	return ok
}

// IsChunk reports whether a text has the form of the id of a chunk.
func IsChunk(text string) bool {
	prefix, _, _, ok := splitID(text)
	return ok && prefix == chunkID
}

func isEvent(text string) bool {
	prefix, _, _, ok := splitID(text)
	return ok && prefix == eventID
}

// checkRef refuses what can name nothing.
func checkRef(ref string) error {
	if IsID(ref) {
		return nil
	}
	if _, err := keypath.Parse(ref); err == nil {
		return nil
	}
	return fault.Input(fmt.Sprintf("ref %.80q", ref), "it is no id and no key",
		advice.Say("ids are like evt_01J..., chk_01J..., keys like /kb/go"))
}

func eventKey(session, unique string) (keypath.Key, error) {
	return keypath.Parse(keypath.Events + "/" + session + "/" + eventID + unique)
}

// ChunkID returns the id of a chunk of the event that lies under a key.
func ChunkID(event keypath.Key, number int) string {
	return fmt.Sprintf("%s%s%0*x", chunkID, uniqueOf(event), chunkDigits, number)
}

// IDOf returns the id of a record: the last segment of its key.
func IDOf(key keypath.Key) string {
	text := key.String()
	return text[strings.LastIndexByte(text, '/')+1:]
}

// uniqueOf returns the ULID at the end of a key.
func uniqueOf(key keypath.Key) string {
	text := key.String()
	return text[len(text)-ulid.Len:]
}

// Named is what an id names.
type Named struct {
	Record log.Record
	Text   string // of a chunk; else ""
}

// Resolve returns the record that an id names, if a channel may read it; "" is as for
// mem.Reader.Cleared. The error wraps ErrNotFound.
func (b *Book) Resolve(ctx context.Context, channel, id string) (n Named, err error) {
	r, err := b.Read(ctx, channel, 0)
	if err != nil {
		return n, err
	}
	defer r.Close()
	return r.Resolve(ctx, id)
}

// ChunkQuery asks for a chunk of an event.
type ChunkQuery struct {
	request.Sender
	ID      string `json:"chunk_id" query:"-"`               // of the path
	Channel string `json:"channel,omitempty" enum:"channel"` // "": private
}

// ChunkReply is the text of a chunk of an event.
type ChunkReply struct {
	ID    string      `json:"chunk_id"`
	Event keypath.Key `json:"event"`
	Text  string      `json:"text"`
}

// GetChunk returns a chunk of an event. The error wraps mem.ErrInput or ErrNotFound.
func (b *Book) GetChunk(ctx context.Context, q ChunkQuery) (ChunkReply, error) {
	if !IsChunk(q.ID) {
		return ChunkReply{}, BadInput("id", q.ID, "want one like chk_01J...")
	}
	n, err := b.Resolve(ctx, cmp.Or(q.Channel, "private"), q.ID)
	return ChunkReply{q.ID, n.Record.Key, n.Text}, err
}

// Resolve returns what an id names. The error wraps ErrNotFound.
func (r *Reader) Resolve(ctx context.Context, id string) (n Named, err error) {
	prefix, unique, number, ok := splitID(id)
	if !ok {
		return n, notFound(id)
	}
	if space := spaceOf(prefix); space != "" {
		key, err := keypath.Parse(space + id)
		if err != nil {
			return n, err
		}
		rec, found, err := r.Get(ctx, key)
		return Named{Record: rec}, orNotFound(id, found, err)
	}
	rec, found, err := eventOf(ctx, r.Cleared, unique)
	if err = orNotFound(id, found, err); err != nil || prefix == eventID {
		return Named{Record: rec}, err
	}
	parts, err := r.Chunks(rec)
	if err == nil && number >= len(parts) {
		err = notFound(id)
	}
	if err != nil {
		return n, err
	}
	return Named{rec, parts[number].Text}, nil
}

// orNotFound makes an error of that nothing was found.
func orNotFound(id string, found bool, err error) error {
	if err == nil && !found {
		return notFound(id)
	}
	return err
}

// The stamp of an event is that of its id, earlier by what the clock of its sender is ahead, or
// later by what it waited for the lock, or its sender for the network. An id that is further ahead
// is refused.
const (
	secondsEarly = 60e6
	secondsLate  = 600e6
)

// eventOf looks for an event by its id alone: where its time says, and then everywhere. Of two
// sessions whose senders gave one id, the event that came first has it.
func eventOf(ctx context.Context, view *mem.Cleared, unique string) (log.Record, bool, error) {
	at := log.StampOf(ulid.Time(unique))
	for _, span := range [...][2]log.Stamp{{at - secondsEarly, at + secondsLate},
		{log.MinStamp, log.MaxStamp}} {
		list, err := view.ListBetween(ctx, keypath.Event, span[0], span[1])
		if err != nil {
			return log.Record{}, false, err
		}
		for _, rec := range slices.Backward(list) {
			if uniqueOf(rec.Key) == unique {
				return rec, true, nil
			}
		}
	}
	return log.Record{}, false, nil
}

// KeyOf returns the key of what an id names; of a chunk that of its event. Only of an event it is
// looked whether it is there: the error wraps ErrNotFound.
func (b *Book) KeyOf(ctx context.Context, id string) (keypath.Key, error) {
	prefix, _, _, _ := splitID(id)
	if space := spaceOf(prefix); space != "" {
		return keypath.Parse(space + id)
	}
	n, err := b.Resolve(ctx, "", id)
	return n.Record.Key, err
}

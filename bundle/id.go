package bundle

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/chunk"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/ulid"
)

// What stands before the ULID of an id (B-24).
const (
	eventID    = keypath.EventID
	artifactID = keypath.ArtifactID
	decisionID = "dec_"
	taskID     = "task_"
	chunkID    = "chk_"
	bundleID   = "acb_"
)

// chunkDigits is how many hex digits number the chunks of an event.
const chunkDigits = 3

// spaces are the namespaces of what an id names without more.
var spaces = map[string]string{
	decisionID: "/decision/", taskID: "/task/", artifactID: keypath.Artifacts + "/",
}

// splitID returns the prefix of an id and its ULID; of a chunk also its number.
func splitID(id string) (prefix, unique string, number int, ok bool) {
	at := strings.IndexByte(id, '_') + 1
	prefix, unique = id[:at], id[at:]
	if prefix == chunkID && len(unique) == ulid.Len+chunkDigits {
		n, err := strconv.ParseUint(unique[ulid.Len:], 16, 16)
		return prefix, unique[:ulid.Len], int(n), err == nil && ulid.Is(unique[:ulid.Len])
	}
	_, known := spaces[prefix]
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

// checkRef refuses what can name nothing.
func checkRef(ref string) error {
	if IsID(ref) {
		return nil
	}
	if _, err := keypath.Parse(ref); err == nil {
		return nil
	}
	return &inputError{fmt.Sprintf("ref %.80q", ref), "it is no id and no key",
		"ids are like evt_01J..., chk_01J..., keys like /kb/go"}
}

// eventKey returns the key of an event.
func eventKey(session, unique string) (keypath.Key, error) {
	return keypath.Parse(keypath.Events + "/" + session + "/" + eventID + unique)
}

// chunkOf returns the id of a chunk of an event.
func chunkOf(unique string, number int) string {
	return fmt.Sprintf("%s%s%0*x", chunkID, unique, chunkDigits, number)
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

// Resolve returns what an id names, as a channel may be told of it; "" is as for Reader.Cleared.
// The error wraps ErrNotFound.
func (b *Book) Resolve(ctx context.Context, channel, id string) (n Named, err error) {
	view, err := b.reads.Reader(b.caller).Cleared(ctx, channel)
	if err != nil {
		return n, err
	}
	defer view.Close()
	return b.resolve(ctx, view, id)
}

func (b *Book) resolve(ctx context.Context, view *mem.Cleared, id string) (n Named, err error) {
	prefix, unique, number, ok := splitID(id)
	if !ok {
		return n, notFound(id)
	}
	if space, is := spaces[prefix]; is {
		key, err := keypath.Parse(space + id)
		if err != nil {
			return n, err
		}
		rec, found, err := view.Get(ctx, key)
		return Named{Record: rec}, orNotFound(id, found, err)
	}
	rec, found, err := eventOf(ctx, view, unique)
	if err = orNotFound(id, found, err); err != nil || prefix == eventID {
		return Named{Record: rec}, err
	}
	parts, err := b.chunks(rec)
	if err == nil && number >= len(parts) {
		err = notFound(id)
	}
	if err != nil {
		return n, err
	}
	return Named{rec, parts[number].text}, nil
}

// orNotFound makes an error of that nothing was found.
func orNotFound(id string, found bool, err error) error {
	if err == nil && !found {
		return notFound(id)
	}
	return err
}

// The stamp of an event is that of its id, or later by what it waited for the lock.
const (
	secondsEarly = 1e6
	secondsLate  = 600e6
)

// eventOf looks for an event by its id alone: where its time says, and then everywhere.
func eventOf(ctx context.Context, view *mem.Cleared, unique string) (log.Record, bool, error) {
	at := log.StampOf(ulid.Time(unique))
	for _, span := range [...][2]log.Stamp{{at - secondsEarly, at + secondsLate}, {0, 0}} {
		list, err := view.Between(ctx, keypath.Event, span[0], span[1])
		if err != nil {
			return log.Record{}, false, err
		}
		for _, rec := range list {
			if uniqueOf(rec.Key) == unique {
				return rec, true, nil
			}
		}
	}
	return log.Record{}, false, nil
}

// part is a chunk of a text.
type part struct {
	text   string
	tokens int
}

// split returns the chunks of a text.
func split(version int, text string) ([]part, error) {
	cuts, err := chunk.Split(version, text)
	list := make([]part, len(cuts))
	for i, c := range cuts {
		list[i] = part{text[c.From:c.To], c.Tokens}
	}
	return list, err
}

// KeyOf returns the key of what an id names; of a chunk that of its event. Only of an event it is
// looked whether it is there: the error wraps ErrNotFound.
func (b *Book) KeyOf(ctx context.Context, id string) (keypath.Key, error) {
	prefix, _, _, _ := splitID(id)
	if space, is := spaces[prefix]; is {
		return keypath.Parse(space + id)
	}
	n, err := b.Resolve(ctx, "", id)
	return n.Record.Key, err
}

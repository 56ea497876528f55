package forget

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// verb is the operation of this package.
var verb = policy.Forget

// Delete writes tombstones with a reason; "" for none. Keys without a live memory are missing.
func Delete(ctx context.Context, s *mem.Store, c mem.Caller, keys []keypath.Key, reason string,
	source []byte) (deleted []mem.Outcome, missing []keypath.Key, err error) {
	op, err := s.Begin(c, verb)
	if err != nil {
		return nil, nil, err
	}
	if reason != "" {
		source = withReason(op, source, reason)
	}
	return op.Delete(ctx, "user", keys, source)
}

// withReason returns the source of a tombstone that says why; a nil source stands for the caller.
func withReason(op *mem.Operation, source []byte, reason string) []byte {
	if source == nil {
		source = op.Source("user", "mem forget", "channel", op.Caller().Channel)
	}
	return content.SourceMembers(source).With("reason", jsontext.AppendString(nil, reason)).Object()
}

// Deletion is one deletion in the history.
type Deletion struct {
	Key    string    `json:"key"`
	TS     log.Stamp `json:"ts"`
	Reason string    `json:"reason,omitempty"` // as given, or what deleted it
	Purged bool      `json:"purged,omitempty"` // its versions are gone for good
	Live   bool      `json:"live,omitempty"`   // it was written again since
	Layer  string    `json:"layer,omitempty"`
}

// Deletions returns the newest deletion of each key that has one, newest first; to a person also
// what they deleted of what agents keep, with the key, the time and the reason alone.
func Deletions(ctx context.Context, s *mem.Store, c mem.Caller) ([]Deletion, error) {
	newest := map[keypath.Key]Deletion{}
	written := map[keypath.Key]log.Stamp{}
	err := s.Everything(ctx, func(rec log.Record) error {
		switch {
		case !shows(c, rec):
		case rec.Valid():
			written[rec.Key] = max(written[rec.Key], rec.TS)
		case rec.TS > newest[rec.Key].TS:
			newest[rec.Key] = deletionOf(rec)
		}
		return nil
	})
	var list []Deletion
	for key, d := range newest {
		d.Live = written[key] > d.TS
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b Deletion) int {
		return cmp.Or(cmp.Compare(b.TS, a.TS), strings.Compare(a.Key, b.Key))
	})
	return list, err
}

// shows reports whether the list has a record: if its caller may see the key, or may delete agents'
// private memories, as a person may. To the latter it does not show the deletion that a move to
// another layer leaves.
func shows(c mem.Caller, rec log.Record) bool {
	if policy.Visible(c, rec.Key) {
		return true
	}
	private := rec.Key.Class() == keypath.Private && policy.Reaches(c, verb, rec.Key)
	return private && (rec.Valid() || !content.LeftByMove(rec.Source))
}

func deletionOf(rec log.Record) Deletion {
	d := Deletion{Key: rec.Key.String(), TS: rec.TS, Reason: mem.SourceSummary(rec.Source)}
	for name, value := range jsontext.Members(rec.Source) {
		switch name {
		case "reason":
			d.Reason = jsontext.Unquote(value)
		case "purged":
			d.Purged = string(value) == "true"
		}
	}
	d.Reason = mem.MaskSecrets(d.Reason)
	return d
}

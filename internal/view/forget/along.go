package forget

import (
	"bytes"
	"context"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// along is the artifacts that events which go have made for themselves: each has the whole of a
// text of which the event has the beginning, and goes with it.
type along map[keypath.Key]string // the id of the event

// note notes the artifact of an event that goes.
func (a along) note(rec log.Record) {
	if rec.Key.Class() != keypath.Event || !bytes.Contains(rec.Content, []byte(`"artifact_id":`)) {
		return
	}
	about := jsontext.ParseMembers(jsontext.ParseMembers(rec.Content).Get("content"))
	id := jsontext.Unquote(about.Get("artifact_id"))
	if key, err := keypath.Parse(keypath.Artifacts + "/" + id); err == nil {
		event := rec.Key.String()
		a[key] = event[strings.LastIndexByte(event, '/')+1:]
	}
}

// add adds to what goes the artifacts that name nothing but their event.
func (a along) add(ctx context.Context, s *mem.Store, matches map[keypath.Key]*Match) error {
	if len(a) == 0 {
		return nil
	}
	return s.Everything(ctx, func(rec log.Record) error {
		event, noted := a[rec.Key]
		if !noted || matches[rec.Key] != nil || !rec.Valid() {
			return nil
		}
		refs := jsontext.ParseMembers(rec.Content).Get("refs")
		if string(refs) == string(jsontext.AppendStrings(nil, []string{event})) {
			m := matchOf(rec)
			matches[rec.Key] = &m
		}
		return nil
	})
}

package edit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// MergeOptions are how memories are merged.
type MergeOptions struct {
	DryRun bool // only return what would be written
	Author
}

// Merged is what a merge did.
type Merged struct {
	mem.Outcome
	Merged []keypath.Key `json:"merged"` // the keys that got a tombstone
	// Content is what the key has now; with MergeOptions.DryRun, what it would have.
	Content []byte `json:"-"`
}

// Merge makes one memory of several, under the key into, which may be new; the other keys get
// tombstones in the same update, and what they have superseded names it. Of each member the one of
// the latest memory counts, but for these: tags and references are those of all, importance is the
// greatest, text is the lines of all, each once, the oldest first; created_at is the oldest time,
// in place of a timestamp; superseded_by goes. Expired memories are not merged. The error is a
// *mem.NotFoundError, wraps ErrNoObject where content is no object, or is as that of mem.Store.Set.
func Merge(ctx context.Context, s *mem.Store, c mem.Caller, keys []keypath.Key, into keypath.Key,
	o MergeOptions) (done Merged, err error) {
	done.Key, done.Merged = into, []keypath.Key{}
	j, err := begin(ctx, s, c, policy.Merge, o.Author)
	if err != nil {
		return done, err
	}
	parts, target, err := j.parts(keys, into)
	if err != nil {
		return done, err
	}
	done.Content = join(parts)
	for _, p := range parts {
		if p.rec.Key != into {
			done.Merged = append(done.Merged, p.rec.Key)
		}
	}
	list, err := j.merging(parts, target, into, done.Content)
	if err != nil || o.DryRun {
		return done, err
	}
	others, err := j.repointed(succeededBy(into, done.Merged...))
	if err != nil {
		return done, err
	}
	written, err := j.put(append(list, others...)...)
	if len(written) > 0 {
		done.Outcome = written[0]
	}
	return done, err
}

// part is one of the memories that are merged.
type part struct {
	rec     log.Record
	fields  content.Fields
	time    log.Stamp
	members members
}

// parts returns the memories that are merged, the oldest first, and what into holds, which is one
// of them where it is live.
func (j *job) parts(keys []keypath.Key, into keypath.Key) (
	list []part, target log.Record, err error) {
	if err := MayEdit(into); err != nil {
		return nil, target, err
	}
	target, err = j.store.Get(j.ctx, j.caller, into, false)
	switch {
	case err == nil:
		target = target.Clone()
		keys = append([]keypath.Key{into}, keys...)
	case errors.Is(err, mem.ErrNotFound):
		// An expired memory under the target key is replaced, and its text is not merged.
		if target, err = j.get(into); err != nil && !errors.Is(err, mem.ErrNotFound) {
			return nil, target, err
		}
	default:
		return nil, target, err
	}
	for i, key := range keys {
		if slices.Contains(keys[:i], key) {
			continue
		}
		p, err := j.part(key)
		if err != nil {
			return nil, target, err
		}
		list = append(list, p)
	}
	if len(list) == 1 && list[0].rec.Key == into {
		return nil, target, &Error{into, ErrSame}
	}
	slices.SortStableFunc(list, func(a, b part) int {
		return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(a.rec.TS, b.rec.TS))
	})
	return list, target, nil
}

func (j *job) part(key keypath.Key) (p part, err error) {
	if p.rec, err = j.get(key); err != nil {
		return p, err
	}
	p.fields = content.Parse(p.rec.Content)
	if p.fields.Expired(j.op.Now()) {
		return p, &mem.NotFoundError{Key: key}
	}
	p.time = p.fields.Time(p.rec.TS)
	p.members, err = membersOf(key, p.rec.Content)
	return p, err
}

func (j *job) merging(parts []part, target log.Record, into keypath.Key, text []byte) (
	list []change, err error) {
	var keys, origins []string
	for _, p := range parts {
		// What may not go there by itself gets there in no company either: a merge makes a source
		// of its own, which would hide that a part is not traceable.
		if _, err := j.check(log.Record{Envelope: log.Envelope{Key: into}}, text,
			p.rec.Source); err != nil {
			return nil, fmt.Errorf("%s: %w", p.rec.Key.Shown(), err)
		}
		keys = append(keys, p.rec.Key.String())
		origins = append(origins, content.Origin(p.rec.Source))
	}
	var locator jsontext.Object
	locator.Raw("keys", jsontext.AppendStrings(nil, keys))
	source := j.author.newSource(j.op, j.verb, locator.Bytes(), origins...)
	one, err := j.check(log.Record{Envelope: log.Envelope{Key: into}}, text, source)
	if err != nil {
		return nil, err
	}
	one.was = target
	for _, p := range parts {
		one = j.claimed(one, p.rec)
	}
	list = append(list, one)
	for _, p := range parts {
		if p.rec.Key == into {
			continue
		}
		gone, err := j.tombstone(p.rec, "into", into.String())
		if err != nil {
			return nil, err
		}
		list = append(list, gone)
	}
	return list, nil
}

// join returns the content of several memories, the oldest first, as one.
func join(parts []part) []byte {
	var all members
	for _, p := range parts {
		for _, m := range p.members {
			all = all.With(m.Name, m.Value)
		}
	}
	all = all.DropName("superseded_by")
	for _, name := range []string{"tags", "references"} {
		if list := united(parts, name); list != nil {
			all = all.With(name, list)
		}
	}
	if text := texts(parts); text != "" {
		all = all.With("text", jsontext.AppendString(nil, text))
	}
	if value := greatest(parts); value != nil {
		all = all.With("importance", value)
	}
	created := jsontext.AppendString(nil, parts[0].time.String())
	return all.DropName("timestamp").With("created_at", created).Object()
}

// united returns the elements of all lists of a name, each once; nil where one of them is no list.
func united(parts []part, name string) []byte {
	var values [][]byte
	for _, p := range parts {
		list := p.members.Get(name)
		if list != nil && list[0] != '[' {
			return nil
		}
		for value := range jsontext.Elements(list) {
			same := func(have []byte) bool { return jsontext.Equal(have, value) }
			if !slices.ContainsFunc(values, same) {
				values = append(values, value)
			}
		}
	}
	if len(values) == 0 {
		return nil
	}
	return listOf(values)
}

// texts returns the texts of the memories, each once; "" where one of them is no text.
func texts(parts []part) string {
	var all []string
	for _, p := range parts {
		if given := p.members.Get("text"); given != nil && given[0] != '"' {
			return ""
		}
		if text := p.fields.Text; text != "" && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return strings.Join(all, "\n")
}

// greatest returns the greatest importance that a memory names, as it is written; nil for none.
func greatest(parts []part) (value []byte) {
	most := -1.0
	for _, p := range parts {
		given := p.members.Get("importance")
		if given != nil && p.fields.Importance > most {
			most, value = p.fields.Importance, given
		}
	}
	return value
}

package audit

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// How many values a predicate may have that is not taken for a list.
const (
	maxValues      = 3
	maxLooseValues = 2
)

// claims are the statements of memories, by folder and predicate.
type claims struct{ list map[sum][]claim }

// claim is a memory that states a value.
type claim struct {
	version
	value sum
	shown string // the beginning of the value
	many  bool   // the predicate often has several values
}

// statement is what a memory states: predicate is the same bytes for the same predicate.
type statement struct {
	predicate, value string
	many             bool // it often has several values at a time
}

func newClaims() *claims { return &claims{map[sum][]claim{}} }

func (c *claims) add(rec log.Record, f content.Fields) {
	if isDated(rec.Key) {
		return
	}
	said, ok := stated(rec.Content, &f)
	if !ok {
		return
	}
	id := []byte(parent(rec.Key))
	id = jsontext.AppendString(id, strings.ToLower(f.Type))
	id = append(id, said.predicate...)
	shown := mem.Shown(readout.Flatten(said.value, readout.MaxShort))
	where := sumOf(id)
	c.list[where] = append(c.list[where],
		claim{versionOf(rec, f), sumOf([]byte(said.value)), shown, said.many})
}

// date is made for whoever asks, as every command would compile it.
var date = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(19|20)\d\d[-_.]?[01]\d[-_.]?[0-3]\d`)
})

// isDated reports whether the last segment of a key names a day.
func isDated(key keypath.Key) bool {
	text := key.String()
	return date().MatchString(text[strings.LastIndexByte(text, '/'):])
}

func parent(key keypath.Key) string {
	text := key.String()
	return text[:strings.LastIndexByte(text, '/')+1]
}

func (c *claims) findings() (found []Finding) {
	for _, list := range c.list {
		if isList(list) {
			continue
		}
		slices.SortFunc(list, func(a, b claim) int { return a.compare(b.version) })
		newest := list[len(list)-1]
		for _, old := range list {
			if old.value != newest.value {
				found = append(found, contradiction(old, newest))
			}
		}
	}
	return found
}

// isList reports whether a predicate has more values than what changes over time would leave.
func isList(list []claim) bool {
	seen := map[sum]bool{}
	for _, one := range list {
		seen[one.value] = true
	}
	if list[0].many {
		return len(seen) > maxLooseValues
	}
	return len(seen) > maxValues
}

func contradiction(old, newest claim) Finding {
	fix := one("supersede", name(old.key), name(newest.key))
	if !old.object {
		fix = one("rm", name(old.key))
	}
	return Finding{Check: Contradictions, Key: old.key, Others: []keypath.Key{newest.key},
		Detail: fmt.Sprintf("says %s, the newer one %s", old.shown, newest.shown), Fix: fix}
}

// stated returns what content states.
func stated(text []byte, f *content.Fields) (said statement, ok bool) {
	if said, ok = statedByMembers(text); ok {
		return said, ok
	}
	sentence := f.Summary
	for _, other := range []string{f.Text, jsontext.Unquote(text)} {
		if strings.TrimSpace(sentence) == "" {
			sentence = other
		}
	}
	said, ok = parseSentence(sentence)
	said.predicate += string(others(text, append([]string{"expired_at"}, kept...)))
	return said, ok
}

// scheme is the members that name a predicate, and the one that has its value.
type scheme struct {
	names []string
	value string
}

var schemes = []scheme{
	{[]string{"subject", "predicate"}, "object"},
	{[]string{"subject", "predicate"}, "value"},
	{[]string{"key"}, "value"},
	{[]string{"name"}, "value"},
}

// statedByMembers returns what an object states by its members.
func statedByMembers(object []byte) (said statement, ok bool) {
	have := membersOf(object)
	for _, s := range schemes {
		names, whole := s.predicate(have)
		value := have[s.value]
		if !whole || value == nil || string(value) == "null" {
			continue
		}
		without := slices.Concat(kept, s.names, []string{s.value, "expired_at"})
		names = append(names, others(object, without)...)
		return statement{predicate: string(names), value: valueText(value)}, true
	}
	return said, false
}

// predicate returns the texts of the members that name one; ok is false where one has none.
func (s scheme) predicate(have map[string][]byte) (names []byte, ok bool) {
	names = jsontext.AppendStrings([]byte("members "), s.names)
	for _, name := range s.names {
		text := plain(jsontext.Unquote(have[name]))
		if text == "" {
			return nil, false
		}
		names = jsontext.AppendString(names, text)
	}
	return names, true
}

// valueText returns the value of a member as it is compared.
func valueText(value []byte) string {
	if value[0] == '"' {
		return plain(jsontext.Unquote(value))
	}
	return string(canonical(nil, value))
}

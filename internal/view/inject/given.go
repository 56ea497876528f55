package inject

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// memory identifies a memory in all its versions. A key of the user's store that a key of the
// project shadows later is another memory.
type memory struct{ layer, key string }

func (m Injected) memory() memory { return memory{m.Layer, m.Key} }

// delivery is the version of a memory that a conversation was given.
type delivery struct {
	ts      log.Stamp
	text    string // as Injected.Text
	atStart bool
}

// given holds the memories in the context of a conversation, injected or its own.
type given struct {
	options  *Options
	versions map[memory]delivery
	key      []byte          // of the sums in the record; nil: none can be kept
	whole    log.Stamp       // when it last lost its context; later writes are in the context
	met      bool            // it is in the record
	missed   bool            // the newest injection of its start was not delivered, or in part
	started  log.Stamp       // of its last start, which is in the context; 0: it has none
	noted    map[string]bool // keys that an edit's record names as given before
}

func newGiven(o *Options) *given {
	return &given{options: o, versions: map[memory]delivery{}, noted: map[string]bool{}}
}

// givenTo returns what a conversation still has from earlier, by a readable record.
func givenTo(s *mem.Store, o *Options) *given {
	g := newGiven(o)
	if o.Conversation != "" && !o.Unrecorded {
		g.key = s.Journal(injectionsFile).Key()
	}
	eachOf(s, &Injection{Client: o.Client, Conversation: o.Conversation, SubAgent: o.SubAgent,
		Agent: o.Agent}, g.add)
	if o.Away && o.Conversation != "" && !g.met {
		g.missed = true
	}
	g.lose(o.Retained, log.MaxStamp)
	if o.before != nil {
		g.add(*o.before)
	}
	return g
}

// eachOf calls fn with the recorded injections of the conversation of one, or of its sub-agent,
// oldest first.
func eachOf(s *mem.Store, of *Injection, fn func(Injection)) {
	// Searched as it is in a line, so that the lines of other conversations are not parsed.
	id, err := plainJSON(of.Conversation)
	if err != nil || of.Conversation == "" {
		return
	}
	_ = eachRecord(s, id, func(in Injection) {
		// A sub-agent has a context of its own, under the id of the conversation.
		own := in.SubAgent == of.SubAgent && (of.SubAgent != "" || in.Trigger != AtSubagent) &&
			in.Agent == of.Agent
		if in.Conversation == of.Conversation && in.Client == of.Client && own {
			fn(in)
		}
	})
}

// add adds the memories of an injection, after it removes those that were lost by then.
func (g *given) add(in Injection) {
	g.met = true
	if in.Trigger == AtStart {
		g.missed = in.Missed != ""
	}
	g.lose(in.Retained, in.At)
	if in.Retained == RetainedUnknown {
		return
	}
	if in.Trigger == AtStart && in.Missed == "" {
		g.started = in.At
	}
	for _, m := range in.Memories {
		g.versions[m.memory()] = delivery{m.TS, m.Text, in.Trigger == AtStart}
	}
	for _, l := range in.Left {
		if in.Trigger == AtEdit && l.Why == skippedGiven {
			g.noted[l.Key] = true
		}
	}
	if in.Own != nil {
		g.versions[in.Own.memory()] = delivery{ts: in.Own.TS, atStart: in.Trigger == AtStart}
	}
}

// lose removes the memories that a conversation did not retain.
func (g *given) lose(r Retained, at log.Stamp) {
	switch r {
	case RetainedNothing, RetainedUnknown:
		clear(g.versions)
		clear(g.noted)
		g.whole, g.started = at, 0
	case RetainedPrompts:
		maps.DeleteFunc(g.versions, func(_ memory, d delivery) bool { return d.atStart })
		g.started = 0
	}
}

func (g *given) hasVersion(m Injected) bool {
	d, ok := g.versions[m.memory()]
	return ok && d.ts == m.TS
}

// hasText reports whether the text of a memory was injected in any version: of the memory itself,
// of another memory of its key or, for a note, of any memory that still has that text and is not
// replaced. get returns the newest version of a memory.
func (g *given) hasText(rec log.Record, get func(memory) (log.Record, bool)) bool {
	if len(g.versions) == 0 {
		return false
	}
	m, text := memory{rec.Layer, rec.Key.String()}, g.sumsOf(textOf(rec))
	if d, told := g.versions[m]; told || text == (sums{}) {
		return told && text.has(d.text) // last injected in other words: these words are new again
	}
	_, _, isNote := note.Split(rec.Key)
	for other, d := range g.versions {
		switch {
		case !text.has(d.text), other.key != m.key && !isNote:
			continue
		case other.key == m.key:
			return true
		}
		is, found := get(other)
		if found && content.Successor(is.Content) == "" && g.sumsOf(textOf(is)) == text {
			return true
		}
	}
	return false
}

// wrote reports whether the conversation itself wrote or renewed a memory since it last lost its
// context.
func (g *given) wrote(rec log.Record) bool {
	if g.options.Conversation == "" {
		return false
	}
	first, by := note.Renewal(rec)
	return first > g.whole && g.options.saidIn(rec.Source) ||
		rec.TS > g.whole && by != nil && g.options.saidIn(by)
}

// sums are short hashes of the text on a line, which the record has in place of texts.
type sums struct {
	keyed string // as it is recorded: a guessed text cannot be confirmed without the key
	plain string // as older records have it
}

// sumsOf returns none for no text, or where no key can be kept.
func (g *given) sumsOf(text string) sums {
	if text == "" || g.key == nil {
		return sums{}
	}
	words := []byte(content.FoldText(text))
	plain, keyed := sha256.Sum256(words), hmac.New(sha256.New, g.key)
	keyed.Write(words)
	return sums{hex.EncodeToString(keyed.Sum(nil)[:8]), hex.EncodeToString(plain[:6])}
}

func (s sums) has(recorded string) bool {
	return recorded != "" && (recorded == s.keyed || recorded == s.plain)
}

func textOf(rec log.Record) string {
	return readout.Short(rec.Content, content.Parse(rec.Content))
}

// saidIn reports whether a source says that the text is from this conversation.
func (o *Options) saidIn(source []byte) bool {
	return o.wrote(source, "agent") || o.wrote(source, "user")
}

// wrote reports whether a source of a kind names this conversation: that of every write from within
// it is an agent (hook.Source), that of a note from one of its prompts the user (package intake).
func (o *Options) wrote(source []byte, kind string) bool {
	if o.Conversation == "" || !bytes.Contains(source, []byte(`"session"`)) {
		return false
	}
	var from struct {
		Kind, Name string
		Locator    struct{ Session string }
	}
	return json.Unmarshal(source, &from) == nil && from.Kind == kind && from.Name == o.Client &&
		from.Locator.Session == o.Conversation
}

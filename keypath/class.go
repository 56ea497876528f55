package keypath

import (
	"slices"
	"strings"
)

// Class is the kind of namespace of a key, as far as it decides which callers may see the key. The
// ranking columns keep it of every row, so its values are kept forever. The callers that may see a
// class are package policy's to say.
type Class uint8

// The classes.
const (
	Open        Class = iota // no namespace with a rule of its own
	Quarantined              // /untrusted: written without a word on where it is from
	Personal                 // a person's own, whatever the project; see PersonalPrefixes
	Session                  // /note/session: notes for the conversation that wrote them
	Private                  // /agent/<id>/journal/<ulid> and .../core/<ulid>: that agent's alone
	Remembered               // /session/<id>/mem_<ulid>: a memory of a conversation
	SessionInfo              // /session/<id>: the record of the conversation itself
	Event                    // /event/<session>/evt_<ulid>: what happened, append-only
	Artifact                 // /artifact/art_<ulid>: the record of a kept file, append-only
	Handoff                  // /handoff/<session>/<agent>: a message from one agent to another
	File                     // /memories and below: the files of a model's memory tool

	classes // how many there are
)

// Edition is a letter for the table of classes. Both sidecars keep the class of each row, and have
// it in their magic: with a new class the next compaction writes them anew.
const Edition = string(rune('a' + classes - 1))

// Mirrored reports whether the keys of a class have files in index/: there may be millions of
// events and artifacts, and no person browses them one by one.
func (c Class) Mirrored() bool { return c != Event && c != Artifact }

// Untrusted is the namespace of writes without a source.
const Untrusted = "/untrusted"

// Notes is the namespace of the notes, and SessionNotes that of the notes for one conversation.
const (
	Notes        = "/note"
	SessionNotes = "/note/session"
)

// personal holds the namespaces of a person's own memories.
var personal = [...]string{"/user", "/agent", "/rules/user", "/rules/org", "/note/user"}

// PersonalPrefixes returns the namespaces of a person's own memories: their preferences, agents,
// rules and notes, which hold in every project.
func PersonalPrefixes() []string { return slices.Clone(personal[:]) }

// Sessions is the namespace of the memories of conversations.
const Sessions = "/session"

// AgentPrefix is the namespace of the agents.
const AgentPrefix = "/agent"

// The namespaces of what happened, of kept files, of what agents hand over to each other, and of
// the files of a model's memory tool.
const (
	Events    = "/event"
	Artifacts = "/artifact"
	Handoffs  = "/handoff"
	Files     = "/memories"
)

// What stands before the ULID in the last segment of a key.
const (
	EventID    = "evt_"
	ArtifactID = "art_"
)

// IsOpenToAll reports whether a class is shown to all callers, in every answer. A class that this
// build does not know is not.
func (c Class) IsOpenToAll() bool { return c == Open || c == Personal || c == Session }

// Realm decides which callers see a memory: the class of its key, the owner in a class where every
// key has one, and the label of the memory itself.
type Realm struct {
	Class Class
	Owner string // the id of the agent, as the key spells it; "" where the class has no owners
	Label Label
}

// Label holds the members of a memory that limit its audience, in a few bits; 0: none. Package
// content reads it (content.RealmOf). The sidecars keep it of every row, so its values are kept
// forever.
type Label uint8

// Realm returns the realm of a key, without a label.
func (k Key) Realm() Realm { return RealmOf(k.s) }

// RealmOf is [Key.Realm] for the text of a key.
func RealmOf(key string) Realm {
	r := Realm{Class: ClassOf(key)}
	if r.Class == Quarantined {
		key = strings.TrimPrefix(key, Untrusted) // what waits there is as much its agent's
	}
	if r.Class == Private || r.Class == Quarantined && isAgentsOwn(key) {
		r.Owner, _, _ = strings.Cut(key[len(AgentPrefix)+1:], "/")
	}
	return r
}

// Class returns the class of a key.
func (k Key) Class() Class { return ClassOf(k.s) }

// ClassOf is [Key.Class] for the text of a key.
func ClassOf(key string) Class {
	if isWithin(key, Untrusted) {
		return Quarantined
	}
	if isWithin(key, SessionNotes) {
		return Session
	}
	if isTold(key) {
		return Remembered
	}
	if isAgentsOwn(key) {
		return Private
	}
	if isSessionInfo(key) {
		return SessionInfo
	}
	if c := bundleClass(key); c != Open {
		return c
	}
	for _, prefix := range &personal {
		if isWithin(key, prefix) {
			return Personal
		}
	}
	return Open
}

// isAgentsOwn reports whether a key is that of an entry of an agent's journal or core:
// /agent/<id>/journal/<ulid> or /agent/<id>/core/<ulid>, and nothing below.
func isAgentsOwn(key string) bool {
	rest, inside := strings.CutPrefix(key, AgentPrefix+"/")
	if !inside || len(rest) < ulidLen {
		return false
	}
	_, room, _ := strings.Cut(rest, "/")
	kind, id, _ := strings.Cut(room, "/")
	return (kind == "journal" || kind == "core") && isULID(id)
}

// bundleClass returns the class of a key that a bundle of context is built from; Open for
// any other.
func bundleClass(key string) Class {
	switch name, rest, _ := strings.Cut(strings.TrimPrefix(key, "/"), "/"); "/" + name {
	case Events:
		session, id, _ := strings.Cut(rest, "/")
		if isEventRoom(session) && hasULID(id, EventID) {
			return Event
		}
	case Artifacts:
		if hasULID(rest, ArtifactID) {
			return Artifact
		}
	case Handoffs:
		session, agent, _ := strings.Cut(rest, "/")
		if isEventRoom(session) && agent != "" && !strings.Contains(agent, "/") {
			return Handoff
		}
	case Files:
		return File
	}
	return Open
}

func hasULID(name, prefix string) bool {
	id, is := strings.CutPrefix(name, prefix)
	return is && isULID(id)
}

// isTold reports whether a key is that of a memory of a conversation: /session/<id>/mem_<ulid>, and
// nothing below.
func isTold(key string) bool {
	rest, inside := strings.CutPrefix(key, Sessions+"/")
	if !inside || len(rest) < ulidLen {
		return false
	}
	_, name, _ := strings.Cut(rest, "/")
	return hasULID(name, "mem_")
}

// isSessionInfo reports whether a key is that of a conversation itself: /session/<id>.
func isSessionInfo(key string) bool {
	id, inside := strings.CutPrefix(key, Sessions+"/")
	return inside && IsSessionID(id)
}

// SizedBelow returns the prefix of which a size is kept and below which, strictly, the key lies:
// /session/<id>. ok is false for a key that no such size counts.
func (k Key) SizedBelow() (p Prefix, ok bool) {
	rest, inside := strings.CutPrefix(k.s, Sessions+"/")
	id, below, _ := strings.Cut(rest, "/")
	if !inside || below == "" || !IsSessionID(id) {
		return Prefix{}, false
	}
	return Prefix{Key{k.s[:len(k.s)-len(below)-1]}}, true
}

// Sized reports whether a size is kept of the keys strictly below a prefix; see [Key.SizedBelow].
func (p Prefix) Sized() bool { return isSessionInfo(p.root.s) }

// MaxSessionID is how long the id of a conversation may be, in bytes.
const MaxSessionID = 64

// IsSessionID reports whether a text is spelled as the id of a conversation: letters of ASCII,
// digits and underscores, at most MaxSessionID.
func IsSessionID(text string) bool {
	if text == "" || len(text) > MaxSessionID {
		return false
	}
	for _, c := range []byte(text) {
		if c|0x20 < 'a' || c|0x20 > 'z' {
			if (c < '0' || c > '9') && c != '_' {
				return false
			}
		}
	}
	return true
}

// MaxEventSession is how long the id of a session of events may be, in bytes.
const MaxEventSession = 200

// IsEventSession reports whether a text may be the id of a session of events and handoffs: one
// segment of a key, in its normal form, of at most MaxEventSession bytes.
func IsEventSession(text string) bool {
	if IsSessionID(text) {
		return true
	}
	if text == "" || len(text) > MaxEventSession || strings.Contains(text, "/") {
		return false
	}
	key, err := Parse("/" + text)
	return err == nil && key.s == "/"+text
}

// isEventRoom is IsEventSession for a segment of a key.
func isEventRoom(segment string) bool {
	return segment != "" && len(segment) <= MaxEventSession
}

const ulidLen = 26

// isULID reports whether a text is 26 characters of Crockford's base 32, which has no I, L, O and
// U. Case does not count: another spelling is no less private.
func isULID(text string) bool {
	if len(text) != ulidLen {
		return false
	}
	for i := range len(text) {
		switch c := text[i] | 0x20; {
		case text[i] >= '0' && text[i] <= '9':
		case c < 'a' || c > 'z' || c == 'i' || c == 'l' || c == 'o' || c == 'u':
			return false
		}
	}
	return true
}

// isWithin reports whether a key is that of a namespace, or below it.
func isWithin(key, namespace string) bool {
	rest, inside := strings.CutPrefix(key, namespace)
	return inside && (rest == "" || rest[0] == '/')
}

// Untrusted reports whether the key is quarantined.
func (k Key) Untrusted() bool { return k.Class() == Quarantined }

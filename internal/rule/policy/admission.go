package policy

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// Belief is a store as far as its records are believed. The zero Belief is a store that the caller
// named: all of it is admitted, and the user's own words in it may be rules.
type Belief struct {
	// Repository: the store lies inside a repository, so anybody with a hand in that wrote it.
	Repository bool
	// NoRules: the store holds no rules of the user, whatever its records claim.
	NoRules bool
	// Known reports whether a line was written by this person's mem, or was listed when the store
	// was trusted; nil: every line is known.
	Known func(log.Record) bool
}

// Admits reports whether a model may receive a record that it did not ask for.
func (b Belief) Admits(rec log.Record) bool { return b.Known == nil || b.Known(rec) }

// Standing decides how far a record binds a model of an agent; "" for none. Every text that a model
// receives unasked takes its headings from here, and every write that changes a rule asks here:
//
//   - a rule of the user: the record claims to be one, a person vouches for it, and its store may
//     hold rules;
//   - a fact of a repository: all that lies in a store inside one;
//   - withheld: the identity of another agent;
//   - a fact from the user's own prompts: a hook of this person has quoted it ([QuotesPrompt]),
//     nobody else vouches for the line, and its store may hold rules;
//   - a fact: everything else.
func (b Belief) Standing(it *readout.Item, agent string) readout.Standing {
	switch owner := IdentityOf(it.Key); {
	case owner != "" && owner != agent:
		return readout.Withheld
	case b.Repository:
		return readout.RepositoryFact
	case !b.NoRules && ClaimsRule(it) && content.Claim(it.Source) == "":
		return readout.Rule
	case !b.NoRules && QuotesPrompt(it.Source) && content.Claim(it.Source) == "":
		return readout.Prompted
	}
	return readout.Fact
}

// QuotesPrompt reports whether a source says that its text is a quote of what the user typed, as
// that of a hook does (package intake). No client may claim it: its kind is user ([CheckSource]).
func QuotesPrompt(source []byte) bool {
	if !bytes.Contains(source, []byte(`"prompt"`)) {
		return false
	}
	channel := content.Member(content.Member(source, "locator"), "channel")
	return content.Origin(source) == "user" && jsontext.Unquote(channel) == PromptChannel
}

// PromptChannel is the channel that a source which quotes a prompt names in its locator.
const PromptChannel = "prompt"

// Describes reports whether a record is an agent's identity by the agent or a person.
func (b Belief) Describes(it *readout.Item, agent string) bool {
	claim := content.Claim(it.Source)
	return agent != "" && IdentityOf(it.Key) == agent && !b.Repository && !b.NoRules &&
		content.IsOwn(it.Source) && (claim == "" || isClients(claim))
}

// ClaimsRule reports whether a record claims to be a rule, and its source is a person's. A pin of a
// person, and below /rules ([Ground.Admit]) the source of an agent, suffices.
func ClaimsRule(it *readout.Item) bool {
	if strings.HasPrefix(it.Key, RulesPrefix+"/") {
		return content.IsOwn(it.Source)
	}
	f := it.Fields
	if by := content.Member(it.Source, pinnedBy); f.Pinned && by != nil {
		if string(by) == pinnedByUser {
			return content.IsOwn(it.Source)
		}
		f.Pinned = false
	}
	return (f.IsRule() || IdentityOf(it.Key) != "") && isPersonal(it.Source)
}

// IsRuleOfFile reports whether a record has the key of a rule and the source of no person or agent,
// as an imported text has: it is a fact until a person approves it.
func IsRuleOfFile(it *readout.Item) bool {
	return strings.HasPrefix(it.Key, RulesPrefix+"/") && !content.IsOwn(it.Source)
}

func isClients(claim string) bool {
	return claim == content.FromClient || strings.HasPrefix(claim, content.FromClient+" ")
}

// IdentityOf returns the agent of the key /agent/<agent>/identity; "" for any other key.
func IdentityOf(key string) string {
	rest, ofAgent := strings.CutPrefix(key, keypath.AgentPrefix+"/")
	agent, is := strings.CutSuffix(rest, "/identity")
	if !ofAgent || !is || strings.Contains(agent, "/") {
		return ""
	}
	return agent
}

// RulesOf returns the prefixes below which records are rules by their keys, for a caller.
func RulesOf(c backend.Caller) (list []keypath.Prefix) {
	for _, name := range []string{RulesPrefix, keypath.AgentPrefix + "/" + c.Agent} {
		if p, err := keypath.ParsePrefix(name); err == nil && p.String() == name {
			list = append(list, p)
		}
	}
	return list
}

// DescribesOther reports whether a key holds the identity of another agent than the caller.
func DescribesOther(c backend.Caller, key keypath.Key) bool {
	of := IdentityOf(key.String())
	return of != "" && of != c.Agent
}

// pinnedBy is the member of a source that says whose pin a memory has, where that is not its
// writer: pinnedByUser, or the agent.
const (
	pinnedBy     = "pinned_by"
	pinnedByUser = `"user"`
)

// MayNamePinner reports whether a source may have the member that says whose pin a memory has: else
// the standing of what claims to be a rule does not depend on how it claims that.
func MayNamePinner(source []byte) bool {
	return bytes.Contains(source, []byte(pinnedBy)) || bytes.IndexByte(source, '\\') >= 0
}

// PinsAsPerson reports whether a pin by this caller is a person's; by is as in [PinSource].
func PinsAsPerson(c backend.Caller, by []byte) bool { return by == nil && IsPerson(c) }

// PinSource returns the source of a memory that a caller pins: by is the source of the agent; if it
// is nil, the caller alone decides in whose name the pin is set.
func PinSource(c backend.Caller, by, source []byte) []byte {
	if len(source) == 0 || source[0] != '{' {
		return source
	}
	m := slices.DeleteFunc(jsontext.ParseMembers(source), func(m jsontext.Member) bool {
		return content.FoldName(m.Name) == content.FoldName(pinnedBy)
	})
	switch {
	case PinsAsPerson(c, by):
		m = m.With(pinnedBy, []byte(pinnedByUser))
	case !isPersonal(source):
	case by != nil:
		m = m.With(pinnedBy, by)
	default:
		m = m.With(pinnedBy, jsontext.AppendString(nil, cmp.Or(c.Client, c.Agent)))
	}
	return m.Object()
}

// IsPinOfPerson reports whether a pin beside this source is a person's.
func IsPinOfPerson(source []byte) bool {
	by := content.Member(source, pinnedBy)
	return string(by) == pinnedByUser || by == nil && isPersonal(source)
}

// isPersonal reports whether a source may be a person's: its kind is user, which no client may
// claim ([CheckSource]), or it names none.
func isPersonal(source []byte) bool {
	kind := content.Origin(source)
	return kind == "user" || kind == ""
}

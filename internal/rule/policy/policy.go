package policy

import (
	"errors"
	"fmt"
	"strings"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Limits in bytes.
const (
	MaxContent   = 1 << 20
	MaxSource    = 64 << 10
	MaxBatchLine = 2 << 20
)

var (
	// ErrTooLarge is wrapped when content, source or a batch line passes its limit.
	ErrTooLarge = errors.New("too large")
	// ErrLongNote is wrapped when the text of a note passes its limit; it is an ErrTooLarge.
	ErrLongNote = fmt.Errorf("%w", ErrTooLarge)
	// ErrReserved is wrapped by *ReservedError.
	ErrReserved = errors.New("reserved")
	// ErrProvenance is wrapped by *ProvenanceError.
	ErrProvenance = errors.New("provenance")
)

// Rules is what may differ between stores.
type Rules struct {
	// Knowledge holds the namespaces whose every key needs provenance; /kb is always one.
	Knowledge []keypath.Prefix
}

// ProvenanceError is the refusal of a source: why provenance is due, and which fields are missing
// or wrong.
type ProvenanceError struct {
	Due   string   // why provenance is due; empty if only the source itself is wrong
	Wrong []string // the missing and wrong members, in the order kind, name, retrieved_at, locator
}

func (e *ProvenanceError) Error() string {
	wrong := strings.Join(e.Wrong, ", ")
	if e.Due == "" {
		return "source: " + wrong
	}
	return fmt.Sprintf("source: %s: %s", e.Due, wrong)
}

// Is makes every ProvenanceError an ErrProvenance.
func (e *ProvenanceError) Is(target error) bool { return target == ErrProvenance }

// Advice returns how to add the missing members.
func (e *ProvenanceError) Advice() advice.List {
	flags := "give --kind --name --retrieved-at and --url or --locator, " +
		"or quarantine it with --on-untrusted=quarantine"
	if e.Due == "" {
		flags = "name the source, like --source 'chat with Ada', " +
			"or --kind user --name chat"
	}
	return advice.Shell(flags).Tools("give source with kind, name and url")
}

// CheckSizes refuses texts over their limits, as they were given, but to an approval; the error
// wraps ErrTooLarge and names both numbers.
func CheckSizes(content, source []byte, exempt Exemptions) error {
	if exempt.has(Approved) {
		return nil
	}
	if err := size("content", len(content), MaxContent); err != nil {
		return err
	}
	return size("source", len(source), MaxSource)
}

// CheckLine refuses a batch line of n bytes over its limit.
func CheckLine(n int) error { return size("line", n, MaxBatchLine) }

func size(what string, n, limit int) error {
	if n > limit {
		return fmt.Errorf("%s: %w: %d bytes, at most %d", what, ErrTooLarge, n, limit)
	}
	return nil
}

// checkMark refuses the source of a purge's tombstone to every write but of such a tombstone by an
// operation that takes memories to another layer.
func (f *Facts) checkMark(*Ground) error {
	if !content.MarksPurge(f.Source) || f.Deletes && f.Verb.rights&carries != 0 {
		return nil
	}
	return fmt.Errorf("source: %w: \"purged\":true is the mark of mem forget --purge", ErrReserved)
}

// AdmitSource decides once more whether the source of an admitted write suffices: that is what the
// configuration has a say in.
func (g *Ground) AdmitSource(f *Facts) error { return f.checkProvenance(g) }

// checkProvenance refuses a write whose source does not suffice. The error is a *ProvenanceError.
func (f *Facts) checkProvenance(g *Ground) error {
	if f.Deletes || f.Key.Untrusted() {
		return nil
	}
	s := f.parsed()
	switch due := g.due(f.Key, s); {
	case s.ambiguous() != "":
		return &ProvenanceError{Wrong: []string{s.ambiguous()}}
	case due != "":
		return s.complete(due)
	case s.kind != "" && !isKind(s.kind):
		return &ProvenanceError{Wrong: []string{s.wrongKind()}}
	case s.blank():
		return &ProvenanceError{Wrong: []string{"it is blank, and every write needs a source"}}
	}
	return nil
}

// due returns why provenance is due, or "" if it is not.
func (r Rules) due(key keypath.Key, s source) string {
	switch {
	case s.kind == "web" || s.kind == "tool" || s.kind == "file":
		return "provenance is required for kind " + s.kind
	case r.IsKnowledge(key):
		return "provenance is required for keys under " + r.namespace(key)
	case s.kind == "" && s.network():
		return "provenance is required for content from a URL"
	}
	return ""
}

// IsKnowledge reports whether a key lies in a namespace whose every key needs provenance.
func (r Rules) IsKnowledge(key keypath.Key) bool { return r.namespace(key) != "" }

// namespace returns the knowledge namespace that holds the key, as the key spells it, or "".
func (r Rules) namespace(key keypath.Key) string {
	if ns := cutNamespace("/kb", key.String()); ns != "" {
		return ns
	}
	for _, p := range r.Knowledge {
		if ns := cutNamespace(p.String(), key.String()); ns != "" {
			return ns
		}
	}
	return ""
}

// cutNamespace returns the part of a key that is the namespace, or "" if the key lies elsewhere.
// Case does not count: /KB needs provenance too.
func cutNamespace(namespace, key string) string {
	if namespace == "/" {
		return namespace
	}
	end := 0
	for range strings.Count(namespace, "/") {
		next := strings.IndexByte(key[end+1:], '/')
		if next < 0 {
			end = len(key)
			break
		}
		end += 1 + next
	}
	if !strings.EqualFold(key[:end], namespace) {
		return ""
	}
	return key[:end]
}

// Quarantine returns the key and the source under which a refused write is quarantined. The given
// source stays inside, with the reason.
func Quarantine(
	key keypath.Key, given []byte, reason error, now log.Stamp,
) (keypath.Key, []byte, error) {
	quarantined, err := key.WithPrefix(keypath.Untrusted)
	if err == nil && IsProposal(quarantined) {
		err = errProposal(key)
	}
	if err != nil {
		return keypath.Key{}, nil, err
	}
	var locator, src jsontext.Object
	locator.Text("key", key.String())
	src.Text("kind", "system")
	src.Text("name", "quarantine")
	src.Text("retrieved_at", now.String())
	src.Raw("locator", locator.Bytes())
	src.Text("reason", reason.Error())
	src.Raw("given", given)
	return quarantined, src.Bytes(), nil
}

// ParseQuarantine returns the original source of a quarantined write, and the reason.
func ParseQuarantine(source []byte) (given []byte, reason string) {
	for name, value := range jsontext.Members(source) {
		switch name {
		case "given":
			given = value
		case "reason":
			reason = jsontext.Unquote(value)
		}
	}
	return given, reason
}

// Released returns the key that a key under /untrusted/ gets when it is approved. The error is a
// *ReservedError for a proposal, whose approval changes another key.
func Released(key keypath.Key) (keypath.Key, error) {
	if IsProposal(key) {
		return key, errProposal(key)
	}
	return keypath.Parse(strings.TrimPrefix(key.String(), keypath.Untrusted))
}

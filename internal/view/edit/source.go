package edit

import (
	"slices"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/log"
)

// Author describes the author of an edit. The zero Author is a person that runs the verb.
type Author struct {
	Source []byte // of the new version, as in mem.Write; nil: it names the edit
	Agent  []byte // the source of the agent that runs the verb; nil: a person does
	// AllowSecrets is as in mem.SetOptions.
	AllowSecrets []string
	keeps        bool // the text of a version: its source and its time stay
	Force        bool // also where only other verbs write, see mem.Operation.Force
}

// outside are the kinds of sources whose text nobody here has vouched for.
var outside = []string{"web", "tool", "file"}

// newSource returns the source of a text that an edit makes: a complete one, by its verb.
func (a Author) newSource(op *mem.Operation, verb string, locator []byte,
	origins ...string) []byte {
	if a.Source != nil {
		return a.Source
	}
	kind := "user"
	if a.Agent != nil || !policy.IsPerson(op.Caller()) {
		kind = "agent"
	}
	for _, origin := range origins {
		if slices.Contains(outside, origin) {
			kind = origin
		}
	}
	var o jsontext.Object
	o.Text("kind", kind)
	o.Text("name", verb)
	o.Text("retrieved_at", op.Now().String())
	o.Raw("locator", locator)
	if a.Agent != nil {
		o.Raw("by", a.Agent)
	}
	return o.Bytes()
}

// editedSource returns the source of an unchanged text, with a member that names the edit. restored
// is the time of the version that has the text, unless that is the newest version; the member has
// more members, too.
func (a Author) editedSource(op *mem.Operation, verb string, source []byte,
	restored log.Stamp, more ...jsontext.Member) []byte {
	if a.Source != nil {
		return a.Source
	}
	var done jsontext.Object
	done.Text("verb", verb)
	if restored != 0 {
		done.Text("restored", restored.String())
	}
	done.Text("at", op.Now().String())
	for _, m := range more {
		done.Raw(m.Name, m.Value)
	}
	if a.Agent != nil {
		done.Raw("by", a.Agent)
	}
	return unedited(source).With("edited", done.Bytes()).Object()
}

// unedited returns the members of a source without what an earlier edit said.
func unedited(source []byte) members {
	return slices.DeleteFunc(content.SourceMembers(source), func(m jsontext.Member) bool {
		return content.FoldName(m.Name) == "edited"
	})
}

func located(name, value string) []byte {
	var o jsontext.Object
	o.Text(name, value)
	return o.Bytes()
}

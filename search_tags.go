package mem

import (
	"strings"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/store/backend"
)

// tagRule reads a condition on tags: "a,b" is one of these, and "!a,b" none of these.
func tagRule(text string) (rule backend.TagRule, err error) {
	list, not := strings.CutPrefix(strings.TrimSpace(text), "!")
	rule.Not = not
	for tag := range strings.SplitSeq(list, ",") {
		switch tag = strings.TrimSpace(tag); {
		case strings.HasPrefix(tag, "!"):
			return rule, &tagError{" " + text, "! stands only before the whole list", split(text)}
		case tag != "":
			rule.Any = append(rule.Any, tag)
		}
	}
	if len(rule.Any) == 0 {
		return rule, &tagError{"", "it is empty", ""}
	}
	return rule, nil
}

// tagError is a condition on tags that is none. errors.Is(err, ErrInput) holds.
type tagError struct{ text, why, hint string }

func (e *tagError) Error() string { return "tag" + e.text + ": " + e.why }

// Is makes every tagError an ErrInput.
func (e *tagError) Is(target error) bool { return target == ErrInput }

// Advice returns the conditions that the list may have meant.
func (e *tagError) Advice() advice.List { return advice.Shell(e.hint) }

// split returns the flags for a list of which some are wanted, and others not.
func split(text string) string {
	var wanted []string
	hint := ""
	for tag := range strings.SplitSeq(text, ",") {
		tag = strings.ReplaceAll(strings.TrimSpace(tag), "'", `'\''`)
		switch {
		case strings.HasPrefix(tag, "!"):
			hint += " --tag '!" + strings.TrimLeft(tag, "! ") + "'"
		case tag != "":
			wanted = append(wanted, tag)
		}
	}
	if len(wanted) > 0 {
		hint = " --tag '" + strings.Join(wanted, ",") + "'" + hint
	}
	return "each condition has a flag of its own:" + hint
}

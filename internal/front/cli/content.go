package cli

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

// contentFlags build content without JSON, for people and for shells that break quotes.
type contentFlags struct {
	text, kind, summary string
	tags                []string
	importance          string
	expires, ttl        string
	pinned              bool
}

func (c *contentFlags) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&c.text, "text", "", "content `TEXT` instead of JSON")
	f.StringVar(&c.summary, "summary", "",
		"content.summary, the `LINE` that mem read and hooks print")
	f.StringVar(&c.kind, "type", "",
		"content.type: `TYPE` preference, decision, finding, conversation or any other")
	f.StringArrayVar(&c.tags, "tag", nil,
		"content.tags: a `TAG`; several with commas or by repeating")
	f.StringVar(&c.importance, "importance", "",
		"content.importance: `N` in 0..1, or above 1 out of 10; 1 means 1.0 and outranks 9")
	f.BoolVar(&c.pinned, "pin", false, "content.pinned: injected first at every start")
	f.StringVar(&c.expires, "expires", "",
		"content.expired_at: `TIME` of expiry, UTC if it has no zone")
	f.StringVar(&c.ttl, "ttl", "", "the lifetime: `TIME` like 90m, 12h or 30d")
}

func (c *contentFlags) empty() bool {
	return c.text == "" && c.summary == "" && c.kind == "" && len(c.tags) == 0 &&
		c.importance == "" && c.expires == "" && c.ttl == "" && !c.pinned
}

// build returns the content object; nil if no flag was given.
func (c *contentFlags) build(now time.Time) ([]byte, error) {
	if c.empty() {
		return nil, nil
	}
	if c.text == "" && c.summary == "" {
		return nil, &usage{
			what: "set",
			why:  "--type, --tag and similar flags describe a content, but there is none",
			hint: "add --text or --summary",
		}
	}
	expires, err := c.expiry(now)
	if err != nil {
		return nil, err
	}
	if err := c.checkImportance(); err != nil {
		return nil, err
	}
	var o jsontext.Object
	o.TextUnlessEmpty("type", c.kind)
	o.TextUnlessEmpty("summary", c.summary)
	o.TextUnlessEmpty("text", c.text)
	if c.importance != "" {
		o.Raw("importance", []byte(c.importance))
	}
	if tags := splitList(c.tags); len(tags) > 0 {
		o.Raw("tags", jsontext.AppendStrings(nil, tags))
	}
	o.TextUnlessEmpty("expired_at", expires)
	if c.pinned {
		o.Raw("pinned", []byte("true"))
	}
	return o.Bytes(), nil
}

func (c *contentFlags) checkImportance() error {
	if c.importance == "" {
		return nil
	}
	if v, err := strconv.ParseFloat(c.importance, 64); err != nil || v < 0 || v > 10 {
		return &usage{what: "--importance " + c.importance, why: "want a number from 0 to 10"}
	}
	if _, err := jsontext.Compact(nil, []byte(c.importance)); err != nil {
		return &usage{
			what: "--importance " + c.importance,
			why:  "want a plain number like 7 or 0.7",
		}
	}
	return nil
}

// expiry returns expired_at as text.
func (c *contentFlags) expiry(now time.Time) (string, error) {
	switch {
	case c.expires != "" && c.ttl != "":
		return "", &usage{what: "--ttl", why: "give --expires or --ttl, not both"}
	case c.expires != "":
		if _, err := log.ParseTime(c.expires); err != nil {
			return "", &usage{what: "--expires", why: err.Error()}
		}
		return strings.TrimSpace(c.expires), nil
	case c.ttl != "":
		d, err := parseTTL(c.ttl)
		if err != nil {
			return "", err
		}
		return now.Add(d).UTC().Format(time.RFC3339), nil
	}
	return "", nil
}

// parseTTL reads a duration of Go's, or whole days and weeks.
func parseTTL(text string) (time.Duration, error) {
	for unit, size := range map[string]time.Duration{"d": 24 * time.Hour, "w": 7 * 24 * time.Hour} {
		digits, ok := strings.CutSuffix(text, unit)
		if n, err := strconv.Atoi(digits); ok && err == nil && n > 0 && n < 100_000 {
			return time.Duration(n) * size, nil
		}
	}
	if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return d, nil
	}
	return 0, &usage{what: "--ttl " + text, why: "want a time above 0 like 90m, 12h, 30d or 2w"}
}

// contentError adds a hint to an error of the content's JSON.
func contentError(err error, args []string, text []byte) error {
	if len(args) == 2 && errors.Is(err, jsontext.ErrJSON) &&
		strings.HasPrefix(err.Error(), "content: ") {
		return hinted(err, advice.Say(contentHint(args[1], text)))
	}
	return err
}

// contentHint returns a hint for content that is no JSON.
func contentHint(arg string, text []byte) string {
	switch {
	case len(bytes.TrimSpace(text)) == 0:
		return "null voids a key, '\"\"' is empty text"
	case looksLikeWords(text):
		return "for plain text write --text " + advice.Quoted(string(bytes.TrimSpace(text)))
	case arg != "-" && arg[0] != '@' && !bytes.Contains(text, []byte{'"'}):
		return "a shell may have removed the quotes; " +
			"put the JSON in single quotes, or read it with @file or -"
	}
	return ""
}

// looksLikeWords reports whether a text is prose in place of JSON.
func looksLikeWords(text []byte) bool {
	first := strings.TrimSpace(string(text))
	return first != "" && !strings.ContainsAny(first[:1], `{["`) && len(first) < 200
}

// parseWhen reads a time, or how long ago it was; nil for none.
func parseWhen(flag, text string, now time.Time) (*log.Stamp, error) {
	if text == "" {
		return nil, nil
	}
	if d, err := parseTTL(text); err == nil {
		at := log.StampOf(now.Add(-d))
		return &at, nil
	}
	at, err := log.ParseTime(text)
	if err != nil {
		return nil, &usage{
			what: flag, why: err.Error(),
			hint: "a time like 2026-02-22T10:00:00Z, or how long ago: 90m, 12h, 7d, 2w",
		}
	}
	return &at, nil
}

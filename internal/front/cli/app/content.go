package app

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

// ContentFlags build content without JSON, for people and for shells that break quotes.
type ContentFlags struct {
	text, kind, summary string
	tags                []string
	Importance          string
	Expires, TTL        string
	pinned              bool
}

func (c *ContentFlags) Register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&c.text, "text", "", "content `TEXT` instead of JSON")
	f.StringVar(&c.summary, "summary", "",
		"content.summary, the `LINE` that mem read and hooks print")
	f.StringVar(&c.kind, "type", "",
		"content.type: `TYPE` preference, decision, finding, conversation or any other")
	f.StringArrayVar(&c.tags, "tag", nil,
		"content.tags: a `TAG`; several with commas or by repeating")
	f.StringVar(&c.Importance, "importance", "",
		"content.importance: `N` in 0..1, or above 1 out of 10; 1 means 1.0 and outranks 9")
	f.BoolVar(&c.pinned, "pin", false, "content.pinned: injected first at every start")
	f.StringVar(&c.Expires, "expires", "",
		"content.expired_at: `TIME` of expiry, UTC if it has no zone")
	f.StringVar(&c.TTL, "ttl", "", "the lifetime: `TIME` like 90m, 12h or 30d")
}

func (c *ContentFlags) Empty() bool {
	return c.text == "" && c.summary == "" && c.kind == "" && len(c.tags) == 0 &&
		c.Importance == "" && c.Expires == "" && c.TTL == "" && !c.pinned
}

// Build returns the content object; nil if no flag was given.
func (c *ContentFlags) Build(now time.Time) ([]byte, error) {
	if c.Empty() {
		return nil, nil
	}
	if c.text == "" && c.summary == "" {
		return nil, BadInput("set",
			"--type, --tag and similar flags describe a content, but there is none",
			"add --text or --summary")
	}
	expires, err := c.Expiry(now)
	if err != nil {
		return nil, err
	}
	if err := c.CheckImportance(); err != nil {
		return nil, err
	}
	var o jsontext.Object
	o.TextUnlessEmpty("type", c.kind)
	o.TextUnlessEmpty("summary", c.summary)
	o.TextUnlessEmpty("text", c.text)
	if c.Importance != "" {
		o.Raw("importance", []byte(c.Importance))
	}
	if tags := SplitList(c.tags); len(tags) > 0 {
		o.Raw("tags", jsontext.AppendStrings(nil, tags))
	}
	o.TextUnlessEmpty("expired_at", expires)
	if c.pinned {
		o.Raw("pinned", []byte("true"))
	}
	return o.Bytes(), nil
}

func (c *ContentFlags) CheckImportance() error {
	if c.Importance == "" {
		return nil
	}
	if v, err := strconv.ParseFloat(c.Importance, 64); err != nil || v < 0 || v > 10 {
		return BadInput("--importance "+c.Importance, "want a number from 0 to 10", "")
	}
	if _, err := jsontext.Compact(nil, []byte(c.Importance)); err != nil {
		return BadInput("--importance "+c.Importance, "want a plain number like 7 or 0.7", "")
	}
	return nil
}

// Expiry returns expired_at as text.
func (c *ContentFlags) Expiry(now time.Time) (string, error) {
	switch {
	case c.Expires != "" && c.TTL != "":
		return "", BadInput("--ttl", "give --expires or --ttl, not both", "")
	case c.Expires != "":
		if _, err := log.ParseTime(c.Expires); err != nil {
			return "", BadInput("--expires", err.Error(), "")
		}
		return strings.TrimSpace(c.Expires), nil
	case c.TTL != "":
		d, err := parseTTL(c.TTL)
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
	return 0, BadInput("--ttl "+text, "want a time above 0 like 90m, 12h, 30d or 2w", "")
}

// ContentError adds a hint to an error of the content's JSON.
func ContentError(err error, args []string, text []byte) error {
	var wrong *fault.Fault
	if len(args) == 2 && errors.Is(err, jsontext.ErrJSON) && errors.As(err, &wrong) &&
		wrong.What == "content" {
		return Hinted(err, advice.Say(contentHint(args[1], text)))
	}
	return err
}

func contentHint(arg string, text []byte) string {
	switch {
	case len(bytes.TrimSpace(text)) == 0:
		return "null voids a key, '\"\"' is empty text"
	case LooksLikeWords(text):
		return "for plain text write --text " + advice.Quoted(string(bytes.TrimSpace(text)))
	case arg != "-" && arg[0] != '@' && !bytes.Contains(text, []byte{'"'}):
		return "a shell may have removed the quotes; " +
			"put the JSON in single quotes, or read it with @file or -"
	}
	return ""
}

// LooksLikeWords reports whether a text is prose in place of JSON.
func LooksLikeWords(text []byte) bool {
	first := strings.TrimSpace(string(text))
	return first != "" && !strings.ContainsAny(first[:1], `{["`) && len(first) < 200
}

// ParseWhen reads a time, or how long ago it was; nil for none.
func ParseWhen(flag, text string, now time.Time) (*log.Stamp, error) {
	if text == "" {
		return nil, nil
	}
	if d, err := parseTTL(text); err == nil {
		at := log.StampOf(now.Add(-d))
		return &at, nil
	}
	at, err := log.ParseTime(text)
	if err != nil {
		return nil, BadInput(flag, err.Error(),
			"a time like 2026-02-22T10:00:00Z, or how long ago: 90m, 12h, 7d, 2w")
	}
	return &at, nil
}

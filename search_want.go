package mem

import (
	"fmt"
	"strings"

	"github.com/set-memory/mem/content"
	"github.com/set-memory/mem/log"
)

// want is the conditions of a search besides its words.
type want struct {
	now          log.Stamp
	since, until log.Stamp
	types        []string
	tags         []tagRule
	importance   float64
}

// tagRule is one --tag: a memory has one of any, or with not none of them.
type tagRule struct {
	any []string
	not bool
}

func (o SearchOptions) want(now log.Stamp) (want, error) {
	w := want{now: now, since: log.MinStamp, until: log.MaxStamp, types: o.Types, importance: o.MinImportance}
	if w.importance > 1 {
		w.importance /= 10
	}
	if o.Since != nil {
		w.since = *o.Since
	}
	if o.Until != nil {
		w.until = *o.Until
	}
	for _, text := range o.Tags {
		rule := tagRule{}
		text, rule.not = strings.CutPrefix(text, "!")
		for tag := range strings.SplitSeq(text, ",") {
			if tag = strings.TrimSpace(tag); tag != "" {
				rule.any = append(rule.any, tag)
			}
		}
		if len(rule.any) == 0 {
			return w, fmt.Errorf("tag: %w: it is empty", ErrInput)
		}
		w.tags = append(w.tags, rule)
	}
	return w, nil
}

func (w want) holds(ts log.Stamp, f content.Fields) bool {
	if ts < w.since || ts > w.until || f.Expired(w.now) || f.Importance < w.importance {
		return false
	}
	if len(w.types) > 0 && !anyEqual(w.types, f.Type) {
		return false
	}
	for _, rule := range w.tags {
		if rule.holds(f.Tags) == rule.not {
			return false
		}
	}
	return true
}

func anyEqual(list []string, text string) bool {
	for _, s := range list {
		if strings.EqualFold(s, text) {
			return true
		}
	}
	return false
}

// holds reports whether one of the tags is one of those asked for, or lies below it: security.authentication below security (S-24).
func (r tagRule) holds(tags []string) bool {
	for _, tag := range tags {
		for _, want := range r.any {
			if len(tag) >= len(want) && strings.EqualFold(tag[:len(want)], want) && (len(tag) == len(want) || tag[len(want)] == '.') {
				return true
			}
		}
	}
	return false
}

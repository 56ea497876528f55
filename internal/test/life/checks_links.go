package life

import (
	"encoding/json"
	"strings"
)

// checkReferences checks that references lead to a memory, or to one that somebody deleted.
func (l *life) checkReferences() {
	for _, m := range l.alive() {
		isLive := map[string]bool{}
		var list []memory
		for _, scope := range scopes {
			list = append(list, l.live(m, scope)...)
		}
		for _, one := range list {
			isLive[one.key()] = true
		}
		for _, one := range list {
			for _, link := range linksOf(one) {
				if !isLive[link] && !l.isDeleted(link) {
					l.rt.Errorf("%s: nobody deleted %s, to which %s refers", m.name, link,
						one.rec.Line)
				}
			}
		}
	}
}

// linksOf returns the keys to which a memory refers.
func linksOf(one memory) (links []string) {
	var c struct {
		References   []string
		SupersededBy string `json:"superseded_by"`
	}
	if json.Unmarshal(one.rec.Content, &c) != nil {
		return nil
	}
	for _, link := range append(c.References, c.SupersededBy) {
		if strings.HasPrefix(link, "/") {
			links = append(links, link)
		}
	}
	return links
}

// isDeleted reports whether a person has deleted a key, its memory has expired, or the harm that
// took it leaves no trace.
func (l *life) isDeleted(key string) bool {
	for _, v := range l.versions {
		if v.env.Key.String() != key {
			continue
		}
		if v.isLost || len(v.hurtAt) > 0 || strings.HasPrefix(key, "/expires") ||
			!v.env.Valid() && (v.isPersons || v.isImported()) {
			return true
		}
	}
	return false
}

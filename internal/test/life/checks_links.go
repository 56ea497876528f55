package life

import (
	"encoding/json"
	"path"
	"strings"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
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
			for _, link := range linksOf(one.rec.Content) {
				if !isLive[link] && !l.isDeleted(link) && !mayLack(link) {
					l.rt.Errorf("%s: nobody deleted %s, to which %s refers", m.name, link,
						one.rec.Line)
				}
			}
		}
	}
}

// linksOf returns the keys to which a memory refers.
func linksOf(text []byte) (links []string) {
	var c struct {
		References   []string
		SupersededBy string `json:"superseded_by"`
	}
	if json.Unmarshal(text, &c) != nil {
		return nil
	}
	for _, link := range append(c.References, c.SupersededBy) {
		if strings.HasPrefix(link, "/") {
			links = append(links, link)
		}
	}
	return links
}

// mayLack reports whether a reference to a key may lead nowhere: to a note of the other store,
// which a file may lack, or to an artifact, which stays on its machine.
func mayLack(link string) bool {
	key := keypath.MustParse(link)
	return note.IsPlain(key) || key.Class() == keypath.Artifact
}

// isDeleted reports whether a person has deleted a key, its memory has expired (a merge takes the
// time of the other one), or the harm that took it leaves no trace.
func (l *life) isDeleted(key string) bool {
	for _, v := range l.versions {
		if v.env.Key.String() != key {
			continue
		}
		if v.isLost || len(v.hurtAt) > 0 || content.Member(v.env.Content, "expired_at") != nil ||
			!v.env.Valid() && (v.isPersons || v.isImported()) {
			return true
		}
	}
	return false
}

// checkNotes checks that no note lives under two keys of a memory, by its id.
func (l *life) checkNotes() {
	for _, m := range l.alive() {
		for _, scope := range scopes {
			keyOf := map[string]string{}
			for _, one := range l.live(m, scope) {
				_, _, isNote := note.Split(one.rec.Key)
				id := path.Base(one.key())
				if old, twice := keyOf[id]; isNote && twice {
					l.rt.Errorf("%s: %s: one note is %s and %s", m.name, scope, old, one.key())
				}
				if isNote {
					keyOf[id] = one.key()
				}
			}
		}
	}
}

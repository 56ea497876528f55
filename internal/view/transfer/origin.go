package transfer

import (
	"bytes"
	"encoding/hex"
	"regexp"
	"strings"
	"sync"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// places matches a number of a note, or the end of a free name, in a text that is a key: an import
// changes these (plan.rewrite). It is compiled at its first use.
var places = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`"(/note/[a-z]+/)[um]-[0-9a-z-]+"|"(/[^"]*?)(?:~[0-9]+)+"`)
})

// lineage identifies a version wherever it was stored: under which key, with a mark in its source
// or without, and wherever the memories are that it refers to.
func lineage(e log.Envelope) log.Identity {
	e.Key, e.Source = keypath.Key{}, content.BareSource(e.Source)
	if bytes.Contains(e.Content, []byte(`"/`)) {
		e.Content = places().ReplaceAll(e.Content, []byte(`"$1$2"`))
	}
	return e.Identity()
}

// earlierOf returns the lineages that a tombstone names, of versions that are not here.
func earlierOf(rec log.Record) (ids []log.Identity) {
	if rec.Valid() {
		return nil
	}
	for _, digits := range content.Earlier(rec.Source) {
		if id, ok := log.ParseIdentity([]byte(digits)); ok {
			ids = append(ids, id)
		}
	}
	return ids
}

// named returns lineages as a tombstone names them.
func named(ids []log.Identity) (list []string) {
	for _, id := range ids {
		list = append(list, hex.EncodeToString(id[:]))
	}
	return list
}

// kinship is a version of a memory, which may have another number or a free name elsewhere.
type kinship struct {
	base keypath.Key // the zero Key of a note
	id   log.Identity
}

func kinOf(key keypath.Key, id log.Identity) kinship {
	if _, isNote := keypath.NoteID(key); isNote {
		return kinship{id: id}
	}
	return kinship{baseOf(key), id}
}

// birth is what a line keeps under another key.
func birth(e log.Envelope) string {
	return e.TS.String() + string(content.BareSource(e.Source))
}

// baseOf returns the key that a free name was made of.
func baseOf(key keypath.Key) keypath.Key {
	at := strings.LastIndexByte(key.String(), '~')
	if at < 0 || strings.Trim(key.String()[at+1:], "0123456789") != "" {
		return key
	}
	base, err := keypath.Parse(key.String()[:at])
	if err != nil {
		return key
	}
	return baseOf(base) // a free name may have been taken in its turn
}

func withPrefix(prefix keypath.Prefix, key keypath.Key) (keypath.Key, error) {
	if prefix == (keypath.Prefix{}) {
		return key, nil
	}
	return key.WithPrefix(prefix.String())
}

// saying identifies a content, in whatever order its members are.
func saying(text []byte) log.Identity {
	return log.Envelope{Content: jsontext.AppendCanonical(nil, text)}.Identity()
}

package note

import (
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/layer"
)

// In returns the options for a note that goes to one of the stores that are read together.
func (o Options) In(l *mem.Layers, site *layer.Site) (_ Options, err error) {
	o.Repository, o.Seen = site.InRepository(), l.Seen(site)
	if site.Layer == layer.Project && l.Sites.User != nil {
		o.User, err = l.Open(l.Sites.User)
	}
	return o, err
}

// ScopeOf returns the scope of a note that takes the place of a memory in one of the stores: that
// of a note which it replaces, or else the one whose notes go there.
func ScopeOf(replaced keypath.Key, site *layer.Site) string {
	if space, _, ok := Split(replaced); ok {
		text := space.String()
		return text[strings.LastIndexByte(text, '/')+1:]
	}
	if site.Layer == layer.User {
		return "user"
	}
	return DefaultScope
}

// Reply returns the answer to the call, whose options say where the note was to go: to a layer of
// this name, "" where one store is all there is.
func (a Added) Reply(o Options, to string) mem.NoteReply {
	if a.Store == o.User {
		to = layer.User
	}
	reply := mem.NoteReply{OK: true, ID: a.ID, Known: a.Known, Layer: to, Evicted: a.Evicted,
		Near: a.Near}
	for _, key := range a.Replaced {
		reply.Replaced = append(reply.Replaced, key.String())
	}
	return reply
}

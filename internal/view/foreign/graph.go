package foreign

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/keypath"
)

// Graph is a knowledge graph, in the order in which its parts were added.
type Graph struct {
	entities  []*entity
	byName    map[string]*entity
	relations []relation
	known     map[[3]string]bool
}

type entity struct {
	name, kind   string
	observations []string
	seen         map[string]bool // the observations as a set; nil until it is needed
	line         int
}

func (e *entity) observes(text string) bool {
	if e.seen == nil {
		e.seen = make(map[string]bool, len(e.observations))
		for _, o := range e.observations {
			e.seen[o] = true
		}
	}
	return e.seen[text]
}

type relation struct {
	from, kind, to string
	line           int
}

func (r relation) id() [3]string { return [3]string{r.from, r.kind, r.to} }

// NewGraph returns an empty graph.
func NewGraph() *Graph { return &Graph{byName: map[string]*entity{}, known: map[[3]string]bool{}} }

// Add adds line n of memory.jsonl. The error wraps jsontext.ErrJSON or ErrFormat.
func (g *Graph) Add(n int, line []byte) error {
	text, err := jsontext.Compact(nil, line)
	if err != nil {
		return err
	}
	if text[0] != '{' {
		return fmt.Errorf("%w: want an object like {\"type\":\"entity\",\"name\":...}", ErrFormat)
	}
	item, err := parseItem(text)
	if err != nil {
		return err
	}
	return g.put(n, item)
}

// AddContent adds a stored memory, and reports whether it is one of a graph.
func (g *Graph) AddContent(content []byte) bool {
	if len(content) == 0 || content[0] != '{' {
		return false
	}
	item, err := parseItem(content)
	return err == nil && g.put(0, item) == nil
}

// item is a line as it was read; a member that it does not have is nil.
type item struct {
	kind                   string
	name, class            *string
	from, to, relationType *string
	observations           []string
}

// slot returns where the value of a member goes, in the spelling of the reference server or of
// others; nil if the member is unknown.
func (it *item) slot(name string) **string {
	switch name {
	case "name", "entityName", "id":
		return &it.name
	case "entityType", "entity_type":
		return &it.class
	case "from", "from_id":
		return &it.from
	case "to", "to_id":
		return &it.to
	case "relationType", "relation_type":
		return &it.relationType
	}
	return nil
}

func parseItem(text []byte) (it item, err error) {
	for name, value := range jsontext.Members(text) {
		if name == "type" {
			it.kind = jsontext.Unquote(value)
		}
	}
	if it.kind != "entity" && it.kind != "relation" {
		return it, fmt.Errorf("%w: want \"type\":\"entity\" or \"type\":\"relation\"", ErrFormat)
	}
	own := map[**string]bool{} // set in the reference server's spelling, which wins over others
	for name, value := range jsontext.Members(text) {
		if name == "observations" {
			if it.observations, err = texts(name, value); err != nil {
				return it, err
			}
			continue
		}
		slot := it.slot(name)
		if slot == nil || own[slot] || !it.concerns(slot) {
			continue
		}
		if value[0] != '"' {
			return it, fmt.Errorf("%w: %s: want a string", ErrFormat, name)
		}
		text := jsontext.Unquote(value)
		*slot, own[slot] = &text, isOwn(name)
	}
	return it, nil
}

// concerns reports whether the item's type has this member.
func (it *item) concerns(slot **string) bool {
	return (it.kind == "entity") == (slot == &it.name || slot == &it.class)
}

func isOwn(name string) bool {
	switch name {
	case "name", "entityType", "from", "to", "relationType":
		return true
	}
	return false
}

func texts(name string, array []byte) (list []string, err error) {
	if array[0] != '[' {
		return nil, fmt.Errorf("%w: %s: want an array of strings", ErrFormat, name)
	}
	for element := range jsontext.Elements(array) {
		if element[0] != '"' {
			return nil, fmt.Errorf("%w: %s: want an array of strings", ErrFormat, name)
		}
		list = append(list, jsontext.Unquote(element))
	}
	return list, nil
}

func (g *Graph) put(n int, it item) error {
	for _, m := range [...]struct {
		kind, name string
		value      *string
	}{{"entity", "name", it.name}, {"relation", "from", it.from}, {"relation", "to", it.to},
		{"relation", "relationType", it.relationType}} {
		if m.kind == it.kind && m.value == nil {
			return fmt.Errorf("%w: no %q", ErrFormat, m.name)
		}
	}
	if it.kind == "relation" {
		g.relate(relation{from: *it.from, kind: *it.relationType, to: *it.to, line: n})
		return nil
	}
	e := &entity{name: *it.name, observations: it.observations, line: n}
	if it.class != nil {
		e.kind = *it.class
	}
	g.merge(e)
	return nil
}

func (g *Graph) relate(r relation) {
	if !g.known[r.id()] {
		g.known[r.id()] = true
		g.relations = append(g.relations, r)
	}
}

func (g *Graph) merge(e *entity) {
	first := g.byName[e.name]
	if first == nil {
		g.byName[e.name] = e
		g.entities = append(g.entities, e)
		return
	}
	for _, o := range e.observations {
		if !first.observes(o) {
			first.observations, first.seen[o] = append(first.observations, o), true
		}
	}
}

// Records yields the graph as memories: entities, then relations. A record whose key is refused
// comes with an error and its line.
func (g *Graph) Records() iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for _, e := range g.entities {
			key, err := keypath.Parse("/graph/entity/" + segment(e.name))
			if !yield(Record{Key: key, Content: e.content(), Line: e.line}, err) {
				return
			}
		}
		for _, r := range g.relations {
			key, err := keypath.Parse("/graph/relation/" + segment(r.from) + "/" + segment(r.kind) +
				"/" + segment(r.to))
			if !yield(Record{Key: key, Content: r.content(), Line: r.line}, err) {
				return
			}
		}
	}
}

func (e *entity) content() []byte {
	var o jsontext.Object
	o.Text("type", "entity")
	o.Text("name", e.name)
	o.Text("entity_type", e.kind)
	if summary := cut(strings.Join(e.observations, "; "), maxSummary); summary != "" {
		o.Text("summary", summary)
	}
	o.Raw("observations", jsontext.AppendStrings(nil, e.observations))
	return o.Bytes()
}

func (r relation) content() []byte {
	var o jsontext.Object
	o.Text("type", "relation")
	o.Text("from", r.from)
	o.Text("to", r.to)
	o.Text("relation_type", r.kind)
	o.Text("summary", cut(r.from+" "+r.kind+" "+r.to, maxSummary))
	return o.Bytes()
}

// maxSummary is the greatest length in characters of an entity's summary.
const maxSummary = 200

// cut returns a text shortened to at most limit characters and "…".
func cut(text string, limit int) string {
	n := 0
	for at := range text {
		if n++; n > limit {
			return text[:at] + "…"
		}
	}
	return text
}

// Lines yields the graph as the reference server stores it: entities, then relations. Both are
// sorted by their names, so the same graph always yields the same bytes.
func (g *Graph) Lines() iter.Seq[[]byte] {
	entities := slices.SortedFunc(slices.Values(g.entities),
		func(a, b *entity) int { return strings.Compare(a.name, b.name) })
	relations := slices.SortedFunc(slices.Values(g.relations), func(a, b relation) int {
		x, y := a.id(), b.id()
		return slices.Compare(x[:], y[:])
	})
	return func(yield func([]byte) bool) {
		for _, e := range entities {
			var o jsontext.Object
			o.Text("type", "entity")
			o.Text("name", e.name)
			o.Text("entityType", e.kind)
			o.Raw("observations", jsontext.AppendStrings(nil, e.observations))
			if !yield(append(o.Bytes(), '\n')) {
				return
			}
		}
		for _, r := range relations {
			var o jsontext.Object
			o.Text("type", "relation")
			o.Text("from", r.from)
			o.Text("to", r.to)
			o.Text("relationType", r.kind)
			if !yield(append(o.Bytes(), '\n')) {
				return
			}
		}
	}
}

// Covers reports whether everything in o is in g too.
func (g *Graph) Covers(o *Graph) bool {
	for _, theirs := range o.entities {
		ours := g.byName[theirs.name]
		if ours == nil || ours.kind != theirs.kind {
			return false
		}
		for _, text := range theirs.observations {
			if !ours.observes(text) {
				return false
			}
		}
	}
	return !slices.ContainsFunc(o.relations, func(r relation) bool { return !g.known[r.id()] })
}

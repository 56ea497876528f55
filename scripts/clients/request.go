package main

import (
	"encoding/json"
	"os"
	"slices"
	"strings"

	"github.com/set-memory/mem/scripts/harness"
)

// A request is what a client sent to its model.
type request struct {
	path  string // where it is saved
	url   string
	body  object
	tools []tool
}

func (r *request) save() {
	text := harness.Must(json.MarshalIndent(object{"url": r.url, "body": r.body}, "", " "))
	harness.Check(os.WriteFile(r.path, text, 0o644))
}

// main reports whether the model could act on the request: clients also ask small models for titles
// and the like, and offer those no shell.
func (r *request) main() bool {
	return slices.ContainsFunc(r.tools, func(t tool) bool { return slices.Contains(shells, t.name) })
}

// conversation returns every text in the request that the model reads as its instructions or as the
// conversation, in order.
func (r *request) conversation() (texts []string) {
	for _, name := range []string{"system", "instructions", "systemInstruction", "messages", "input", "contents"} {
		texts = collect(texts, r.body[name])
	}
	return texts
}

// collect gathers the strings of a JSON value. Members are taken in the order of their names, for
// maps have none.
func collect(texts []string, value any) []string {
	switch v := value.(type) {
	case string:
		return append(texts, v)
	case []any:
		for _, item := range v {
			texts = collect(texts, item)
		}
	case object:
		var members []string
		for name := range v {
			members = append(members, name)
		}
		slices.Sort(members)
		for _, name := range members {
			texts = collect(texts, v[name])
		}
	}
	return texts
}

// around returns the text in which something stands for the first time.
func (r *request) around(what string) string {
	texts := r.conversation()
	if i := slices.IndexFunc(texts, func(text string) bool { return strings.Contains(text, what) }); i >= 0 {
		return texts[i]
	}
	return ""
}

// times counts how often the model reads a text.
func (r *request) times(what string) (n int) {
	for _, text := range r.conversation() {
		n += strings.Count(text, what)
	}
	return n
}

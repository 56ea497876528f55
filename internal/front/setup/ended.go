package setup

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
)

// Switch is a setting of a client that keeps hooks from running.
type Switch struct {
	Scope  Scope  // whose file has it: its path is below Client.Home, or below the project
	File   string // "": the file of the hooks, for which alone it counts
	Member string // the names that lead to it, with blanks between them
	Off    string // its value then; "": a list that names mem's hook
}

// Ended is what keeps hooks of a client from running.
type Ended struct {
	File string // "": nothing
	Why  string // has the setting, and %s for the file
	Do   string // about it, in that file
}

// EndedBy returns the first setting that keeps hooks of a client from running, ours too. Of the
// files that have a setting, the one that comes first in the table counts, as for the client. A
// file that cannot be read has none.
func EndedBy(r Request) Ended {
	seen := map[string]bool{}
	for _, s := range r.Client.Hooks.Switches {
		path := r.MainFile()
		switch {
		case s.File != "" && s.Scope == User:
			path = filepath.Join(r.Place.HomeOf(r.Client), filepath.FromSlash(s.File))
		case s.File != "":
			path = filepath.Join(r.Place.Project, filepath.FromSlash(s.File))
		}
		text, _, _ := readFile(path)
		value, names, found := s.in(text, filepath.Ext(path) == ".toml")
		setting := strings.Join(strings.Fields(s.Member), ": ")
		switch {
		case s.Off == "" && names:
			return Ended{path, setting + " names mem's hook in %s, so it does not run", "remove it"}
		case s.Off == "" || !found || seen[s.Member]:
		case value == s.Off:
			return Ended{path, setting + " is " + s.Off + " in %s, so no hook runs", "remove it"}
		default:
			seen[s.Member] = true
		}
	}
	return r.overlaid()
}

// in returns the value of the setting in a text, and whether that is a list that names mem's hook.
func (s Switch) in(text []byte, isTOML bool) (value string, names, found bool) {
	if isTOML {
		key := strings.ReplaceAll(s.Member, " ", ".")
		eachTOML(text, func(name string, tokens []string) {
			if name == key {
				value, found = strings.Join(tokens, " "), true
			}
		})
		return value, false, found
	}
	text = bytes.TrimPrefix(text, byteOrderMark)
	at, err := parse(text)
	for _, name := range strings.Fields(s.Member) {
		at = at.get(name)
	}
	names = slices.ContainsFunc(at.words(), func(line string) bool {
		return kindOfLine(line) != theirs
	})
	return string(text[at.start:at.end]), names, err == nil && at.kind != 0
}

// overlaid returns the events of ours that the client reads from another file, beside the one that
// has mem's hooks.
func (r Request) overlaid() Ended {
	h := hooks{r.Client.Hooks}
	if h.Overlay == "" {
		return Ended{}
	}
	path := filepath.Join(filepath.Dir(r.MainFile()), h.Overlay)
	text, _, _ := readFile(path)
	root, _ := parse(bytes.TrimPrefix(text, byteOrderMark))
	var events []string
	for _, e := range h.Events {
		for _, list := range [...]node{root.get(e.Name), root.get("hooks").get(e.Name)} {
			if list.kind != 0 && len(h.handlers(list, ours))+len(h.handlers(list, custom)) == 0 {
				events = append(events, e.Name)
			}
		}
	}
	if len(events) == 0 {
		return Ended{}
	}
	return Ended{path, r.Client.Name + " reads " + strings.Join(events, ", ") +
		" from %s alone, so mem's hook does not run there", "remove these events"}
}

package inject

import (
	"cmp"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/moved"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

const (
	// editTokens and maxAtEdit limit one injection at an edit: it interrupts work, and a second
	// edit of the file brings the others.
	editTokens, maxAtEdit = 200, 2
	// MaxEdited is how many files of one edit are looked up, the first ones of a patch.
	MaxEdited = 16
	// maxNaming is how many memories that name a file are compared: of those that name it best,
	// another conversation may own many.
	maxNaming = 1 << 10
)

// edited is a file that is about to be edited, in the spellings in which memories name it.
type edited struct {
	inProject, absolute string
	behind              string // of inProject the path behind links, if it is another one
	outside             bool   // of the project that there is
}

// newEdited returns the names of a file in a project; root is "" where there is none.
func newEdited(root, file string) (e edited) {
	e.absolute = filepath.ToSlash(filepath.Clean(file))
	if root == "" {
		return e
	}
	within, ok := site.PathWithin(root, file)
	if e.outside = !ok; ok {
		e.inProject = filepath.ToSlash(within)
		e.behind = pathBehind(root, within)
	}
	return e
}

// pathBehind returns the path in a project behind the links of a folder, "" where it is the same. A
// file that is new has none itself.
func pathBehind(root, within string) string {
	real, err := filepath.EvalSymlinks(filepath.Join(root, filepath.Dir(within)))
	if err != nil {
		return ""
	}
	behind, ok := site.PathWithin(root, filepath.Join(real, filepath.Base(within)))
	if !ok || behind == within {
		return ""
	}
	return filepath.ToSlash(behind)
}

func (e edited) paths() []string {
	return slices.DeleteFunc([]string{e.inProject, e.behind, e.absolute}, func(p string) bool {
		return p == ""
	})
}

// NamesWithin returns the paths of a file in a project, with slashes: as it is named and, if that
// is another one, behind links. A file outside of the project has none.
func NamesWithin(root, file string) (names []string) {
	e := newEdited(root, file)
	isEmpty := func(p string) bool { return p == "" }
	return slices.DeleteFunc([]string{e.inProject, e.behind}, isEmpty)
}

func (e edited) is(name string) bool { return slices.Contains(e.paths(), name) }

// How a memory names a file, the weaker first; folders by their depth.
const (
	namesNot    = 0
	namesFolder = 1  // and deeper ones more
	namesFormer = 99 // a path that it had before it was moved
	namesEnd    = 100
	namesByGlob = 101
	namesPath   = 102
)

// named returns how a memory names the file. others are the paths of other files that memories
// have, with the last element of this one.
func (e edited) named(f *content.Fields, others []string) (how int) {
	for _, file := range f.Files {
		how = max(how, e.match(file.Path))
	}
	for _, name := range f.FileNames() {
		if strings.Contains(name, "/") {
			how = max(how, e.match(name))
		}
		if e.endsIn(name, others) {
			how = max(how, namesEnd)
		}
	}
	return how
}

// endsIn reports whether a name is the end of the file's path, and of no other file's: an agent
// names files as it sees them from its directory.
func (e edited) endsIn(name string, others []string) bool {
	if e.outside || !strings.HasSuffix(e.absolute, "/"+name) ||
		!strings.Contains(name, "/") && isCommon(name) {
		return false
	}
	return !slices.ContainsFunc(others, func(other string) bool {
		return strings.HasSuffix(other, "/"+name) || other == name && e.exists(name)
	})
}

// exists reports whether there is a file of that name in the folder of the project.
func (e edited) exists(name string) bool {
	within, found := strings.CutSuffix(e.absolute, e.inProject)
	if !found || !filepath.IsLocal(name) {
		return false
	}
	_, err := os.Lstat(filepath.Join(within, name))
	return err == nil
}

func (e edited) match(name string) int {
	under := func(p string) bool { return strings.HasPrefix(p, name) }
	switch {
	case e.is(name):
		return namesPath
	case content.IsPattern(name):
		for _, p := range e.paths() {
			if ok, err := doublestar.Match(name, p); ok && err == nil &&
				path.IsAbs(name) == path.IsAbs(p) {
				return namesByGlob
			}
		}
	case strings.HasSuffix(name, "/") && slices.ContainsFunc(e.paths(), under):
		return namesFolder + strings.Count(name, "/")
	}
	return namesNot
}

// isCommon reports whether so many files have a name that it means none of them alone.
func isCommon(base string) bool {
	stem, _, _ := strings.Cut(strings.ToLower(base), ".")
	return slices.Contains([]string{"index", "main", "readme", "package", "package-lock", "license",
		"changelog", "contributing", "makefile", "dockerfile", "docker-compose", "mod", "lib",
		"__init__", "setup", "pyproject", "requirements", "cargo", "go", "tsconfig", "config",
		"settings", "types", "utils", "util", "helpers", "constants", "test", "tests", "doc",
		"page", "layout", "variables", "outputs", "values", "chart", "conftest"}, stem)
}

// otherPaths returns the paths that memories have of other files with the file's last element.
func (e edited) otherPaths(records []log.Record) (paths []string) {
	base := path.Base(e.absolute)
	for _, rec := range records {
		f := content.ParseNaming(rec.Content)
		for _, name := range f.AllFileNames() {
			if strings.Contains(name, "/") && path.Base(name) == base && !e.is(name) &&
				!strings.HasSuffix(name, "/") && !content.IsPattern(name) {
				paths = append(paths, name)
			}
		}
	}
	return paths
}

// naming is a memory that names an edited file.
type naming struct {
	log.Record
	how int
}

// naming returns the memories that name the edited files, the closest name first, of these the
// newest.
func (ch *choice) naming() (hits []naming, err error) {
	for _, file := range ch.options.Files[:min(len(ch.options.Files), MaxEdited)] {
		e := newEdited(ch.options.Root, file)
		records, err := ch.store.Reader(ch.caller).FindNaming(ch.ctx, maxNaming, e.paths()...)
		if err != nil {
			return nil, err
		}
		others, before := e.otherPaths(records), len(hits)
		for _, rec := range records {
			f := content.ParseNaming(rec.Content)
			f.Files = moved.FilesHere(rec.Layer, f.Files)
			if how := e.named(&f, others); how > namesNot {
				hits = append(hits, naming{rec, how})
			}
		}
		if len(hits) > before {
			continue
		}
		former, err := ch.formerly(e)
		if err != nil {
			return nil, err
		}
		if hits = append(hits, former...); len(hits) == before {
			hits = append(hits, e.renamed(ch.options.Root, records)...)
		}
		if len(hits) == before {
			same, err := ch.recorded(e)
			if err != nil {
				return nil, err
			}
			hits = append(hits, same...)
		}
	}
	slices.SortStableFunc(hits, func(a, b naming) int {
		return cmp.Or(cmp.Compare(b.how, a.how), cmp.Compare(b.TS, a.TS))
	})
	return hits, nil
}

// aboutFiles returns a page of the memories that name the edited files.
func (ch *choice) aboutFiles() (readout.Page, error) {
	hits, err := ch.naming()
	if err != nil {
		return readout.Page{}, err
	}
	accept := ch.options.accept()
	q := ch.query()
	var chosen []readout.Candidate
	for _, h := range hits {
		it := mem.ItemOf(h.Record)
		same := func(c readout.Candidate) bool { return c.Key == it.Key && c.Layer == it.Layer }
		if accept != nil && !accept(h.Record) || slices.ContainsFunc(chosen, same) ||
			ch.isKnown(h.Record) {
			continue
		}
		if h.how == namesFormer {
			it.Fields.Files = nil // "file is gone" is no remark on the file that is edited
		}
		it.Fields.Summary = ch.fitting(content.ParseNaming(h.Content))
		chosen = append(chosen, q.NewCandidate(&it, readout.Parts{}))
		if len(chosen) == maxAtEdit {
			break
		}
	}
	return q.Pack(len(chosen), func(yield func(readout.Candidate, error) bool) {
		for _, c := range chosen {
			if !yield(c, nil) {
				return
			}
		}
	})
}

// labelRoom is the room in tokens for the label of a line.
const labelRoom = 20

// fitting returns the text of a memory for one line, as much as the budget has room for: at an edit
// the half of a fact is better than none.
func (ch *choice) fitting(f content.Fields) string {
	text := readout.Flatten(cmp.Or(f.Summary, f.Text), readout.MaxShort)
	if tokens, room := readout.Tokens(text), ch.limit-labelRoom; tokens > room && room > 0 {
		text = readout.Flatten(text, utf8.RuneCountInString(text)*room/tokens)
	}
	return text
}

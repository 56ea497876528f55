package backend

import (
	"bytes"
	"cmp"
	"iter"
	"path"
	"slices"
	"strings"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/log"
)

// Matcher matches records by their text alone, without a fold of the log: a *fts.Near those that
// say nearly the same, a *Naming those that name a file. Several goroutines may use it.
type Matcher interface {
	// MayMatch reports whether the JSON of a content may match, at little cost.
	MayMatch(json []byte) bool
	// Share returns how much of a record matches, in 0..1, and whether that is enough.
	Share(rec log.Record) (share float64, ok bool)
}

// Matches reports whether a record matches, at less cost than Share where it does not.
func Matches(m Matcher, rec log.Record) bool {
	if !m.MayMatch(rec.Content) {
		return false
	}
	_, ok := m.Share(rec)
	return ok
}

// Naming matches the records that name a file (content.Fields.AllFileNames).
type Naming struct {
	Names   []string // by which a record can name the file, the closest first
	needles [][]byte // the JSON of such a record has one of these
}

// NewNaming returns the matcher for a file, by its path and other spellings of that.
func NewNaming(paths ...string) *Naming {
	n := &Naming{needles: [][]byte{[]byte(`"files"`), []byte(`\/`), []byte(`\u`)}}
	var names [][]string
	longest := 0
	for _, file := range paths {
		names = append(names, content.NamesOfFile(file))
		longest = max(longest, len(names[len(names)-1]))
		n.needles = append(n.needles, []byte(path.Base(file)))
		if parts := strings.SplitAfterN(file, "/", 3); len(parts) == 3 { // the folder of two levels
			n.needles = append(n.needles, []byte(parts[0]+parts[1]))
		}
	}
	for i := range longest {
		for _, list := range names {
			if i < len(list) {
				n.Names = append(n.Names, list[i])
			}
		}
	}
	return n
}

// NewSizeNaming returns the matcher for the files of a size that were recorded with their sum
// (content.File), whatever their paths.
func NewSizeNaming(size int64) *Naming {
	return &Naming{Names: []string{content.SizeName(size)},
		needles: [][]byte{[]byte(`"files"`), []byte(`\u`)}}
}

// MayMatch reports whether a content has the name of the file, of a folder, or any escape or
// pattern in which these can hide.
func (n *Naming) MayMatch(json []byte) bool {
	return slices.ContainsFunc(n.needles, func(needle []byte) bool {
		return bytes.Contains(json, needle)
	})
}

// Share returns 1 for a record that names the file by its path, and less the further the name is.
func (n *Naming) Share(rec log.Record) (share float64, ok bool) {
	f := content.ParseNaming(rec.Content)
	for _, name := range f.IndexedNames() {
		if at := slices.Index(n.Names, name); at >= 0 {
			share = max(share, 1-float64(at)/float64(len(n.Names)))
		}
	}
	return share, share > 0
}

// BestMatches returns which of some records are live, match and meet the conditions: those with the
// greatest share first, of these the newest, at most limit.
func BestMatches(m Matcher, w Where, records iter.Seq[log.Record], limit int) []log.Record {
	type one struct {
		log.Record
		share float64
	}
	var found []one
	for rec := range records {
		f := content.Parse(rec.Content)
		if !rec.Valid() || !w.Prefix.Holds(rec.Key) || !w.Shows(content.RealmOf(rec.Key, f)) ||
			!w.Holds(rec.TS, f) {
			continue
		}
		if share, ok := m.Share(rec); ok && w.Accepts(rec) {
			found = append(found, one{rec, share})
		}
	}
	slices.SortFunc(found, func(a, b one) int {
		return cmp.Or(cmp.Compare(b.share, a.share), cmp.Compare(b.TS, a.TS),
			a.Key.Compare(b.Key))
	})
	list := make([]log.Record, min(len(found), limit))
	for i := range list {
		list[i] = found[i].Record
	}
	return list
}

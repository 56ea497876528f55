package page

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/session"
)

// folder is what lies below a prefix, by its next segment.
type folder struct {
	Name, Prefix string
	Count        int
}

// search is what the form of the memories asks for.
type search struct {
	Query, Types, Tags, Since string
	In, Prefix                string
	Why                       bool
}

// isEmpty reports whether nothing is looked for: then the page is for browsing.
func (s search) isEmpty() bool {
	return s.Query == "" && s.Types == "" && s.Tags == "" && s.Since == ""
}

// memoriesData is what is found, or what lies below a prefix.
type memoriesData struct {
	Search  search
	Stores  []*shelf
	Crumbs  []folder
	Folders []folder
	List    []listed
	Took    string // of a search
	Found   bool   // List is what a search has found
	More    bool   // List was cut
}

// maxListed is how many memories and folders a page lists.
const maxListed = 50

func memories(v *visit) error {
	q := v.r.URL.Query()
	data := memoriesData{Stores: v.shelves, Search: search{Query: q.Get("q"), Types: q.Get("type"),
		Tags: q.Get("tag"), Since: q.Get("since"), In: q.Get("in"), Prefix: q.Get("prefix"),
		Why: q.Get("why") != ""}}
	prefix, err := keypath.ParsePrefix(data.Search.Prefix)
	if err != nil {
		return err
	}
	data.Crumbs = crumbs(prefix)
	s, err := v.reading(data.Search.In)
	if err != nil {
		return err
	}
	data.Found = !data.Search.isEmpty()
	if data.Found {
		err = v.search(s, prefix, &data)
	} else {
		err = v.browse(s, prefix, &data)
	}
	if err != nil {
		return err
	}
	return v.show("memories", "Memories", data)
}

// crumbs returns a prefix and what it lies in, from the top.
func crumbs(prefix keypath.Prefix) (list []folder) {
	path := ""
	for name := range strings.SplitSeq(strings.Trim(prefix.String(), "/"), "/") {
		if name != "" {
			path += "/" + name
			list = append(list, folder{Name: name, Prefix: path})
		}
	}
	return list
}

// search searches, as mem search does.
func (v *visit) search(s *mem.Store, prefix keypath.Prefix, data *memoriesData) error {
	o := mem.SearchOptions{Query: data.Search.Query, Prefix: prefix, Limit: maxListed + 1,
		Explain: data.Search.Why, Superseded: true, Types: strings.Fields(
			strings.ReplaceAll(data.Search.Types, ",", " "))}
	if data.Search.Tags != "" {
		o.Tags = []string{data.Search.Tags}
	}
	var err error
	if o.Since, err = since(data.Search.Since, s.Now()); err != nil {
		return err
	}
	began := v.o.Now()
	found, err := session.Search(v.ctx(), s, v.caller(), o)
	if err != nil {
		return err
	}
	data.Took = v.o.Now().Sub(began).Round(time.Millisecond).String()
	data.More = len(found) > maxListed
	for _, f := range found[:min(len(found), maxListed)] {
		one := v.newListed(data.Search.In, f.Record)
		one.Score = strconv.FormatFloat(f.Score, 'f', 3, 64)
		one.Why = why(f, data.Search.Why)
		data.List = append(data.List, one)
	}
	return nil
}

// why returns what the score of a hit is made of, if that is asked for.
func why(f mem.Found, asked bool) (parts []string) {
	if !asked {
		return nil
	}
	for _, p := range f.Factors {
		parts = append(parts, fmt.Sprintf("× %s %.4g", p.Name, p.Value))
	}
	if len(parts) > 0 {
		return parts
	}
	for _, p := range f.Parts {
		parts = append(parts, "+ "+p.String())
	}
	return parts
}

// since reads a day, or a number of days ago; nil for neither.
func since(text string, now time.Time) (*log.Stamp, error) {
	if text == "" {
		return nil, nil
	}
	if n, err := strconv.Atoi(strings.TrimSuffix(text, "d")); err == nil {
		at := log.StampOf(now.AddDate(0, 0, -n))
		return &at, nil
	}
	at, err := log.ParseTime(text)
	return &at, err
}

// browse lists what lies below a prefix: the folders by name, and the newest memories.
func (v *visit) browse(s *mem.Store, prefix keypath.Prefix, data *memoriesData) (err error) {
	if data.Folders, err = v.folders(s, prefix, data.Search.In); err != nil {
		return err
	}
	found, err := s.Reader(v.caller()).Search(v.ctx(), mem.SearchOptions{Prefix: prefix,
		Sort: mem.ByTime, Limit: maxListed + 1, Superseded: true})
	data.More = len(found) > maxListed
	for _, f := range found[:min(len(found), maxListed)] {
		data.List = append(data.List, v.newListed(data.Search.In, f.Record))
	}
	return err
}

// folders counts what lies below each next segment after a prefix. That of all is counted already.
func (v *visit) folders(s *mem.Store, prefix keypath.Prefix, in string) ([]folder, error) {
	counts := map[string]int{}
	if prefix == (keypath.Prefix{}) {
		for _, sh := range v.shelves {
			if sh.ID != in && (in != "" || !sh.Used) {
				continue
			}
			t, err := v.tallies.of(v.ctx(), sh, v.caller())
			if err != nil {
				return nil, err
			}
			for name, g := range t.Namespaces {
				counts[name] += g.Count
			}
		}
		return foldersOf(counts, ""), nil
	}
	at := prefix.String()
	err := s.List(v.ctx(), v.caller(), mem.Filter{Prefix: prefix}, func(rec log.Record) error {
		rest, below := strings.CutPrefix(rec.Key.String(), at+"/")
		if name, _, deeper := strings.Cut(rest, "/"); below && deeper {
			counts[strings.Clone(name)]++
		}
		return nil
	})
	return foldersOf(counts, at), err
}

func foldersOf(counts map[string]int, at string) (list []folder) {
	for name, n := range counts {
		list = append(list, folder{name, at + "/" + name, n})
	}
	slices.SortFunc(list, func(a, b folder) int { return strings.Compare(a.Name, b.Name) })
	return list
}

package page

import (
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/session"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// listed is a memory in a list, and the ID of its store.
type listed struct {
	mem.Memory
	In     string
	Tags   []string
	Pinned bool
	By     string     // its author
	Found  *mem.Found // by words
}

// maxTags is how many tags a list shows of a memory.
const maxTags = 6

func (v *visit) newListed(id string, rec log.Record) listed {
	f := content.Parse(rec.Content)
	return listed{Memory: mem.MemoryOf(rec), In: v.idOf(id, rec.Layer), Pinned: f.Pinned,
		Tags: f.Tags[:min(len(f.Tags), maxTags)], By: content.AuthorName(rec.Source)}
}

// folder is what lies below a prefix, by its next segment.
type folder struct {
	Name, Prefix string
	Count        int
}

// memoriesData has the memories that a search found, or those below a prefix.
type memoriesData struct {
	Query, Types, Tags, In, Prefix string
	Why                            bool
	Asked                          string // the query of the request

	Stores          []*shelf
	Crumbs, Folders []folder
	List            []listed
	IsSearch, More  bool // More: List was cut
	From, Next      int  // how many come before List, and with it
	Fault           *failure
}

const maxListed, maxFrom = 50, 10_000

func memories(v *visit) error {
	q := v.r.URL.Query()
	data := memoriesData{Query: q.Get("q"), Types: q.Get("type"), Tags: q.Get("tag"),
		In: q.Get("in"), Prefix: q.Get("prefix"), Why: q.Get("why") != "", Stores: v.shelves,
		Asked: q.Encode()}
	data.IsSearch = data.Query+data.Types+data.Tags != ""
	err := v.look(&data)
	if err != nil {
		f := failureOf(err)
		data.Fault = &f // the form stays
	}
	v.send(statusOf(err), "memories", "Memories", data)
	return nil
}

// look finds what a form asks for.
func (v *visit) look(data *memoriesData) error {
	if data.Prefix = strings.Trim(data.Prefix, "/"); data.Prefix != "" {
		data.Prefix = "/" + data.Prefix
	}
	prefix, err := keypath.ParsePrefix(data.Prefix)
	if err != nil {
		return err
	}
	for at, char := range data.Prefix + "/" {
		if at > 0 && char == '/' {
			above := data.Prefix[:at]
			data.Crumbs = append(data.Crumbs, folder{Name: path.Base(above), Prefix: above})
		}
	}
	s, err := v.reading(data.In)
	if err != nil {
		return err
	}
	if !data.IsSearch {
		if data.Folders, err = v.folders(s, prefix, data.In); err != nil {
			return err
		}
	}
	return v.list(s, prefix, data)
}

// list searches as mem search does; without a query it lists the newest memories.
func (v *visit) list(s *mem.Store, prefix keypath.Prefix, data *memoriesData) (err error) {
	data.From, _ = strconv.Atoi(v.r.URL.Query().Get("from"))
	data.From = max(0, min(data.From, maxFrom)) // 0 for a text that is no number
	data.Next = data.From + maxListed
	o := mem.SearchOptions{Query: data.Query, Limit: data.Next + 1, Explain: data.Why,
		Conditions: mem.Conditions{Prefix: prefix, Superseded: true}}
	if data.Types != "" {
		o.Types = []string{data.Types}
	}
	if data.Tags != "" {
		o.Tags = []string{data.Tags}
	}
	var found []mem.Found
	if data.IsSearch {
		found, err = session.Search(v.ctx(), s, v.caller, o)
	} else {
		o.Sort = mem.ByTime
		found, err = s.Reader(v.caller).Search(v.ctx(), o) // to look around is no search
	}
	if err != nil {
		return err
	}
	data.More = len(found) > data.Next
	for _, f := range found[min(len(found), data.From):min(len(found), data.Next)] {
		if policy.IsProposal(f.Record.Key) {
			continue
		}
		one := v.newListed(data.In, f.Record)
		if data.Query != "" {
			one.Found = &f
		}
		data.List = append(data.List, one)
	}
	return nil
}

// folders counts what lies below each next segment after a prefix. That of all is counted already.
func (v *visit) folders(s *mem.Store, prefix keypath.Prefix, in string) (list []folder, err error) {
	counts, at := map[string]int{}, strings.TrimSuffix(prefix.String(), "/")
	if at == "" {
		for _, sh := range v.shelves {
			if sh.ID != in && (in != "" || !sh.Used) {
				continue
			}
			t, err := v.count(sh)
			if err != nil {
				return nil, err
			}
			for name, g := range t.Namespaces {
				counts[name] += g.Count
			}
		}
	} else if counts, err = countBelow(v.ctx(), s, v.caller, prefix); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		list = append(list, folder{name, at + "/" + name, counts[name]})
	}
	return list, err
}

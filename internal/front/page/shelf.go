package page

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/layers"
	"github.com/set-memory/mem/keypath"
)

// shelf is a store, as the page names it.
type shelf struct {
	ID    string // in URLs
	Title string
	Root  string
	Why   string
	Used  bool // it is a layer here, and not of another project
	Gone  bool // its repository is not where it was
	site  *site.Site
	store *mem.Store
	err   error // why it is not open
}

// shelvesOf returns the stores in use, the user's first, and then those of other projects.
func shelvesOf(l *layers.Layers) (list []*shelf, err error) {
	known := map[string]bool{}
	add := func(site *site.Site, used bool) {
		if known[site.Root] {
			return
		}
		known[site.Root] = true
		sh := &shelf{ID: site.Layer, Root: site.Root, Why: site.Why, Used: used, site: site}
		sh.store, sh.err = l.Open(site)
		sh.name()
		list = append(list, sh)
	}
	for _, site := range []*site.Site{l.Sites.One, l.Sites.User, l.Sites.Project} {
		if site != nil {
			add(site, true)
		}
	}
	if l.Sites.One != nil {
		return list, nil
	}
	others, err := l.Sites.OtherStores()
	for _, site := range others {
		add(site, false)
	}
	return list, err
}

// name says what the store is called.
func (sh *shelf) name() {
	repository, _ := site.RepositoryOf(sh.Root) // "" where that is not known
	if sh.site.Repo != nil {
		repository = sh.site.Repo.Common
	}
	if sh.site.Dot {
		repository = filepath.Dir(sh.Root)
	}
	_, err := os.Stat(repository)
	sh.Gone = repository != "" && errors.Is(err, fs.ErrNotExist)
	project := filepath.Base(strings.TrimSuffix(repository, string(filepath.Separator)+".git"))
	switch {
	case sh.Used && sh.ID == site.User:
		sh.Title = "Yours"
	case sh.Used && sh.ID == site.Project:
		sh.Title = project
	case sh.Used:
		sh.ID, sh.Title = "store", filepath.Base(sh.Root)
	default:
		of := sha256.Sum256([]byte(sh.Root))
		sh.ID, sh.Title = hex.EncodeToString(of[:6]), cmp.Or(project, filepath.Base(sh.Root))
		sh.Why = cmp.Or(sh.Why, "of "+cmp.Or(repository, sh.Root))
	}
}

// used returns the stores in use.
func (p *Page) used() []*shelf {
	return slices.DeleteFunc(slices.Clone(p.shelves), func(sh *shelf) bool { return !sh.Used })
}

// shelf returns the store of an ID; of "" that which has a key, as for a verb.
func (v *visit) shelf(id string, key keypath.Key) (*shelf, error) {
	site := (*site.Site)(nil)
	if id == "" {
		found, _, err := v.layers.Holding(v.ctx(), v.caller, key)
		if err != nil {
			return nil, err
		}
		site = found
	}
	for _, sh := range v.shelves {
		if sh.ID == id || sh.site == site {
			return sh, sh.err
		}
	}
	return nil, errNoStore
}

// reading returns the store that is asked: one, or of "" all that are in use, as one.
func (v *visit) reading(id string) (*mem.Store, error) {
	if id == "" {
		return v.layers.Reading()
	}
	sh, err := v.shelf(id, keypath.Key{})
	if err != nil {
		return nil, err
	}
	return sh.store, nil
}

// idOf returns the ID of the store that a record is from, which was read from that of an ID.
func (v *visit) idOf(id, layer string) string {
	if id == "" && layer != "" {
		return layer
	}
	return cmp.Or(id, v.shelves[0].ID)
}

func (v *visit) count(sh *shelf) (*sums, error) {
	if sh.err != nil {
		return nil, sh.err
	}
	return v.tallies.count(v.ctx(), sh.store, v.caller)
}

// sites returns where the stores are that can be read.
func (v *visit) sites() (list []*site.Site) {
	for _, sh := range v.shelves {
		if sh.err == nil {
			list = append(list, sh.site)
		}
	}
	return list
}

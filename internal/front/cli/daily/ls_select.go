package daily

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/cli/term"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

// Which memories ls lists, and in which order.

// lsConditions are those of mem search that a listing has too.
type lsConditions struct {
	types, tags  []string
	since, until string
	pinned       bool
	where        backend.Where

	sites []*site.Site // that are listed
}

func (c *lsConditions) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&c.types, "type", nil, "only of these `TYPES`, with commas")
	f.StringArrayVar(&c.tags, "tag", nil, "only with one of these `TAGS`, as in mem search")
	f.StringVar(&c.since, "since", "", "only of this `TIME` or later, as in mem search")
	f.StringVar(&c.until, "until", "", "only of this `TIME` or earlier")
	f.BoolVar(&c.pinned, "pinned", false, "only pinned memories")
}

func (c *lsConditions) isGiven() bool {
	return len(c.types)+len(c.tags) > 0 || c.since != "" || c.until != "" || c.pinned
}

func (c *lsConditions) parse(a *app.App, cmd *cobra.Command, now time.Time) error {
	c.sites = a.Layers.Sites.List()
	types, err := app.ListFlag("type", c.types)
	if err != nil {
		return err
	}
	so := mem.SearchOptions{Tags: c.tags, Conditions: mem.Conditions{Types: types}}
	so.Since, so.Until, err = parseSpan(c.since, c.until, now)
	if err == nil {
		// The listing itself says what of the expired is shown: to a now of 0 nothing has expired.
		c.where, err = so.Where(0)
	}
	return err
}

func (c *lsConditions) hold(a *app.App, rec log.Record) bool {
	return !c.isGiven() || c.where.Holds(rec.TS, content.Parse(rec.Content)) &&
		(!c.pinned || c.isPinned(a, rec))
}

// isPinned reports whether a memory is pinned in its store, and may be injected.
func (c *lsConditions) isPinned(a *app.App, rec log.Record) bool {
	repository := slices.ContainsFunc(c.sites, func(site *site.Site) bool {
		return site.InRepository() && (len(c.sites) == 1 || site.Layer == rec.Layer)
	})
	return policy.IsPinned(rec, repository) && content.Successor(rec.Content) == "" &&
		policy.OnPage(a.Caller, keypath.Prefix{}, rec.Key)
}

// listed is a memory of a listing, with what it may be ordered by.
type listed struct {
	mem.Memory
	importance float64
	size       int // of the content, in bytes
	style      term.Style
}

func newListed(s *mem.Store, rec log.Record, now time.Time) listed {
	f := content.Parse(rec.Content)
	row := listed{Memory: s.Describe(rec), importance: f.Importance, size: len(rec.Content)}
	switch {
	case f.SupersededBy != "" || f.Expired(log.StampOf(now)):
		row.style = term.Dim // no longer in force
	case rec.Key.Untrusted(), row.Untrusted:
		row.style = term.Yellow // to be approved or rejected
	}
	return row
}

// The orders of a listing.
const (
	byKey        = "key"
	byTime       = "time"
	byImportance = "importance"
	bySize       = "size"
	byType       = "type"
)

// lsOrders compare two memories of one listing. Equal ones stay in the order of their keys.
var lsOrders = map[string]func(x, y listed) int{
	byKey:        func(x, y listed) int { return x.Key.CompareNumbered(y.Key) },
	byTime:       func(x, y listed) int { return cmp.Compare(y.Timestamp(), x.Timestamp()) },
	byImportance: func(x, y listed) int { return cmp.Compare(y.importance, x.importance) },
	bySize:       func(x, y listed) int { return cmp.Compare(y.size, x.size) },
	byType:       func(x, y listed) int { return cmp.Compare(x.Type, y.Type) },
}

func checkOrder(name string) error {
	if lsOrders[name] == nil {
		return app.BadInput("--sort "+name, "want key, time, importance, size or type", "")
	}
	return nil
}

// sortListed orders rows that are in the order of their keys.
func sortListed[T any](rows []T, order string, of func(T) listed) {
	slices.SortStableFunc(rows, func(x, y T) int { return lsOrders[order](of(x), of(y)) })
}

// sortColumn returns the name of the column that shows what a listing is ordered by; "" where the
// other columns do.
func sortColumn(order string) string {
	return map[string]string{byImportance: "IMPORTANCE", bySize: "BYTES"}[order]
}

// sortField is what stands in that column.
func (row *listed) sortField(order string) string {
	if order == bySize {
		return strconv.Itoa(row.size)
	}
	return strconv.FormatFloat(row.importance, 'g', 3, 64)
}

package audit

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"unicode/utf8"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/view/moved"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// The names of the checks, in the order of a report.
const (
	Duplicates = "duplicates"
	Stale      = "stale"
	Unsourced  = "unsourced"
	Expired    = "expired"
	Dangling   = "dangling"
	Moved      = "moved"
)

var order = []string{Duplicates, Stale, Unsourced, Expired, Dangling, Moved}

// MaxDays is the greatest age that can be asked for.
const MaxDays = 1_000_000

// Options select memories and checks.
type Options struct {
	Prefix     keypath.Prefix
	Duplicates bool
	StaleDays  int // memories older than this; 0: none, at most MaxDays
	Unsourced  bool
	Expired    bool
	Dangling   bool
	Moved      bool
	Tree       moved.Tree   // that files are compared with; for Moved
	Others     []*mem.Store // that are read together with this one; may have a successor
}

// Any reports whether a check is asked for.
func (o Options) Any() bool {
	return o.Duplicates || o.StaleDays > 0 || o.Unsourced || o.Expired || o.Dangling || o.Moved
}

// Finding is a memory that a check has found.
type Finding struct {
	Check  string        `json:"check"`
	Key    keypath.Key   `json:"key"`              // of duplicates the newest
	Others []keypath.Key `json:"others,omitempty"` // its duplicates
	Detail string        `json:"detail"`
	Fix    Fix           `json:"-"`
}

// Fix is what mends a finding: calls of mem, one after the other.
type Fix struct {
	Calls []Call
	Piped bool // the output of each call is the input of the next
}

// Call is a call of mem.
type Call struct {
	Verb string
	Args []string
}

func one(verb string, args ...string) Fix { return Fix{Calls: []Call{{verb, args}}} }

// Report lists the findings, by check and key.
type Report struct {
	Scanned int
	Found   []Finding
}

// Run makes the checks over the live memories that the caller is shown.
func Run(ctx context.Context, s *mem.Store, c mem.Caller, o Options) (Report, error) {
	now := c.Now
	if now == 0 {
		now = log.StampOf(s.Now())
	}
	config, err := s.ConfigToRead(ctx)
	if err != nil {
		return Report{}, err
	}
	p := &pass{options: o, config: config, now: now, copies: newCopies(),
		sessions: map[string]bool{}}
	filter := mem.Filter{Prefix: o.Prefix, Expired: true, Browse: true}
	err = s.List(ctx, c, filter, func(rec log.Record) error {
		if policy.Visible(c, rec.Key) {
			p.look(rec, content.Parse(rec.Content))
		}
		return nil
	})
	if err != nil {
		return Report{}, err
	}
	err = p.dangling(ctx, s, c)
	return p.report(), err
}

// pass is the one pass over the memories.
type pass struct {
	options  Options
	config   *mem.Config
	now      log.Stamp
	scanned  int
	found    []Finding       // of the checks that need no second memory
	pointers []pointer       // of superseded memories
	sessions map[string]bool // that have records, by their keys
	copies   *copies
}

func (p *pass) look(rec log.Record, f content.Fields) {
	p.scanned++
	if f.Expired(p.now) {
		if p.options.Expired {
			p.add(Expired, rec.Key, "expired at "+f.Expires.String(), one("forget", name(rec.Key)))
		}
		return
	}
	if at, ok := rec.Key.SizedBelow(); ok && p.options.Dangling {
		p.sessions[at.String()] = true
	}
	if p.options.Unsourced && !policy.LeadsBack(rec.Source) {
		p.add(Unsourced, rec.Key, "its source leads nowhere",
			p.sourcing(rec.Key))
	}
	if f.SupersededBy != "" {
		if p.options.Dangling {
			p.pointers = append(p.pointers, pointer{rec.Key, f.SupersededBy})
		}
		return
	}
	p.lookAtAge(rec, f)
	if p.options.Moved {
		p.lookAtFiles(rec, f)
	}
	if p.options.Duplicates {
		p.copies.add(rec, f)
	}
}

func (p *pass) lookAtAge(rec log.Record, f content.Fields) {
	age := p.now - f.Time(rec.TS)
	days := min(p.options.StaleDays, MaxDays)
	if days <= 0 || f.IsRule() || age <= log.Stamp(days)*log.Day {
		return
	}
	detail := fmt.Sprintf("%d days old: %s", age/log.Day, short(rec, f))
	p.add(Stale, rec.Key, detail, one("forget", name(rec.Key), "--reason", "stale"))
}

// lookAtFiles adds a memory whose files have changed or are gone. A note is renewed by its own text
// where that works: with the same files, or with the names that those have now which are gone.
func (p *pass) lookAtFiles(rec log.Record, f content.Fields) {
	remark := p.options.Tree.Remark(rec.Layer, f.Files)
	if remark == "" {
		return
	}
	fix := one("forget", name(rec.Key), "--reason", remark)
	scope, _, isNote := note.Split(rec.Key)
	in, detail := path.Base(scope.String()), remark
	if files, renamed := p.filesNow(f.Files, remark); isNote && files != nil && renews(in, f.Text) {
		args := []string{"--scope", in}
		for _, file := range files {
			args = append(args, "--file", p.options.Tree.Absolute(file))
		}
		fix = one("note", append(args, "--", f.Text)...)
		if renamed != "" {
			detail += ", " + renamed + " has its bytes"
		}
	}
	p.add(Moved, rec.Key, detail+": "+short(rec, f), fix)
}

// filesNow returns the paths of the files of a memory as they are now, and one that has another
// name; nil where one is gone for good.
func (p *pass) filesNow(files []content.File, remark string) (now []string, renamed string) {
	for _, f := range files {
		path := f.Path
		if remark == moved.Gone && p.options.Tree.Remark("", []content.File{f}) == moved.Gone {
			if path = p.options.Tree.Find(f); path == "" {
				return nil, ""
			}
			renamed = path
		}
		now = append(now, path)
	}
	return now, renamed
}

// renews reports whether mem note with a text makes the same note again, and shows no secret.
func renews(scope, text string) bool {
	return scope != "session" && mem.MaskSecrets(text) == text &&
		utf8.RuneCountInString(text) <= policy.MaxNote
}

func (p *pass) add(check string, key keypath.Key, detail string, fix Fix) {
	p.found = append(p.found, Finding{Check: check, Key: key, Detail: detail, Fix: fix})
}

func (p *pass) report() Report {
	all := append(p.found, p.copies.findings()...)
	slices.SortStableFunc(all, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Check), slices.Index(order, b.Check)),
			a.Key.Compare(b.Key))
	})
	return Report{p.scanned, append([]Finding{}, all...)}
}

// sourcing returns what writes a memory again with a source that is to be filled in. Where
// provenance is due for every key, words are not enough.
func (p *pass) sourcing(key keypath.Key) Fix {
	set := Call{"set", []string{name(key), "-", "--source", "WHERE FROM"}}
	if p.config.NeedsProvenance(key) {
		set.Args = []string{name(key), "-", "--kind", "user", "--name", "WHO", "--locator",
			"WHERE FROM"}
	}
	return Fix{Calls: []Call{{"get", []string{name(key)}}, set}, Piped: true}
}

// name returns a key as an argument of mem that can be typed.
func name(key keypath.Key) string { return key.Shown() }

func names(keys []keypath.Key) (list []string) {
	for _, key := range keys {
		list = append(list, name(key))
	}
	return list
}

// short returns the beginning of what a memory says.
func short(rec log.Record, f content.Fields) string {
	return mem.MaskSecrets(readout.Short(rec.Content, f))
}

// version is which memory of several is the newest.
type version struct {
	key      keypath.Key
	time, ts log.Stamp
	object   bool // its content is a JSON object
}

func versionOf(rec log.Record, f content.Fields) version {
	return version{rec.Key, f.Time(rec.TS), rec.TS, rec.Content[0] == '{'}
}

// compare orders the older memory first.
func (v version) compare(o version) int {
	return cmp.Or(cmp.Compare(v.time, o.time), cmp.Compare(v.ts, o.ts), v.key.Compare(o.key))
}

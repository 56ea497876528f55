package transfer

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"maps"
	"slices"
	"strings"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// PrefixSum counts the live memories below one first segment of keys.
type PrefixSum struct {
	Prefix   string `json:"prefix"` // "/" for the keys of one segment
	Memories int    `json:"memories"`
	Sum      string `json:"sum"` // SHA-256 over the lines, in the order of the keys
}

func topPrefix(key keypath.Key) string {
	first, _, deeper := strings.Cut(key.String()[1:], "/")
	if !deeper {
		return "/"
	}
	return "/" + first
}

// tally adds up the lines of a prefix.
type tally struct {
	memories int
	sum      hash.Hash
}

// foldPrefixes sums up the live memories of a store that have not expired by now, by prefix.
func foldPrefixes(ctx context.Context, s *mem.Store, now log.Stamp) ([]PrefixSum, error) {
	found := map[string]*tally{}
	for rec, err := range s.Reader(mem.Caller{}).ScanBelow(ctx, keypath.Prefix{}) {
		if err != nil {
			return nil, err
		}
		if content.Expired(rec.Content, now) {
			continue
		}
		t := found[topPrefix(rec.Key)]
		if t == nil {
			t = &tally{sum: sha256.New()}
			found[strings.Clone(topPrefix(rec.Key))] = t
		}
		t.memories++
		t.sum.Write(rec.Line) // it never fails
		t.sum.Write([]byte{'\n'})
	}
	list := []PrefixSum{}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		t := found[name]
		list = append(list, PrefixSum{name, t.memories, hex.EncodeToString(t.sum.Sum(nil))})
	}
	return list, nil
}

// now is the instant by which something counts as expired. A store goes by its own newest time
// where that is ahead of the clock.
func (r *copying) now() log.Stamp {
	return max(log.StampOf(r.From.Store.Now()), log.StampOf(r.To.Store.Now()), r.found.newest)
}

// compare folds both stores, and returns a *DifferenceError where they do not hold the same.
func (r *copying) compare() (differ, err error) {
	if err := r.compact(); err != nil {
		return nil, err
	}
	from, err := foldPrefixes(r.ctx, r.From.Store, r.now())
	if err != nil {
		return nil, err
	}
	to, err := foldPrefixes(r.ctx, r.To.Store, r.now())
	if err != nil {
		return nil, err
	}
	r.rep.Prefixes = from
	if slices.Equal(from, to) {
		return nil, nil
	}
	return &DifferenceError{r.From.Name, r.To.Name, differences(from, to)}, nil
}

// compact makes a target answer from its state that had a long history replayed, as a write would
// begin to: to fold that history would hold all of it in memory, and so would every read after it.
func (r *copying) compact() error {
	if r.rep.Versions == 0 {
		return nil
	}
	to := r.To.Store
	conf, err := to.Config(r.ctx)
	if err != nil || !conf.AutoCompact {
		return nil // the source had the same bad configuration; the next write reports it
	}
	_, err = to.Compact(r.ctx, r.caller, mem.CompactOptions{IfNeeded: true, NamesOnly: true})
	if errors.Is(err, log.ErrLocked) {
		err = nil // another one is at it
	}
	return err
}

// PrefixDifference is a prefix of which two stores do not hold the same.
type PrefixDifference struct {
	Prefix   string
	From, To int // memories
}

func differences(from, to []PrefixSum) (list []PrefixDifference) {
	sides := map[string][2]PrefixSum{}
	for _, p := range from {
		sides[p.Prefix] = [2]PrefixSum{p, {}}
	}
	for _, p := range to {
		sides[p.Prefix] = [2]PrefixSum{sides[p.Prefix][0], p}
	}
	for name, side := range sides {
		if side[0] != side[1] {
			list = append(list, PrefixDifference{name, side[0].Memories, side[1].Memories})
		}
	}
	slices.SortFunc(list, func(a, b PrefixDifference) int {
		return cmp.Compare(a.Prefix, b.Prefix)
	})
	return list
}

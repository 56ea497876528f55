package state

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"sort"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Select returns what meets the conditions, in an order; limit 0: all.
func (v *View) Select(ctx context.Context, w backend.Where, o backend.Order, limit int) (
	list []log.Record, err error) {
	s := selection{view: v, where: &w, order: o, limit: limit}
	err = s.indexed(func(p backend.Placed) bool {
		list = append(list, p.Record)
		return limit == 0 || len(list) < limit
	})
	if err == nil {
		return list, nil
	}
	v.goWithout("ranking columns", err)
	return s.scanned(ctx)
}

// Selected yields what Select returns without a limit. Where the columns are found damaged on the
// way, what has not been yielded comes from a pass over everything below the prefix.
func (v *View) Selected(ctx context.Context, w backend.Where, o backend.Order,
) iter.Seq2[backend.Placed, error] {
	return func(yield func(backend.Placed, error) bool) {
		s := selection{view: v, where: &w, order: o, buffer: &[]byte{}}
		var passed []keypath.Key
		err := s.indexed(func(p backend.Placed) bool {
			passed = append(passed, p.Record.Key)
			return yield(p, nil)
		})
		if err == nil {
			return
		}
		v.goWithout("ranking columns", err)
		s.scannedBut(ctx, passed, yield)
	}
}

// scannedBut yields what a scan finds, but for some keys.
func (s *selection) scannedBut(ctx context.Context, passed []keypath.Key,
	yield func(backend.Placed, error) bool) {
	list, err := s.scanned(ctx)
	if err != nil {
		yield(backend.Placed{}, err)
		return
	}
	has := make(map[keypath.Key]bool, len(passed))
	for _, key := range passed {
		has[key] = true
	}
	for _, rec := range list {
		p := backend.PlaceRecord(s.order, rec, content.Parse(rec.Content))
		if !has[rec.Key] && !yield(p, nil) {
			return
		}
	}
}

type selection struct {
	view  *View
	where *backend.Where
	order backend.Order
	limit int
	table *table
	rows  []selectedRow

	buffer *[]byte // of the line that is read last; nil: each has its own
}

// selectedRow is a row that meets the conditions but those on single records.
type selectedRow struct {
	rankRow
	place backend.SortKey
}

// scanned reads everything below the prefix.
func (s *selection) scanned(ctx context.Context) (list []log.Record, err error) {
	for rec, err := range s.view.ScanBelow(ctx, s.where.Prefix) {
		if err != nil {
			return nil, err
		}
		f := content.Parse(rec.Content)
		if s.meets(rec.Key, rec.TS, content.RealmOf(rec.Key, f), f) && s.where.Accepts(rec) {
			list = append(list, rec.Clone())
		}
	}
	backend.SortRecords(s.order, list)
	return s.cut(list), nil
}

// fresh returns what came since and meets the conditions, in order. The cache's mu is held.
func (s *selection) fresh() (fresh []backend.Placed) {
	since := s.view.since
	items := s.view.cache.around(since, s.where.Prefix)
	for i := range items {
		it := &items[i]
		if s.meets(it.key, it.item.TS, it.realm, it.item.Fields) && s.where.Accepts(since[it.key]) {
			fresh = append(fresh, backend.PlaceRecord(s.order, since[it.key], it.item.Fields))
		}
	}
	backend.SortPlaced(s.order, fresh)
	return fresh
}

// meets reports whether a record meets the conditions but those on single records.
func (s *selection) meets(key keypath.Key, ts log.Stamp, r keypath.Realm, f content.Fields) bool {
	return s.where.Prefix.Holds(key) && s.where.Shows(r) && s.where.Holds(ts, f)
}

func (s *selection) cut(list []log.Record) []log.Record {
	if s.limit > 0 && len(list) > s.limit {
		list = list[:s.limit]
	}
	return list
}

// indexed yields what the rows, and what came since, have. Where there is no state, that is all.
func (s *selection) indexed(yield func(backend.Placed) bool) error {
	if s.view.file == nil {
		s.view.cache.mu.Lock()
		fresh := s.fresh()
		s.view.cache.mu.Unlock()
		return s.merge(fresh, yield)
	}
	var fresh []backend.Placed
	// The guard ends before anything is yielded: what its user does is not the columns' fault.
	err := disk.Guard(func() (err error) { fresh, err = s.look(); return err })
	if err != nil {
		return err
	}
	slices.SortFunc(s.rows, s.compare)
	return s.merge(fresh, yield)
}

// look finds the rows, and returns what came since, in order.
func (s *selection) look() (fresh []backend.Placed, err error) {
	if s.table, err = s.view.columns(); err != nil {
		return nil, err
	}
	fresh, replaced, err := s.since()
	if err != nil {
		return nil, err
	}
	return fresh, s.collect(replaced)
}

// compare orders rows; those of one place by their keys, in whose order the lines stand.
func (s *selection) compare(a, b selectedRow) int {
	return cmp.Or(s.order.Compare(a.place, b.place), cmp.Compare(a.Offset, b.Offset))
}

// since returns what came since and meets the conditions, in order, and the rows that it replaces.
func (s *selection) since() (fresh []backend.Placed, replaced map[int64]bool, err error) {
	cache := s.view.cache
	cache.mu.Lock()
	defer cache.mu.Unlock()
	rows, err := cache.replaced(s.table, s.view.since)
	if err != nil {
		return nil, nil, err
	}
	fresh = s.fresh()
	if s.limit > 0 {
		fresh = fresh[:min(len(fresh), s.limit)]
	}
	return fresh, rows.at, nil
}

// collect finds the rows: those of a prefix by their lines, else all by their bands.
func (s *selection) collect(replaced map[int64]bool) error {
	if s.where.Prefix.String() == "/" {
		return s.collectBands(replaced)
	}
	spans, err := s.view.file.spans(s.where.Prefix)
	if err != nil {
		return err
	}
	for _, sp := range spans {
		if err := s.collectLines(sp, replaced); err != nil {
			return err
		}
	}
	return nil
}

// collectLines adds the rows of a range of the state.
func (s *selection) collectLines(sp span, replaced map[int64]bool) error {
	line, err := s.table.lineFrom(sp.from)
	for ; err == nil && line < s.table.Len(); line++ {
		row, band, err := s.table.rowOfLine(line)
		if err != nil {
			return err
		}
		if row.Offset >= sp.to {
			return nil
		}
		if _, err := s.add(row, &band, replaced); err != nil {
			return err
		}
	}
	return err
}

// collectBands adds the rows of all bands, the most important first. Of a band that stands in the
// order of the selection no more are looked at than could be returned.
func (s *selection) collectBands(replaced map[int64]bool) error {
	bands := slices.Clone(s.table.bands)
	slices.SortStableFunc(bands, func(a, b rankBand) int {
		return cmp.Compare(b.Importance, a.Importance)
	})
	for i := range bands {
		band := &bands[i]
		if band.Importance < s.where.MinImportance || s.hasMoreImportant(band.Importance) {
			return nil
		}
		if !s.where.Shows(band.Realm) || !s.where.HasType(band.Type) ||
			s.where.Rules && !band.Rule {
			continue
		}
		if err := s.collectBand(band, replaced); err != nil {
			return err
		}
	}
	return nil
}

// hasMoreImportant reports whether the rows found are more important than the others.
func (s *selection) hasMoreImportant(left float64) bool {
	if !s.isCut() || s.order != backend.MostImportantFirst || len(s.rows) < s.limit {
		return false
	}
	s.trim()
	return s.rows[s.limit-1].place.Importance > left
}

// trim keeps the rows that can be returned.
func (s *selection) trim() {
	slices.SortFunc(s.rows, s.compare)
	s.rows = s.rows[:s.limit]
}

func (s *selection) collectBand(band *rankBand, replaced map[int64]bool) error {
	enough := 0
	if s.isCut() && s.order == backend.NewestFirst {
		enough = s.limit
	}
	first, err := s.firstUntil(band)
	for found := 0; err == nil && first < band.First+band.Len; first++ {
		row, err := s.table.Row(first)
		if err != nil {
			return err
		}
		if s.where.Since != nil && row.Time < *s.where.Since {
			return nil
		}
		ok, err := s.add(row, band, replaced)
		if err != nil {
			return err
		}
		if ok {
			found++
		}
		if enough > 0 && found == enough {
			return nil
		}
	}
	return err
}

// firstUntil returns the first row of a band that is not too new.
func (s *selection) firstUntil(band *rankBand) (first int, err error) {
	if s.where.Until == nil {
		return band.First, nil
	}
	n := sort.Search(band.Len, func(i int) bool {
		row, failed := s.table.Row(band.First + i)
		if failed != nil {
			err = failed
		}
		return failed != nil || row.Time <= *s.where.Until
	})
	return band.First + n, err
}

// add adds a row if it meets the conditions and nothing has replaced it.
func (s *selection) add(
	row rankRow, band *rankBand, replaced map[int64]bool,
) (ok bool, err error) {
	if ok, err = s.table.meets(s.where, row, band); !ok || err != nil || replaced[row.Offset] {
		return false, err
	}
	place := backend.SortKey{Time: row.Time, Importance: row.Importance, Type: band.Type,
		HasExpiry: row.HasExpiry, Expires: row.Expires,
		Key: func() (keypath.Key, bool) { return s.table.keyOf(row) }}
	s.rows = append(s.rows, selectedRow{row, place.InOrder(s.order)})
	if most := 2*s.limit + 1000; s.isCut() && len(s.rows) >= most {
		s.trim()
	}
	return true, nil
}

// isCut reports whether no more rows are read than are returned.
func (s *selection) isCut() bool {
	return s.limit > 0 && s.where.Shadowed == nil && s.where.Written == 0 &&
		s.where.Accept == nil
}

// merge reads the rows and yields them merged with what came since.
func (s *selection) merge(fresh []backend.Placed, yield func(backend.Placed) bool) error {
	for _, row := range s.rows {
		for len(fresh) > 0 && s.order.Compare(fresh[0].Place, row.place) < 0 {
			if !yield(fresh[0]) {
				return nil
			}
			fresh = fresh[1:]
		}
		if s.where.IsOld(row.TS) {
			continue
		}
		rec, err := s.table.lineIn(s.buffer, row.rankRow)
		if err != nil {
			return err
		}
		for len(fresh) > 0 && s.order.Compare(fresh[0].Place, row.place) == 0 &&
			fresh[0].Record.Key.Compare(rec.Key) < 0 {
			if !yield(fresh[0]) {
				return nil
			}
			fresh = fresh[1:]
		}
		if s.where.Accepts(rec) && !yield(backend.Placed{Record: rec, Place: row.place}) {
			return nil
		}
	}
	for _, p := range fresh {
		if !yield(p) {
			return nil
		}
	}
	return nil
}

package state

import (
	"context"
	"iter"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// Rank ranks the records that may be shown, best first.
func (v *View) Rank(ctx context.Context, q readout.Query, w backend.Where) (
	backend.Ranking, error) {
	if w.AllFields() {
		r, err := v.rankColumns(ctx, q, w)
		if err == nil {
			return r, nil
		}
		v.goWithout("ranking columns", err)
	}
	return v.rankAll(ctx, q, w)
}

// rankAll reads everything that is live.
func (v *View) rankAll(ctx context.Context, q readout.Query, w backend.Where) (
	backend.Ranking, error) {
	sel := readout.NewSelector(q)
	for rec, err := range v.ScanBelow(ctx, w.Prefix) {
		if err != nil {
			return backend.Ranking{}, err
		}
		it := itemOf(rec)
		if ranks(&w, content.RealmOf(rec.Key, it.Fields)) && w.Holds(it.TS, it.Fields) {
			sel.AddIf(it, single(&w, func() log.Record { return rec }))
		}
	}
	return backend.Ranking{Considered: sel.Considered(), Rows: candidates(sel.Sorted())}, nil
}

// single returns what the conditions on single records say of one; nil where there are none.
func single(w *backend.Where, load func() log.Record) (accept func() bool) {
	if w.Superseded && w.Shadowed == nil && w.Written == 0 && w.Accept == nil {
		return nil
	}
	return func() bool { return w.Accepts(load()) }
}

func candidates(list []readout.Candidate) iter.Seq2[readout.Candidate, error] {
	return func(yield func(readout.Candidate, error) bool) {
		for _, c := range list {
			if !yield(c, nil) {
				return
			}
		}
	}
}

func itemOf(rec log.Record) readout.Item {
	return readout.Item{
		Key: rec.Key.String(), TS: rec.TS, Fields: content.Parse(rec.Content),
		Content: rec.Content, Source: rec.Source,
	}
}

// rankColumns merges the rows of the columns with what came since. An error of the columns is
// returned before the first row; a later one makes the ranking continue without them.
func (v *View) rankColumns(ctx context.Context, q readout.Query, w backend.Where) (
	r backend.Ranking, err error) {
	table, err := v.openTable()
	if err != nil {
		return r, err
	}
	sel, eligible := readout.NewSelector(q), 0
	var replaced map[int64]bool
	err = disk.Guard(func() (err error) {
		replaced, eligible, err = v.addSince(table, sel, q.Now, w)
		return err
	})
	if err != nil {
		table.Close()
		return r, err
	}
	r.Considered = eligible + sel.Considered()
	r.Rows = func(yield func(readout.Candidate, error) bool) {
		defer table.Close()
		var passed []string
		noted := func(c readout.Candidate, err error) bool {
			passed = append(passed, c.Key)
			return yield(c, err)
		}
		rows := rowMerge{query: &q, where: &w, table: table, replaced: replaced,
			rows: map[string]int{}}
		if err := mergeRanked(rows, sel.Sorted(), noted); err != nil {
			v.debug("ranking columns not used further: " + err.Error())
			v.goOn(ctx, q, w, passed, yield)
		}
	}
	return r, nil
}

// addSince adds the writes since to a selection. It returns the rows that this replaces, and how
// many other rows may appear in a read at now.
func (v *View) addSince(t *table, sel *readout.Selector, now log.Stamp, w backend.Where) (
	replaced map[int64]bool, eligible int, err error) {
	v.cache.mu.Lock()
	defer v.cache.mu.Unlock()
	if eligible, err = t.eligible(now, w); err != nil {
		return nil, 0, err
	}
	rows, err := v.cache.replaced(t, v.since)
	if err != nil {
		return nil, 0, err
	}
	for _, it := range v.cache.live(v.since) {
		if ranks(&w, it.realm) {
			sel.AddIf(it.item, single(&w, func() log.Record { return v.since[it.key] }))
		}
	}
	return rows.at, eligible - rows.countShown(now, w), nil
}

// goOn yields the rows that had not passed when the columns failed.
func (v *View) goOn(
	ctx context.Context, q readout.Query, w backend.Where, passed []string,
	yield func(readout.Candidate, error) bool,
) {
	all, err := v.rankAll(ctx, q, w)
	if err != nil {
		yield(readout.Candidate{}, err)
		return
	}
	has := make(map[string]bool, len(passed))
	for _, key := range passed {
		has[key] = true
	}
	for c := range all.Rows {
		if !has[c.Key] && !yield(c, nil) {
			return
		}
	}
}

// mergeRanked yields the rows and the sorted list in one order. The error is that of the columns.
func mergeRanked(m rowMerge, list []readout.Candidate,
	yield func(readout.Candidate, error) bool) error {
	if err := disk.Guard(m.begin); err != nil {
		return err
	}
	row, more, err := m.guardedNext()
	for err == nil && (more || len(list) > 0) {
		if more && (len(list) == 0 || row.Compare(&list[0]) < 0) {
			if !yield(row, nil) {
				return nil
			}
			row, more, err = m.guardedNext()
			continue
		}
		if !yield(list[0], nil) {
			return nil
		}
		list = list[1:]
	}
	return err
}

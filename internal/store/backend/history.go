package backend

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/set-memory/mem/log"
)

// Until yields the records of a sequence until the context ends, which is the last error then.
func Until(ctx context.Context, seq iter.Seq2[log.Record, error]) iter.Seq2[log.Record, error] {
	return func(yield func(log.Record, error) bool) {
		for rec, err := range seq {
			if ctx.Err() != nil {
				yield(log.Record{}, fmt.Errorf("reading: %w", context.Cause(ctx)))
				return
			}
			if !yield(rec, err) {
				return
			}
		}
	}
}

// VersionsOf returns the versions of a key from its records in any order, some perhaps twice. It
// sorts the list.
func VersionsOf(list []log.Record, damaged []*log.Damage) Versions {
	if len(list) == 0 {
		return Versions{Damaged: damaged}
	}
	slices.SortStableFunc(list, log.NewestFirst)
	list = slices.CompactFunc(list, func(a, b log.Record) bool {
		return bytes.Equal(a.Line, b.Line)
	})
	return Versions{Count: len(list), Damaged: damaged,
		Rows: func(yield func(log.Record, error) bool) {
			for _, rec := range list {
				if !yield(rec, nil) {
					return
				}
			}
		}}
}

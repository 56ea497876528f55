package main

import (
	"context"
	"fmt"
)

// searchRows measures a search for a rare word and for one that most records have, next to the full text of SQLite, and what the index costs a compaction.
func searchRows(ctx context.Context, l *lab) ([]row, error) {
	if l.floors.sqlite3 == "" {
		return []row{missing("`mem search`", "sqlite3 is not installed")}, nil
	}
	n := l.sizes.large
	db, err := l.fullTextTable(ctx, n+l.sizes.medium)
	if err != nil {
		return nil, err
	}
	root := l.path("prose")
	if err := l.proseStore(ctx, root, n); err != nil {
		return nil, err
	}
	rows, err := l.searchBoth(ctx, root, db, records(n), 1)
	if err != nil {
		return rows, err
	}
	if err := l.addProse(ctx, root, n, n+l.sizes.medium); err != nil {
		return rows, err
	}
	more, err := l.searchBoth(ctx, root, db, fmt.Sprintf("%s, %d more in the log's tail", records(n), l.sizes.medium), 3)
	return append(rows, more...), err
}

// proseStore makes a compacted store of n records of prose.
func (l *lab) proseStore(ctx context.Context, root string, n int) error {
	if err := quiet(root); err != nil {
		return err
	}
	if err := l.addProse(ctx, root, 0, n); err != nil {
		return err
	}
	_, err := l.run(ctx, l.memCompact(root))
	return err
}

func (l *lab) addProse(ctx context.Context, root string, from, to int) error {
	input, err := l.file("prose.jsonl", prose(from, to))
	if err != nil {
		return err
	}
	_, err = l.run(ctx, l.memBatch(root, input))
	return err
}

func (l *lab) fullTextTable(ctx context.Context, n int) (string, error) {
	script, err := l.file("prose.sql", proseSQL(n))
	if err != nil {
		return "", err
	}
	db := l.path("prose.db")
	_, err = l.run(ctx, command{argv: []string{l.floors.sqlite3, db}, stdin: script})
	return db, err
}

func (l *lab) searchBoth(ctx context.Context, root, db, what string, most float64) ([]row, error) {
	var rows []row
	for _, c := range []struct{ name, word string }{{"a rare word", rareWord}, {"a common word", commonWord}} {
		search := cmd(l.mem, "search", c.word, "--root", root)
		query := cmd(l.floors.sqlite3, db, fmt.Sprintf("SELECT key, type, text FROM memory WHERE memory MATCH '%s' ORDER BY bm25(memory) LIMIT 20;", c.word))
		took, err := l.race(ctx, max(1, l.sizes.reps/4), always(search), always(query))
		if err != nil {
			return rows, err
		}
		rows = append(rows, over(fmt.Sprintf("`mem search`, %s, %s", c.name, what), took[0], "sqlite3 shell, FTS5, bm25()", took[1], atMost(most)))
	}
	return rows, nil
}

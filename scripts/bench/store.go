package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/set-memory/mem/scripts/harness"
)

// store returns the root of a compacted store with n records. It is made on first use and shared;
// for 0 it is a new, missing root.
func (l *lab) store(ctx context.Context, n int) string {
	root := l.path(fmt.Sprintf("store-%d", n))
	if _, err := os.Stat(root); n == 0 || err == nil {
		return root
	}
	l.fill(ctx, root, 0, n)
	l.run(ctx, l.memCompact(root))
	return root
}

// fill writes records into a store and leaves its log as it is.
func (l *lab) fill(ctx context.Context, root string, from, to int) {
	quiet(root)
	l.run(ctx, l.memBatch(root, l.input(from, to)))
}

// quiet makes a root in which no write begins a compaction: it would run beside what is measured
// next.
func quiet(root string) {
	harness.Check(os.MkdirAll(root, 0o700))
	harness.Check(os.WriteFile(filepath.Join(root, "config.json"), []byte(`{"auto_compact":false}`), 0o600))
}

// input returns a JSONL file of records, as `mem set -` takes them.
func (l *lab) input(from, to int) string {
	return l.file(fmt.Sprintf("input-%d-%d.jsonl", from, to), func(out *bufio.Writer) {
		for i := from; i < to; i++ {
			fmt.Fprintln(out, recordAt(i).line())
		}
	})
}

const sqliteTables = `PRAGMA journal_mode=WAL;
CREATE TABLE IF NOT EXISTS memory(key TEXT PRIMARY KEY, content TEXT, source TEXT);
CREATE VIRTUAL TABLE IF NOT EXISTS words
USING fts5(key UNINDEXED, text, tokenize='porter unicode61');
BEGIN;
`

// inserts returns a script that puts records into SQLite; words: into its full-text table as well.
func (l *lab) inserts(from, to int, words bool) string {
	return l.file(fmt.Sprintf("input-%d-%d-%t.sql", from, to, words), func(out *bufio.Writer) {
		out.WriteString(sqliteTables)
		for i := from; i < to; i++ {
			r := recordAt(i)
			fmt.Fprintln(out, sqlInsert(r))
			if words {
				fmt.Fprintf(out, "INSERT INTO words VALUES('%s','%s');\n", r.key, r.text)
			}
		}
		out.WriteString("COMMIT;\n")
		if words {
			out.WriteString("INSERT INTO words(words) VALUES('optimize');\n")
		}
	})
}

func sqlInsert(r record) string {
	return fmt.Sprintf("INSERT OR REPLACE INTO memory VALUES('%s','%s','%s');",
		r.key, r.content, r.source)
}

// both returns a store and a SQLite database of the same records.
func (l *lab) both(ctx context.Context, n int) (root, db string) {
	root = l.store(ctx, n)
	db = l.path(fmt.Sprintf("table-%d.db", n))
	if _, err := os.Stat(db); err != nil {
		l.fillTable(ctx, db, 0, n)
	}
	return root, db
}

// fillTable puts records into a database, full-text table included, where SQLite is installed.
func (l *lab) fillTable(ctx context.Context, db string, from, to int) {
	if l.sqlite == "" {
		return
	}
	l.run(ctx, command{argv: []string{l.sqlite, db}, stdin: l.inserts(from, to, true)})
}

// file returns a file of the lab that fill writes on first use.
func (l *lab) file(name string, fill func(out *bufio.Writer)) string {
	path := l.path(name)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return path
	}
	harness.Check(err)
	out := bufio.NewWriter(f)
	fill(out)
	harness.Check(out.Flush(), f.Close()) // with what failed before, too
	return path
}

// copyBesidesIndex makes the second store the first in all that a compaction changes: everything
// but the index, which it leaves as it is when no key goes away. The log becomes a hard link, since
// the watermark knows it by its inode, and a compaction moves it but does not write to it.
func copyBesidesIndex(from, to string) {
	const script = `mkdir -p "$2" &&
find "$2" -mindepth 1 -maxdepth 1 ! -name index -exec rm -r {} + &&
find "$1" -mindepth 1 -maxdepth 1 ! -name index -exec cp -a {} "$2" \; &&
ln -f "$1/log.jsonl" "$2/log.jsonl"`
	output(context.Background(), "sh", "-c", script, "sh", from, to)
}

func (l *lab) memSet(root, key string, r record) command {
	return cmd(l.mem, "set", key, r.content, "--source", r.source, "--root", root)
}

func (l *lab) memBatch(root, input string) command {
	return command{argv: []string{l.mem, "set", "-", "--root", root}, stdin: input}
}

func (l *lab) memGet(root, key string) command { return cmd(l.mem, "get", key, "--root", root) }
func (l *lab) memCompact(root string) command  { return cmd(l.mem, "compact", "--root", root) }
func (l *lab) memFsck(root string) command     { return cmd(l.mem, "fsck", "--root", root) }

func (l *lab) memRead(root string) command {
	return cmd(l.mem, "read", "--token-limit", "2000", "--root", root)
}

func (l *lab) memSearch(root, word string) command {
	return cmd(l.mem, "search", word, "--root", root)
}

func (l *lab) memHook(root, event string) command {
	return command{argv: []string{l.mem, "hook", "claude-code", "--root", root}, stdin: event}
}

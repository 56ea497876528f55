// Command fold is the floor of a compaction in Go: it merges the sorted state of a store with the
// lines that its log has after the checkpoint, each checked, the newest of each key, into a file
// with one sync. It removes nothing, makes no columns and no full text, and looks at no file of the
// index.
//
//	fold ROOT FILE
package main

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"github.com/set-memory/mem/log"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: fold ROOT FILE")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "fold:", err)
		os.Exit(1)
	}
}

// run writes what is live in the store below root to a file.
func run(root, name string) (err error) {
	since, err := newest(filepath.Join(root, "log.jsonl"), covered(root))
	if err != nil {
		return err
	}
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	out, sum := bufio.NewWriterSize(file, 64<<10), sha256.New()
	put := func(rec log.Record) {
		if !rec.Valid() { // deleted
			return
		}
		out.Write(rec.Line)
		out.WriteByte('\n')
		sum.Write(rec.Line)
	}
	for rec, err := range scan(filepath.Join(root, "state.jsonl"), 0) {
		if err != nil {
			return err
		}
		for len(since) > 0 && since[0].Key.Compare(rec.Key) < 0 {
			put(since[0])
			since = since[1:]
		}
		if len(since) > 0 && since[0].Key == rec.Key {
			continue // the log has a newer one
		}
		put(rec)
	}
	for _, rec := range since {
		put(rec)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	sum.Sum(nil)
	// A crash before this leaves a part of the file: the floor promises nothing.
	return file.Sync()
}

// covered returns how much of the log is in the state; 0 where no checkpoint says so.
func covered(root string) int64 {
	var at struct{ Offset int64 }
	text, err := os.ReadFile(filepath.Join(root, "checkpoint.json"))
	if err != nil || json.Unmarshal(text, &at) != nil {
		return 0
	}
	return at.Offset
}

// newest returns the newest record of each key in a log from an offset on, by key.
func newest(name string, from int64) ([]log.Record, error) {
	var list []log.Record
	for rec, err := range scan(name, from) {
		if err != nil {
			return nil, err
		}
		list = append(list, rec.Clone())
	}
	slices.SortFunc(list, func(x, y log.Record) int {
		return cmp.Or(x.Key.Compare(y.Key), log.NewestFirst(x, y))
	})
	return slices.CompactFunc(list, func(x, y log.Record) bool { return x.Key == y.Key }), nil
}

// scan yields the records of a file from an offset on; one that does not exist has none.
func scan(name string, from int64) iter.Seq2[log.Record, error] {
	return func(yield func(log.Record, error) bool) {
		f, err := os.Open(name)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			yield(log.Record{}, err)
			return
		}
		defer f.Close() // it was only read
		if _, err := f.Seek(from, io.SeekStart); err != nil {
			yield(log.Record{}, err)
			return
		}
		log.Scan(f, name, log.Start{Off: from})(yield)
	}
}

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// sizes are the numbers of records in the stores and of repetitions in a series.
type sizes struct {
	small, medium, large int
	huge                 int // in memory only: a disk would be busy with the files for minutes
	reps                 int // of a run that takes milliseconds
	rounds               int // of a run that takes seconds
}

var (
	fullSizes  = sizes{small: 1_000, medium: 10_000, large: 100_000, huge: 1_000_000, reps: 200, rounds: 5}
	quickSizes = sizes{small: 100, medium: 1_000, large: 10_000, huge: 20_000, reps: 20, rounds: 2}
)

// A lab holds what every measurement needs: the subject, the floors, and room on a disk and in memory.
type lab struct {
	mem    string
	disk   string
	shm    string // empty where there is no memory file system
	floors floors
	sizes  sizes
	spawner
	inputs map[int]string // records -> JSONL file
	stores map[int]string // records -> root of a compacted store
}

func newLab(ctx context.Context, opt options) (_ *lab, err error) {
	l := &lab{sizes: fullSizes, inputs: map[int]string{}, stores: map[int]string{}}
	if opt.quick {
		l.sizes = quickSizes
	}
	defer func() {
		if err != nil {
			l.close()
		}
	}()
	if l.mem, err = filepath.Abs(opt.mem); err != nil {
		return nil, err
	}
	if l.disk, err = scratch(opt.dir, spreadOut); err != nil {
		return nil, err
	}
	if isTmpfs(opt.shm) {
		if l.shm, err = scratch(opt.shm, nil); err != nil {
			return nil, err
		}
	}
	if l.floors, err = buildFloors(ctx, filepath.Join(l.disk, "floors")); err != nil {
		return nil, err
	}
	l.spawner = spawner{binary: l.floors.spawn, plan: filepath.Join(l.disk, "plan")}
	return l, nil
}

// scratch makes a directory of its own under parent. The dot keeps `go build ./...` from walking into it.
func scratch(parent string, prepare func(string)) (string, error) {
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", err
	}
	if prepare != nil {
		prepare(parent)
	}
	dir, err := os.MkdirTemp(parent, ".mem-bench-")
	if err != nil {
		return "", err
	}
	return filepath.Abs(dir)
}

// spreadOut asks ext4 to place each new directory in dir far from the others. When it makes a file, ext4 passes one by one over the
// inodes deleted nearby in the last minutes: right after another run had cleaned up, every file cost a millisecond more, which
// flattered mem, since both sides of the ratio grew by the same amount. Where the file system knows no such flag, nothing is lost.
func spreadOut(dir string) {
	_ = exec.Command("chattr", "+T", dir).Run()
}

func (l *lab) close() {
	for _, dir := range []string{l.disk, l.shm} {
		if dir == "" {
			continue
		}
		if err := os.RemoveAll(dir); err != nil {
			fmt.Fprintln(os.Stderr, "bench: left behind:", err)
		}
	}
}

func (l *lab) path(parts ...string) string {
	return filepath.Join(append([]string{l.disk}, parts...)...)
}

// input returns a JSONL file with the first n records, as `mem set -` takes them.
func (l *lab) input(n int) (_ string, err error) {
	if path, ok := l.inputs[n]; ok {
		return path, nil
	}
	path := l.path(fmt.Sprintf("input-%d.jsonl", n))
	f, err := os.Create(path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := writeRecords(f, n); err != nil {
		return "", err
	}
	l.inputs[n] = path
	return path, nil
}

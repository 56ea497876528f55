package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// store returns the root of a compacted store with n records. It is made on first use and shared; for 0 it is a new, missing root.
func (l *lab) store(ctx context.Context, n int) (string, error) {
	if root, ok := l.stores[n]; ok {
		return root, nil
	}
	root := l.path(fmt.Sprintf("store-%d", n))
	if n > 0 {
		if err := l.fill(ctx, root, n); err != nil {
			return "", err
		}
		if _, err := l.run(ctx, l.memCompact(root)); err != nil {
			return "", err
		}
	}
	l.stores[n] = root
	return root, nil
}

// fill writes the first n records into a new store and leaves its log as it is.
func (l *lab) fill(ctx context.Context, root string, n int) error {
	input, err := l.input(n)
	if err != nil {
		return err
	}
	if err := quiet(root); err != nil {
		return err
	}
	_, err = l.run(ctx, l.memBatch(root, input))
	return err
}

// quiet makes a root in which no write begins a compaction: it would run beside what is measured next.
func quiet(root string) error {
	if err := os.MkdirAll(root, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, "config.json"), []byte(`{"auto_compact":false}`), 0o600)
}

func (l *lab) memSet(root, key string, r record) command {
	return cmd(l.mem, "set", key, string(encode(r.Content)), "--source", string(encode(r.Source)), "--root", root)
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

// segments lists everything ever written to the store: the archives, then the log.
func segments(root string) ([]string, error) {
	old, err := filepath.Glob(filepath.Join(root, "archive", "*.jsonl"))
	if err != nil {
		return nil, err
	}
	live := filepath.Join(root, "log.jsonl")
	if _, err := os.Stat(live); err == nil {
		old = append(old, live)
	}
	if len(old) == 0 {
		return nil, fmt.Errorf("%s has no log", root)
	}
	return old, nil
}

// copyBesidesIndex copies what a compaction changes: everything but the index, which it leaves as it is when no key goes away.
// The log is a hard link, since the watermark knows it by its inode and compaction moves it but does not write to it.
func copyBesidesIndex(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		switch target := filepath.Join(to, rel); {
		case rel == "index":
			return fs.SkipDir
		case entry.IsDir():
			return os.MkdirAll(target, 0o700)
		case rel == "log.jsonl":
			return os.Link(path, target)
		default:
			return copyFile(path, target)
		}
	})
}

// rewind puts a store back to what copyBesidesIndex saved of it.
func rewind(root, saved string) error {
	entries, err := os.ReadDir(root)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.Name() == "index" {
			continue
		}
		if err := os.RemoveAll(filepath.Join(root, entry.Name())); err != nil {
			return err
		}
	}
	return copyBesidesIndex(saved, root)
}

func copyFile(from, to string) (err error) {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	info, err := src.Stat()
	if err != nil {
		return err
	}
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, dst.Close()) }()
	_, err = io.Copy(dst, src)
	return err
}

// Command files writes one file per line of a JSONL input, the way plain Go code would: MkdirAll, a temporary file, a rename.
// It is the floor of a batch: the index files alone, with no log, no checksum, no lock and no fsync.
//
//	files INPUT DIR
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
)

// keyPrefix is how every input line starts; taking the key by cutting keeps a JSON parser out of the floor.
const keyPrefix = `{"key":"/`

func main() {
	if len(os.Args) != 3 {
		fail(fmt.Errorf("usage: files INPUT DIR"))
	}
	if err := mirror(os.Args[1], os.Args[2]); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "files:", err)
	os.Exit(1)
}

func mirror(input, dir string) error {
	f, err := os.Open(input)
	if err != nil {
		return err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if err := put(dir, lines.Bytes()); err != nil {
			return err
		}
	}
	return lines.Err()
}

func put(dir string, line []byte) error {
	rest, ok := bytes.CutPrefix(line, []byte(keyPrefix))
	key, _, closed := bytes.Cut(rest, []byte(`"`))
	if !ok || !closed {
		return fmt.Errorf("no key at the start of %.40q", line)
	}
	path := filepath.Join(dir, string(key)+".json")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	temp := path + ".tmp"
	if err := os.WriteFile(temp, line, 0o600); err != nil {
		return err
	}
	return os.Rename(temp, path)
}

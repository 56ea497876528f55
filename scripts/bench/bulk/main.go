// Command bulk is the floor of a batch in Go: it reads memories as JSON lines, checks the JSON,
// looks for secrets, and writes the files that mem writes, the log with one sync and each file of
// the index once, without a lock, a rename or a look at what is there.
//
//	bulk ROOT <LINES
package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/rule/secret"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: bulk ROOT <LINES")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Stdin); err != nil {
		fmt.Fprintln(os.Stderr, "bulk:", err)
		os.Exit(1)
	}
}

var errSecret = errors.New("a secret")

// run stores the lines of in below a root.
func run(root string, in io.Reader) (err error) {
	if err := os.MkdirAll(root, 0o700); err != nil {
		return err
	}
	file, err := os.Create(filepath.Join(root, "log.jsonl"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	b := bulk{root: root, log: bufio.NewWriterSize(file, 1<<20), made: map[string]bool{},
		ts: log.StampOf(time.Now())}
	lines := bufio.NewReaderSize(in, 1<<20)
	for {
		line, err := lines.ReadSlice('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			break
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if err := b.store(bytes.TrimSpace(line)); err != nil {
			return err
		}
	}
	if err := b.log.Flush(); err != nil {
		return err
	}
	// A crash before this leaves a part of the log: the floor promises nothing.
	return file.Sync()
}

type bulk struct {
	root string
	log  *bufio.Writer
	made map[string]bool // directories
	ts   log.Stamp
	line []byte
}

func (b *bulk) store(text []byte) error {
	text, err := log.CompactLine(nil, text)
	if err != nil {
		return err
	}
	b.ts++
	e := log.Envelope{TS: b.ts}
	for name, value := range jsontext.RawMembers(text) {
		switch string(name) {
		case "key":
			e.Key, err = keypath.Parse(jsontext.Unquote(value))
		case "content":
			e.Content = value
		case "source":
			e.Source = value
		}
		if err != nil {
			return err
		}
		if len(secret.Scan(string(name), value)) > 0 {
			return fmt.Errorf("%s: %w", name, errSecret)
		}
	}
	b.line = append(e.AppendLine(b.line[:0]), '\n')
	if _, err := b.log.Write(b.line); err != nil {
		return err
	}
	return b.index(e.Key)
}

// index writes the file of the last line.
func (b *bulk) index(key keypath.Key) error {
	text, err := log.Indent(b.line[:len(b.line)-1])
	if err != nil {
		return err
	}
	name := filepath.Join(b.root, "index", filepath.FromSlash(string(key.Path())))
	if dir := filepath.Dir(name); !b.made[dir] {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		b.made[dir] = true
	}
	return os.WriteFile(name, text, 0o600)
}

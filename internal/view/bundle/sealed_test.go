package bundle_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/seal"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/bundle"
	"github.com/set-memory/mem/internal/view/ledger"
)

// sealedLab is a lab with a key.
func sealedLab(t *testing.T, s *storetest.Store) (*lab, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "key")
	s.Must(seal.Create(path, time.Unix(0, 0)))
	keys, err := seal.Load(path)
	s.Must(err)
	return &lab{s, ledger.New(s.Store, mem.Caller{}, ledger.Options{Keys: keys})}, path
}

// What is of sensitivity high stands nowhere below the root, is told where it may be by who has the
// key, also an older one, and is an omission without it (B-50).
func TestHighIsSealed(t *testing.T) {
	l, path := sealedLab(t, storetest.NewStore(t, storetest.Files))
	const word = "heliotrope"
	high := ledger.Scope{Session: "s1", Channel: "team", Sensitivity: "high"}
	e := message("s1", "the code word is "+word)
	e.Channel, e.Sensitivity, e.Tags = high.Channel, high.Sensitivity, []string{word}
	said := l.record(e)
	plain := l.record(message("s1", "and that is that"))
	scope := high
	scope.Refs = []string{plain.Event}
	d := l.decide(ledger.Decision{Scope: scope, Text: "use " + word})
	task, err := l.book.PutTask(ctx, ledger.Task{Scope: high, Title: "tell bob of " + word})
	l.Must(err)
	_, err = l.book.PutTask(ctx, ledger.Task{ID: task.ID, Status: "doing"})
	l.Must(err)
	_, err = l.book.PutHandoff(ctx, ledger.Handoff{Scope: high, To: "ada", Text: "mind " + word})
	l.Must(err)
	file := bytes.Repeat([]byte(word+"\x00\xff"), 10_000)
	kept, err := l.book.AddArtifact(ctx, ledger.Artifact{Scope: high}, bytes.NewReader(file))
	l.Must(err)
	big := result("s1", word+".log", strings.Repeat("line of "+word+"\n", 9_000))
	big.Channel, big.Sensitivity = high.Channel, high.Sensitivity
	cut := l.record(big)
	_, err = l.Compact(ctx, mem.Caller{}, mem.CompactOptions{})
	l.Must(err)
	nowhereBelow(t, l.Root, word)

	l.Must(seal.Rotate(path, time.Unix(1, 0)))
	keys, err := seal.Load(path)
	l.Must(err)
	l.book = ledger.New(l.Store.Store, mem.Caller{}, ledger.Options{Keys: keys})
	for channel, told := range map[string]bool{"private": true, "team": true, "agent": false,
		"public": false} {
		r := ask("what is the code word?")
		r.Channel = channel
		got := asJSON(l.build(r))
		for _, text := range []string{"the code word is " + word, "use " + word,
			"doing: tell bob of " + word, "mind " + word} {
			if strings.Contains(got, text) != told {
				t.Errorf("%s is told %q: %v", channel, text, !told)
			}
		}
	}
	for id, want := range map[string]string{
		kept.ID: string(file), cut.Artifact: "line of " + word,
	} {
		r, err := l.book.OpenArtifact(ctx, "", id)
		l.Must(err)
		got, err := io.ReadAll(r)
		l.Must(errors.Join(err, r.Close()))
		if !strings.HasPrefix(string(got), want) || id == kept.ID && string(got) != want {
			t.Errorf("%s comes back as %d bytes", id, len(got))
		}
	}

	closed := newLab(l.Store)
	b := closed.build(ask("what is the code word?"))
	if text := asJSON(b); strings.Contains(text, word) {
		t.Errorf("without the key: %s", text)
	}
	omitted := asJSON(bundle.Bundle{Omissions: b.Omissions})
	for _, id := range []string{said.Event, d, task.ID} {
		if !strings.Contains(omitted, id) {
			t.Errorf("%s is no omission in %s", id, omitted)
		}
	}
	for _, id := range []string{kept.ID} {
		if _, err := closed.book.OpenArtifact(ctx, "", id); !errors.Is(err, ledger.ErrNoKey) {
			t.Errorf("%s is opened without the key: %v", id, err)
		}
	}
	if _, err := closed.book.Record(ctx, e); !errors.Is(err, ledger.ErrNoKey) {
		t.Errorf("high is stored without a key: %v", err)
	}
}

// nowhereBelow fails where a word stands in a file or a name below a directory.
func nowhereBelow(t *testing.T, root, word string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		files++
		if strings.Contains(path+string(text), word) {
			t.Errorf("%s says it", path)
		}
		return err
	})
	if err != nil || files < 10 {
		t.Errorf("%d files, %v", files, err)
	}
}

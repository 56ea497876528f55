package transfer_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/transfer"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// A copy of a space is a state, a tail of lines with their places, and perhaps a line cut off.
func copyOfSpace(t *testing.T, state, tail []log.Envelope, rest string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	text := ""
	for _, e := range state {
		text += string(e.Line()) + "\n"
	}
	end := `{"store":"s","space":"team","copy":"c","gen":1,"seq":9,"sum":""}` + "\n"
	for i, e := range tail {
		end += fmt.Sprintf("%d %s\n", 10+i, e.Line())
	}
	for name, text := range map[string]string{"state.jsonl": text, "tail-9": end + rest} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func lineOf(t *testing.T, key, content string, second int, source string) log.Envelope {
	t.Helper()
	k, err := keypath.Parse(key)
	if err != nil {
		t.Fatal(err)
	}
	ts, err := log.ParseTime(fmt.Sprintf("2026-02-22T10:00:%02d.000000Z", second))
	if err != nil {
		t.Fatal(err)
	}
	return log.Envelope{Key: k, TS: ts, Source: []byte(source), Content: []byte(content)}
}

const purgedSource = `{"kind":"user","name":"mem forget","purged":true}`

// What a server lost comes back as it was. Newer versions and purges stay.
func TestBringBack(t *testing.T) {
	line := func(key, content string, second int) log.Envelope {
		return lineOf(t, key, content, second, `"x"`)
	}
	had := []log.Envelope{line("/kept", `1`, 1), line("/changed", `1`, 2), line("/newer", `9`, 30),
		line("/secret", `"word"`, 3), lineOf(t, "/gone", `null`, 31, purgedSource)}
	lost := []log.Envelope{line("/changed", `2`, 10), line("/changed", `3`, 11),
		line("/new", `1`, 12), lineOf(t, "/secret", `null`, 13, purgedSource)}
	old := []log.Envelope{line("/newer", `2`, 14), line("/gone", `"word"`, 15)}
	dir := copyOfSpace(t, had[:1], append(slices.Clone(lost), old...),
		"99 {damaged}\n"+"100 "+string(had[0].Line())[:20])
	to := storetest.NewStore(t, storetest.Memory)
	job := transfer.CopyJob{From: transfer.Side{Name: dir},
		To: transfer.Side{Store: to.Store, Name: "URL"}}
	op, err := to.Store.Begin(mem.Caller{}, policy.Copy)
	to.Must(err)
	to.Must(op.Replay(ctx, had))

	job.DryRun = true
	rep, err := transfer.BringBack(ctx, mem.Caller{}, job)
	if to.Must(err); rep.Versions != len(lost) || len(all(to)) != len(had) {
		t.Errorf("a dry run: %+v", rep)
	}
	job.DryRun = false
	rep, err = transfer.BringBack(ctx, mem.Caller{}, job)
	if to.Must(err); rep.Versions != len(lost) || rep.Damaged != 1 ||
		fmt.Sprint(rep.Older, rep.Purged) != "[/newer /gone] [/secret]" {
		t.Errorf("%+v", rep)
	}
	have := all(to)
	for _, e := range append(had, lost...) {
		if !have[string(e.Line())] {
			t.Errorf("missing: %s", e.Line())
		}
	}
	for _, e := range old {
		if have[string(e.Line())] {
			t.Errorf("came back: %s", e.Line())
		}
	}
	if rep, err = transfer.BringBack(ctx, mem.Caller{}, job); err != nil || rep.Versions != 0 {
		t.Errorf("again: %+v, %v", rep, err)
	}
}

// all returns the lines of the history.
func all(s *storetest.Store) map[string]bool {
	found := map[string]bool{}
	for _, list := range versions(s) {
		for _, rec := range list {
			found[string(rec.Line)] = true
		}
	}
	return found
}

func TestBringBackRefused(t *testing.T) {
	to := storetest.NewStore(t, storetest.Memory)
	mine := lineOf(t, "/other", `1`, 1, `"x"`)
	dir := copyOfSpace(t, nil, []log.Envelope{mine}, "")
	job := transfer.CopyJob{From: transfer.Side{Name: dir},
		To: transfer.Side{Store: to.Store, Name: "URL"}}
	if _, err := transfer.BringBack(ctx, mem.Caller{Agent: "claude"}, job); err == nil {
		t.Error("an agent copies")
	}
	to.Put("/first", `1`)
	_, err := transfer.BringBack(ctx, mem.Caller{}, job)
	if err == nil || !strings.Contains(err.Error(), "another memory") || len(all(to)) != 1 {
		t.Errorf("%v", err)
	}
	if !transfer.IsCopyOfSpace(job.From.Name) {
		t.Error("a copy is none")
	}
	files := storetest.NewStore(t, storetest.Files)
	if files.Put("/first", `1`); transfer.IsCopyOfSpace(files.Root) {
		t.Error("a store of files is a copy")
	}
}

// Where another writer is faster than a batch, nothing of that writer is replaced.
func TestBringBackBusy(t *testing.T) {
	defer transfer.SetLimits(1, 1)()
	to := storetest.NewStore(t, storetest.Memory)
	lost := []log.Envelope{lineOf(t, "/a", `1`, 1, `"x"`), lineOf(t, "/b", `1`, 2, `"x"`)}
	job := transfer.CopyJob{From: transfer.Side{Name: copyOfSpace(t, nil, lost, "")},
		To:       transfer.Side{Store: to.Store, Name: "URL"},
		Progress: func(string, int, int) { to.Put("/b", `9`) }}
	_, err := transfer.BringBack(ctx, mem.Caller{}, job)
	if mem.KindOf(err) != mem.KindLocked || to.Content("/b") != "9" {
		t.Errorf("%v: /b is %s", err, to.Content("/b"))
	}
	job.Progress = nil
	rep, err := transfer.BringBack(ctx, mem.Caller{}, job)
	if err != nil || rep.Versions != 0 || fmt.Sprint(rep.Older) != "[/b]" {
		t.Errorf("again: %+v, %v", rep, err)
	}
}

package transfer_test

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/view/note"
	"github.com/set-memory/mem/internal/view/transfer"
	"github.com/set-memory/mem/internal/view/transfer/tarfile"
)

// An archive that is not whole is refused before anything is stored in any layer, be it a file or a
// stream, of which no temporary file is left.
func TestAnArchiveThatIsNotWhole(t *testing.T) {
	onEach(t, func(t *testing.T, f *fixture) {
		temp := t.TempDir()
		t.Setenv("TMPDIR", temp)
		whole := twoLayers(t, f)
		damaged := map[string][]byte{
			"garbage behind it": append(bytes.Clone(whole), "more"...),
			"an artifact":       bytes.Replace(whole, []byte("the bytes"), []byte("the byteS"), 1),
			"its last member":   editMember(t, whole, "project/log.jsonl", cutTail),
			"a line of it":      editMember(t, whole, "project/log.jsonl", flipped),
		}
		// At the beginning of a header, within it, within a member, and within the end.
		for at := 512; at < len(whole)-512; at += 256 {
			damaged[fmt.Sprintf("cut at %d", at)] = whole[:at]
		}
		path := filepath.Join(temp, "all.tar")
		to := map[string]*fixture{"user": f.another(t), "project": f.another(t)}
		for name, text := range damaged {
			f.Must(os.WriteFile(path, text, 0o600))
			for _, keepGoing := range []bool{false, true} {
				if keepGoing && (name == "a line of it" || name == "its last member") {
					continue // the other lines are stored
				}
				o := transfer.ImportOptions{Mine: true, KeepGoing: keepGoing}
				for i, in := range []transfer.Incoming{{Path: path},
					{Stream: bytes.NewReader(text)}} {
					err := f.importAll(in, o, to)
					if !errors.Is(err, mem.ErrInput) && !errors.As(err, new(*mem.BatchError)) {
						t.Errorf("%s, %d: %v", name, i, err)
					}
				}
			}
		}
		if left, err := os.ReadDir(temp); err != nil || len(left) != 1 {
			t.Errorf("left of the streams: %v, %v", left, err)
		}
		for layer, store := range to {
			sum := fmt.Sprintf("%x", sha256.Sum256([]byte("the bytes")))
			if got := store.All(); len(got) > 0 || bytesOf(store.Store, sum) != "(none)" {
				t.Errorf("%s has %v", layer, got)
			}
		}
		f.Must(f.importAll(transfer.Incoming{Stream: bytes.NewReader(whole)},
			transfer.ImportOptions{Mine: true}, to))
		if len(to["user"].All()) != 1 || len(to["project"].All()) != 2 {
			t.Errorf("of the whole archive: %v and %v", to["user"].All(), to["project"].All())
		}
	})
}

// twoLayers returns the archive of two stores.
func twoLayers(t *testing.T, f *fixture) []byte {
	project := f.another(t)
	f.Put("/user/a", "1")
	project.Put("/p/b", `{"text":"of the project"}`)
	artifact(project.Store, 1, "the bytes")
	var file bytes.Buffer
	_, err := transfer.ExportArchive(ctx, mem.Caller{}, []transfer.Layer{
		{Name: "user", Store: f.Store.Store}, {Name: "project", Store: project.Store.Store}},
		&file, transfer.ExportOptions{All: true, Tar: tarfile.Format{}})
	f.Must(err)
	return file.Bytes()
}

func (f *fixture) importAll(in transfer.Incoming, o transfer.ImportOptions,
	to map[string]*fixture) error {
	archive, _, err := transfer.OpenArchive(in, tarfile.Format{})
	if archive == nil || err != nil {
		return fmt.Errorf("it is no archive: %w", err)
	}
	defer archive.Close()
	_, err = archive.Import(ctx, mem.Caller{}, o, func(layer string) (*mem.Store, note.IDs, error) {
		return to[layer].Store.Store, note.IDs{}, nil
	})
	return err
}

func cutTail(b []byte) []byte { return b[:len(b)-30] }
func flipped(b []byte) []byte { b[len(b)/2] ^= 1; return b }

// editMember returns an archive with another text of a member.
func editMember(t *testing.T, archive []byte, name string, edit func([]byte) []byte) []byte {
	var out bytes.Buffer
	in, w := tar.NewReader(bytes.NewReader(archive)), tar.NewWriter(&out)
	for {
		head, err := in.Next()
		if err == io.EOF {
			break
		}
		text, failed := io.ReadAll(in)
		if err != nil || failed != nil {
			t.Fatal(err, failed)
		}
		if head.Name == name {
			text = edit(text)
		}
		head.Size = int64(len(text))
		if err := w.WriteHeader(head); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(text); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

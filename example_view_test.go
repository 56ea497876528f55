package mem_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// Bookmark is a page to come back to.
type Bookmark struct{ Name, URL string }

var shelf, _ = keypath.ParsePrefix("/bookmark")

// Add keeps a bookmark under its name, unless that is taken.
func Add(ctx context.Context, s *mem.Store, c mem.Caller, b Bookmark) error {
	key, badName := keypath.Parse(shelf.String() + "/" + b.Name)
	content, badText := json.Marshal(b)
	op, err := s.Begin(c, mem.NewOperation("bookmark"))
	if err := errors.Join(badName, badText, err); err != nil {
		return err
	}
	source := op.Source("user", "bookmarks", "url", b.URL)
	w := mem.Write{Key: key, Content: content, Source: source}
	checked, err := op.Check(ctx, w, false) // provenance, sizes, secrets
	if err != nil {
		return err
	}
	_, err = op.Update(ctx, func(tx *mem.Tx) error { // nobody else writes meanwhile
		if _, taken, err := tx.Get(ctx, key); err != nil || taken {
			return cmp.Or(err, mem.ErrConflict)
		}
		return tx.Put(checked)
	})
	return err
}

// List returns the bookmarks by name.
func List(ctx context.Context, s *mem.Store, c mem.Caller) (list []Bookmark, err error) {
	err = s.List(ctx, c, mem.Filter{Prefix: shelf}, func(rec log.Record) error {
		list = append(list, Bookmark{})
		return json.Unmarshal(rec.Content, &list[len(list)-1])
	})
	return list, err
}

// Here the view ends.

func Example_view() {
	s := mem.NewMemory()
	for _, b := range []Bookmark{{"go", "https://go.dev"}, {"go", "https://golang.org"}} {
		if err := Add(context.Background(), s, mem.Caller{Agent: "reader"}, b); err != nil {
			fmt.Println(err)
		}
	}
	list, err := List(context.Background(), s, mem.Caller{})
	fmt.Println(list, err)
	// Output:
	// compare-and-set lost
	// [{go https://go.dev}] <nil>
}

// The view above is the one in the comment of the package, word for word.
func TestViewIsTheDocumentedOne(t *testing.T) {
	text, err := os.ReadFile("example_view_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, view, _ := strings.Cut(string(text), "\n)\n\n")
	view, _, found := strings.Cut(view, "\n// Here the view ends.\n")
	if !found {
		t.Fatal("the view has no end")
	}
	file, err := parser.ParseFile(token.NewFileSet(), "doc.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var documented strings.Builder
	for _, line := range file.Doc.List {
		code, _ := strings.CutPrefix(line.Text, "//")
		documented.WriteString(strings.TrimPrefix(code, "\t") + "\n")
	}
	if !strings.Contains(documented.String(), "\n"+view) {
		t.Error("doc.go shows another view than example_view_test.go compiles")
	}
	lines := 0
	for line := range strings.Lines(view) {
		if line != "\n" && !strings.HasPrefix(line, "//") {
			lines++
		}
	}
	if lines > 30 {
		t.Errorf("the view has %d lines of code, at most 30", lines)
	}
}

package filestore_test

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	marks "github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/test/storetest"
)

// A root in which an earlier mem marked lines is refused, also by a store that was open when its
// path got such a root.
func TestMarkedRootIsRefused(t *testing.T) {
	w := storetest.Specimen(t)
	o := filestore.Options{Now: func() time.Time { return w.Now }}
	s, err := filestore.Open(w.Path, o)
	w.Must(err)
	defer s.Close()
	w.Must(os.Rename(w.Path, w.Path+".old"))
	w.Must(os.CopyFS(w.Path, os.DirFS(w.Path+".old")))
	w.Must(os.WriteFile(w.File(marks.MarksFile), nil, 0o600))
	want := &marks.MarkedError{}
	if _, err = s.Dir(); !errors.As(err, &want) || want.Root != w.Path {
		t.Errorf("the new root of an open store: %v", err)
	}
	if _, err = filestore.Open(w.Path, o); !errors.As(err, &want) ||
		!strings.Contains(err.Error(), marks.ConvertedBy) {
		t.Errorf("open: %v", err)
	}
	w.Must(os.Remove(w.File(marks.MarksFile)))
	again, err := filestore.Open(w.Path, o)
	w.Must(err)
	w.Must(again.Close())
}

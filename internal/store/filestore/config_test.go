package filestore_test

import (
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/filestore"
	"github.com/set-memory/mem/internal/test/storetest"
)

// An editor takes no lock. What it saves meanwhile is not lost: the change is made in that again;
// where it saves all the time the change is given up.
func TestSetConfigBesideAnEditor(t *testing.T) {
	w := storetest.NewStore(t, storetest.Files)
	s, err := filestore.Open(w.Root, filestore.Options{Now: w.Now})
	w.Must(err)
	defer s.Close()
	for saves, want := range map[int]string{0: "0 saved", 1: "1 saved", 2: "2 saved", 99: ""} {
		w.Configure("{}")
		tries := 0
		err := s.SetConfig(t.Context(), backend.Caller{}, func(text []byte) ([]byte, error) {
			if tries++; tries <= saves {
				w.Must(os.WriteFile(w.File("saved"), fmt.Appendf(nil, "{} %d", tries), 0o600))
				w.Must(os.Rename(w.File("saved"), w.File(backend.ConfigFile)))
			}
			return fmt.Appendf(nil, "%d saved", tries-1), nil
		})
		text, _ := os.ReadFile(w.File(backend.ConfigFile))
		if want == "" {
			if !errors.Is(err, backend.ErrChanged) || tries != 3 {
				t.Errorf("%d saves: %d tries, %v", saves, tries, err)
			}
		} else if string(text) != want || err != nil {
			t.Errorf("%d saves: %s, %v", saves, text, err)
		}
	}
	files, err := os.ReadDir(w.Root)
	w.Must(err)
	for _, f := range files {
		if f.Name()[0] == '.' {
			t.Errorf("%s was left", f.Name())
		}
	}
}

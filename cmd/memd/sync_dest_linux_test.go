package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/base/depot"
	"github.com/set-memory/mem/internal/view/exchange"
)

// A machine that greets and then says nothing, or takes nothing, is left; one that has answered and
// does not end is no error.
func TestSilentMachine(t *testing.T) {
	waits, ends := answerWait, endWait
	answerWait, endWait = 300*time.Millisecond, 300*time.Millisecond
	defer func() { answerWait, endWait = waits, ends }()
	d, err := exchange.ParseDest("ssh://nas/home")
	if err != nil {
		t.Fatal(err)
	}
	const info = `{"v":1,"id":"0123456789abcdef0123456789abcdef"}`
	for _, c := range []struct {
		says         string
		opens, lists bool
	}{
		{"exec sleep 600", false, false},
		{"echo mem-depot 1; exec sleep 600", false, false},
		{`echo mem-depot 1; echo '{"size":47}'; printf '` + info + `'; exec sleep 600`, true, false},
		{`echo mem-depot 1; echo '{"size":47}'; printf '` + info + `'; echo '{"size":0}'
			exec sleep 600`, true, true},
	} {
		bin := t.TempDir()
		script := "#!/bin/sh\n" + c.says + "\n"
		if err := os.WriteFile(filepath.Join(bin, "ssh"), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
		o, err := openDest(context.Background(), d, nil)
		if (err == nil) != c.opens {
			t.Errorf("%s: %v", c.says, err)
		}
		if err != nil {
			continue
		}
		if _, err := o.List(); (err == nil) != c.lists ||
			err != nil && !errors.Is(err, depot.ErrNoServer) {
			t.Errorf("%s: %v", c.says, err)
		}
		if err := o.close(); err != nil {
			t.Errorf("%s: %v", c.says, err)
		}
	}
}

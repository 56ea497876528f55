package inject_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/view/inject"
)

// A start has what names the branch, the directory or the last conversations before the newest.
func TestStartBeginsWithTheWork(t *testing.T) { onEach(t, testStartBeginsWithTheWork) }

func testStartBeginsWithTheWork(t *testing.T, f *fixture) {
	root := t.TempDir()
	pay := filepath.Join(root, "services", "pay")
	f.Must(os.MkdirAll(pay, 0o700))
	f.Must(os.WriteFile(filepath.Join(pay, "charge.go"), nil, 0o600))
	f.Put("/branch", `{"text":"Refund retries stop after the fifth"}`)
	f.Put("/tagged", `{"text":"Money goes back within a day","tags":["refund-retries"]}`)
	f.Put("/dir", `{"text":"The code below services/pay rounds half to even"}`)
	f.Put("/file", `{"text":"charge.go is generated"}`)
	f.Put("/talk", `{"text":"The kiosk prints in Latin 1"}`)
	f.Put("/other", `{"text":"services/payroll and other/charge.go wait"}`)
	f.Put("/pin", `{"text":"Ask before a deploy","pinned":true}`)
	for i := range 90 {
		f.Clock = f.Clock.Add(time.Minute)
		f.Put(fmt.Sprint("/new/", i), fmt.Sprintf(`{"text":"Zone%d borders area%d"}`, i, i))
	}
	inject.Record(f.Store.Store, inject.Injection{Conversation: "before", Client: "test",
		Project: "shop", Trigger: inject.AtEdit, Memories: []inject.Injected{{Key: "/talk"}}})
	f.Configure(`{"inject":{"start_tokens":600}}`)
	for name, c := range map[string]struct {
		o    inject.Options
		want string // the lines before the newest
	}{
		"a branch":       {inject.Options{Branch: "feat/refund-retries"}, "/branch /tagged"},
		"the trunk":      {inject.Options{Branch: "main"}, ""},
		"a directory":    {inject.Options{Dir: pay}, "/dir /file"},
		"the top":        {inject.Options{Dir: root}, ""},
		"the last talks": {inject.Options{Dir: root, Project: "shop"}, "/talk"},
		"of another":     {inject.Options{Dir: root, Project: "sho"}, ""},
		"elsewhere":      {inject.Options{Dir: pay, Branch: "refund-retries", Away: true}, ""},
	} {
		c.o.Trigger, c.o.Root, c.o.Conversation = inject.AtStart, root, name
		if c.o.Dir == "" {
			c.o.Dir = root
		}
		in := f.choose(c.o)
		n := len(strings.Fields(c.want))
		if in.Memories[0].Key != "/pin" || !strings.HasPrefix(in.Memories[n+1].Key, "/new/") {
			t.Errorf("%s: the pin, %d and then the newest: %s", name, n, in.Text)
		}
		first := in
		first.Memories = in.Memories[1 : n+1]
		if got := keysIn(first); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// The memories that an earlier conversation got are known by their layer.
func TestStartBeginsWithTheLastTalks(t *testing.T) {
	onTwoLayers(t, func(t *testing.T, f *twoLayers) {
		root := t.TempDir()
		f.write("/talk", `{"text":"The kiosk prints in Latin 1"}`, fromUser)
		for i := range 90 {
			f.write(fmt.Sprint("/new/", i), fmt.Sprintf(`{"text":"Zone%d borders area%d"}`, i, i),
				fromUser)
		}
		o := inject.Options{Client: "codex", Conversation: "before", Project: "shop",
			Trigger: inject.AtPrompt, Message: "In which code does the kiosk print?"}
		if got := f.deliver(o); keysIn(got) != "/talk" {
			t.Fatalf("the prompt got %q", keysIn(got))
		}
		o = inject.Options{Client: "codex", Project: "shop", Trigger: inject.AtStart, Root: root,
			Dir: root}
		for i := range 15 { // the record of these is longer than that of the talk
			o.Conversation = fmt.Sprint("start", i)
			f.deliver(o)
		}
		o.Conversation = "next"
		in := f.choose(o)
		if in.Memories[0].Key != "/talk" {
			t.Errorf("the start begins with %s", in.Text)
		}
	})
}

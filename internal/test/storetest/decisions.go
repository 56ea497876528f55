package storetest

import (
	"context"
	"errors"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/keypath"
)

// decision is a person's decision about what they were shown, and what another caller did since.
type decision struct {
	name      string
	over      string // the live memory in whose place the line comes; "": none
	since, to string // the key that changed since, and its content; null deletes it
	want      error
	rejects   error // where the line is rejected instead
}

// decisions have their line at /untrusted/n, for /n.
var decisions = []decision{
	{"nothing since", "", "", "", nil, nil},
	{"nothing since, over another", "1", "", "", nil, nil},
	{"another line", "", "/untrusted/n", "3", mem.ErrUnseen, mem.ErrUnseen},
	{"no line", "", "/untrusted/n", "null", mem.ErrNotFound, mem.ErrNotFound},
	{"over the first memory", "", "/n", "3", mem.ErrUnseen, nil},
	{"over another memory", "1", "/n", "3", mem.ErrUnseen, nil},
	{"over no memory", "1", "/n", "null", mem.ErrUnseen, nil},
}

// RunDecisions tests on stores that open makes that a person decides about what was shown: a write
// between the look and the decision is neither approved, nor rejected, nor replaced.
func RunDecisions(t *testing.T, open func(testing.TB) *mem.Store) {
	for _, d := range decisions {
		for name, want := range map[string]error{"approve": d.want, "force": d.want,
			"reject": d.rejects} {
			t.Run(d.name+", "+name, func(t *testing.T) { d.run(t, open(t), name, want) })
		}
	}
}

func (d decision) run(t *testing.T, s *mem.Store, name string, want error) {
	ctx, key := context.Background(), keypath.MustParse("/n")
	put := func(key, content string) {
		t.Helper()
		w := Write(key, content)
		if content == "2" || key != "/n" { // it stays in quarantine
			w.Key, w.Source = keypath.MustParse("/n"), []byte(`{"kind":"web"}`)
		}
		var err error
		if content == "null" {
			_, _, err = s.Delete(ctx, mem.Caller{}, []keypath.Key{keypath.MustParse(key)}, nil)
		} else {
			_, err = s.Set(ctx, mem.Caller{}, w, mem.SetOptions{Quarantine: true})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if d.over != "" {
		put("/n", d.over)
	}
	put("/untrusted/n", "2")
	w, err := s.Waiting(ctx, mem.Caller{}, key)
	if err != nil {
		t.Fatal(err)
	}
	if d.since != "" {
		put(d.since, d.to)
	}
	before := d.both(t, s)
	if name == "reject" {
		_, err = s.Reject(ctx, mem.Caller{}, w.Shown())
	} else {
		_, err = s.Approve(ctx, mem.Caller{}, w.Shown(), mem.ApproveOptions{Force: name == "force"})
	}
	if !errors.Is(err, want) || want == nil && err != nil {
		t.Errorf("%v, want %v", err, want)
	}
	if errors.Is(want, mem.ErrUnseen) && mem.KindOf(err).ExitCode() != 4 {
		t.Errorf("exit %d", mem.KindOf(err).ExitCode())
	}
	after := d.both(t, s)
	if want != nil && after != before || want == nil && after[0] != "" ||
		name != "reject" && want == nil && after[1] != "2" {
		t.Errorf("before %q, after %q", before, after)
	}
}

// both returns the contents of the line and of the key that it is for.
func (d decision) both(t *testing.T, s *mem.Store) (list [2]string) {
	for i, key := range [...]string{"/untrusted/n", "/n"} {
		rec, err := s.Get(context.Background(), mem.Caller{}, keypath.MustParse(key), true)
		if err != nil && !errors.Is(err, mem.ErrNotFound) {
			t.Fatal(err)
		}
		list[i] = string(rec.Content)
	}
	return list
}

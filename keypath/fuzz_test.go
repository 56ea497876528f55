package keypath_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/set-memory/mem/keypath"
)

func FuzzParse(f *testing.F) {
	addKeys(f)
	f.Fuzz(func(t *testing.T, s string) {
		k, err := keypath.Parse(s)
		if err != nil {
			checkRefusal(t, s, err)
			return
		}
		checkKey(t, k)
		if again, err := keypath.Parse(k.String()); err != nil || again != k {
			t.Errorf("%q parses to %q and then to %q, %v", s, k, again, err)
		}
	})
}

func checkRefusal(t *testing.T, s string, err error) {
	t.Helper()
	var e *keypath.Error
	if !errors.Is(err, keypath.ErrKey) || !errors.As(err, &e) {
		t.Fatalf("%q: a %T", s, err)
	}
	if e.Key != s || e.Fault == "" || e.Pos < 0 || e.Pos > max(0, len(s)-1) {
		t.Errorf("%q: %+v", s, e)
	}
	if strings.ContainsAny(err.Error(), "\x00\n\r\x1b\u0085\u2028\u202e") {
		t.Errorf("not one plain line: %q", err)
	}
}

func FuzzPath(f *testing.F) {
	addKeys(f)
	f.Fuzz(func(t *testing.T, s string) {
		k, err := keypath.Parse(s)
		if err != nil {
			return
		}
		checkPath(t, k.Path())
		checkRoundTrip(t, k)
	})
}

// checkRoundTrip decodes the path of k. Whether something was cut is decided by the lengths alone.
func checkRoundTrip(t testing.TB, k keypath.Key) {
	t.Helper()
	back, exact, err := keypath.Decode(k.Path())
	switch {
	case err != nil:
		t.Errorf("%q: %v", k, err)
	case exact && back != k:
		t.Errorf("%q comes back as %q", k, back)
	case !exact && !back.IsZero():
		t.Errorf("%q: inexact, but the key %q", k, back)
	case !exact && !couldBeCut(k):
		t.Errorf("%q is short and did not come back", k)
	}
}

func couldBeCut(k keypath.Key) bool {
	for seg := range k.Segments() {
		if 3*len(seg) > 200 {
			return true
		}
	}
	return false
}

func FuzzDecode(f *testing.F) {
	for _, key := range awkward() {
		f.Add(string(keypath.MustParse(key).Path()))
	}
	f.Add("a@000000.json")
	f.Add("%")
	f.Add(rightTag("a%2fb", "/a/b"))
	f.Add(rightTag("\xe7", "/\xe7"))
	f.Fuzz(func(t *testing.T, s string) {
		p := keypath.RelPath(s)
		k, exact, err := keypath.Decode(p)
		switch {
		case err != nil && (!errors.Is(err, keypath.ErrPath) || exact || !k.IsZero()):
			t.Errorf("%q: %q, %v, %v", s, k, exact, err)
		case err == nil && exact && k.Path() != p:
			t.Errorf("%q decodes to %q, whose path is %q", s, k, k.Path())
		case err == nil:
			checkPath(t, p)
		}
	})
}

func FuzzTwoKeys(f *testing.F) {
	keys := awkward()
	for i := range keys {
		f.Add(keys[i], keys[(i+1)%len(keys)])
	}
	f.Add("/a/b", "/a%2Fb")
	f.Add("/User", "/user")
	f.Fuzz(func(t *testing.T, a, b string) {
		ka, errA := keypath.Parse(a)
		kb, errB := keypath.Parse(b)
		if errA != nil || errB != nil {
			return
		}
		if (ka.Path() == kb.Path()) != (ka == kb) {
			t.Errorf("%q and %q: %q, %q", ka, kb, ka.Path(), kb.Path())
		}
		if strings.HasPrefix(string(kb.Path()), string(ka.Path())+"/") {
			t.Errorf("%q is a file and a directory of %q", ka.Path(), kb)
		}
	})
}

func addKeys(f *testing.F) {
	for _, key := range awkward() {
		f.Add(key)
	}
	for _, key := range []string{"", "/", "a", "/.", "/a/..", "/\x00", "/\xff", "/\u202e",
		"/a\u0085", "/a\u2028b"} {
		f.Add(key)
	}
	f.Add("/a" + strings.Repeat("\u0301", 40))
	f.Add("/" + strings.Repeat("e\u0301", 600))
}

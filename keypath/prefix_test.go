package keypath_test

import (
	"errors"
	"testing"

	"github.com/set-memory/mem/keypath"
)

func TestPrefixHolds(t *testing.T) {
	tests := []struct {
		prefix, key string
		want        bool
	}{
		{"", "/user", true},
		{"/", "/user/x", true},
		{"/user", "/user", true},
		{"/user", "/user/x", true},
		{"/user/", "/user/x/y", true},
		{"/user/", "/user", true},
		{"/user", "/username", false},
		{"/user", "/user.x", false},
		{"/user", "/User/x", false},
		{"/user/x", "/user", false},
		{"/user", "/kb/user", false},
		{"/cafe\u0301", "/caf\u00e9/x", true},
		{"/牙", "/牙科", false},
	}
	for _, tt := range tests {
		p, err := keypath.ParsePrefix(tt.prefix)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Holds(keypath.MustParse(tt.key)); got != tt.want {
			t.Errorf("%q holds %q: %v", tt.prefix, tt.key, got)
		}
		if p.Holds(keypath.Key{}) {
			t.Errorf("%q holds no key", tt.prefix)
		}
	}
}

func TestPrefixString(t *testing.T) {
	for in, want := range map[string]string{"": "/", "/": "/", "//": "/", "/user/": "/user",
		"//a//b": "/a/b"} {
		p, err := keypath.ParsePrefix(in)
		if err != nil || p.String() != want {
			t.Errorf("%q: %q, %v; want %q", in, p, err, want)
		}
		if again, err := keypath.ParsePrefix(p.String()); err != nil || again != p {
			t.Errorf("%q reads back as %q, %v", p, again, err)
		}
	}
	if p := (keypath.Prefix{}); p.String() != "/" || !p.Holds(keypath.MustParse("/a")) {
		t.Error("the zero Prefix does not hold everything")
	}
}

func TestParsePrefixRefuses(t *testing.T) {
	for in, fault := range map[string]string{
		"user": "no leading slash", "/a/..": `".." segment`, "/a\n": "newline",
		"/\xff": "invalid UTF-8",
	} {
		var e *keypath.Error
		if p, err := keypath.ParsePrefix(in); !errors.As(err, &e) || e.Fault != fault ||
			p != (keypath.Prefix{}) {
			t.Errorf("%q: %q, %v; want %s", in, p, err, fault)
		}
	}
}

package site

import (
	"errors"
	"testing"
)

func TestParseAddress(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want Address
		err  error
	}{
		{"https://memd.example/t1", Address{"https://memd.example", "", "t1"}, nil},
		{"https://MEMD.example:443/t1/", Address{"https://memd.example", "", "t1"}, nil},
		{"https://memd.example:1/a/b/t1", Address{"https://memd.example:1", "/a/b", "t1"}, nil},
		{"http://127.0.0.1:8181/t1", Address{"http://127.0.0.1:8181", "", "t1"}, nil},
		{"http://[::1]:8181/t1", Address{"http://[::1]:8181", "", "t1"}, nil},
		{"http://localhost/t1", Address{"http://localhost", "", "t1"}, nil},
		{"http://memd.example/t1", Address{}, ErrPlain},
		{"http://127.0.0.1.evil/t1", Address{}, ErrPlain},
		{"https://user:pw@memd.example/t1", Address{}, ErrSecret},
		{"https://memd.example/t1?token=x", Address{}, ErrSecret},
		{"https://memd.example/t1#x", Address{}, ErrSecret},
		{"https://memd.example", Address{}, ErrAddress},
		{"https:///t1", Address{}, ErrAddress},
		{"https://a b/t1", Address{}, ErrAddress},
		{"https://memd.example/t1%0amem", Address{}, ErrAddress},
		{"https://memd.example/t1\u202e", Address{}, ErrAddress},
		{"ftp://memd.example/t1", Address{}, ErrAddress},
	} {
		got, err := ParseAddress(c.text)
		if !errors.Is(err, c.err) || err == nil && got != c.want {
			t.Errorf("%s: got %+v, %v", c.text, got, err)
		}
	}
}

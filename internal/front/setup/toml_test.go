package setup

import (
	"slices"
	"strings"
	"testing"
)

func TestTOML(t *testing.T) {
	const text = "\ufeff# a = 1\r\na = \"x#y\" # c\r\n'b c'.d = [1, [2], # z = 3\n '3']\n" +
		"[ t . \"u v\" ]\ne = \"\"\"\n[x]\nf = 1\\\"\"\"\"\ng = { h = true, i = { j = [] }, }\n" +
		"k = 1979-05-27 07:32:00Z\n[[l]]\nm=''\nbroken\n = 2\n[l.n]\no = [\n"
	var got []string
	eachTOML([]byte(text), func(key string, value []string) {
		got = append(got, key+"="+strings.Join(value, " "))
	})
	want := []string{`a="x#y"`, "b c.d=[ 1 , [ 2 ] , \n '3' ]", "t.u v.e=\"\"\"\n[x]\nf = 1\\\"\"\"\"",
		"t.u v.g.h=true", "t.u v.g.i.j=[ ]", "t.u v.k=1979-05-27", "l.m=''", "l.=2", "l.n.o=[ \n"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

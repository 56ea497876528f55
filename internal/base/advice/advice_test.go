package advice_test

import (
	"reflect"
	"testing"

	"github.com/set-memory/mem/internal/base/advice"
)

func TestAdvice(t *testing.T) {
	full := advice.Say("did you mean x? ").Run("config", "set", "a b", "null").Then(" removes it").
		Also(advice.Say("else nothing")).Also(advice.Shell("--force does")).
		Tools("call ").Run("get")
	for _, c := range []struct {
		do          advice.List
		text, plain string
		verb        string
		args        []string
	}{
		{nil, "", "", "", nil},
		{advice.Say(""), "", "", "", nil},
		{advice.Say("try again"), "try again", "try again", "", nil},
		{advice.Shell("write it with --if-absent"), "write it with --if-absent", "", "", nil},
		{advice.Say("take a key: ").RunAlone("key new", "FILE"), "take a key: mem key new FILE", "",
			"key new", []string{"FILE"}},
		{full, "did you mean x? mem config set 'a b' null removes it; else nothing; --force does",
			"else nothing", "config", []string{"set", "a b", "null"}},
	} {
		if got := c.do.String(); got != c.text {
			t.Errorf("%q, want %q", got, c.text)
		}
		if got := c.do.Plain(); got != c.plain {
			t.Errorf("%s: plain %q, want %q", c.text, got, c.plain)
		}
		command := c.do.Command()
		if command == nil {
			command = &advice.Command{}
		}
		if command.Verb != c.verb || !reflect.DeepEqual(command.Args, c.args) {
			t.Errorf("%s: %+v", c.text, command)
		}
	}
}

// A program gets no advice to overrule a refusal; a person does, at a command line.
func TestOverrule(t *testing.T) {
	do := advice.Say("leave it").Also(advice.Overrule("--force does it")).Tools("stop")
	if do.String() != "leave it; --force does it" || do.Plain() != "leave it" ||
		do.ForPrograms().String() != "leave it" {
		t.Errorf("%q, %q, %q", do, do.Plain(), do.ForPrograms())
	}
	if do.String() != "leave it; --force does it" {
		t.Errorf("the advice is %q now", do)
	}
}

// Advice that others have added to stays as it was.
func TestAdviceIsAValue(t *testing.T) {
	base := advice.Say("a")
	one, other := base.Then("1").Also(advice.Say("x")), base.Then("2").Run("ls")
	if base.String() != "a" || one.String() != "a1; x" || other.String() != "a2mem ls" {
		t.Errorf("%s, %s, %s", base, one, other)
	}
}

func TestQuote(t *testing.T) {
	for word, want := range map[string]string{"": "''", "/a/b-1": "/a/b-1", "a b": "'a b'",
		"it's": `'it'\''s'`, "$HOME": "'$HOME'", "a\nb": "'a\nb'"} {
		if got := advice.Quote(word); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
}

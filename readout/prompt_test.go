package readout

import (
	"strings"
	"testing"
)

// Whoever reads it, what is taught takes at most 400 tokens of either tokenizer, and of the
// estimate; with the path of a program in a home directory, too, by the tokenizers.
func TestPromptIsShort(t *testing.T) {
	t.Parallel()
	for told := range tellings {
		g := Guide{Told: Told(told)}
		plain := g.Text()
		g.Program = "/home/ada/go/bin/mem"
		for text, most := range map[string]int{plain: 400, g.Text(): 400} {
			n := realTokens(text)
			t.Logf("%d: %d and %d tokens, estimated %d", told, n[0], n[1], Tokens(text))
			if max(n[0], n[1]) > most || text == plain && Tokens(text) >= most {
				t.Errorf("%d: %d and %d tokens, estimated %d:\n%s", told, n[0], n[1],
					Tokens(text), text)
			}
			if strings.ContainsAny(text, "{}") {
				t.Errorf("%d: a placeholder is left:\n%s", told, text)
			}
		}
	}
}

// The text to look up is as short, and repeats no command of the guidance.
func TestMoreRepeatsNothing(t *testing.T) {
	t.Parallel()
	text, commands := Guide{}.More(), 0
	if n := realTokens(text); max(n[0], n[1]) > 400 || strings.ContainsAny(text, "{}") {
		t.Errorf("%v tokens:\n%s", n, text)
	}
	taught := Guide{}.Text()
	for line := range strings.Lines(text) {
		command, _, _ := strings.Cut(line, " #")
		if !strings.HasPrefix(command, "    mem ") {
			continue
		}
		if commands++; strings.Contains(taught, strings.TrimSpace(command)) {
			t.Errorf("%q is in the guidance already", command)
		}
	}
	if commands < 10 {
		t.Errorf("%d commands", commands)
	}
}

// All are taught the same, but for what comes by itself.
func TestPromptSays(t *testing.T) {
	t.Parallel()
	reads := map[int]bool{int(ToldPerhaps): true, int(ToldNever): true}
	for told := range tellings {
		text := Guide{Told: Told(told)}.Text()
		for _, said := range []string{"asks you to remember", "stable fact", "next month",
			"Do NOT", "transient task context", "secrets", "tokens", "in files already", "forget",
			"--replaces", "--pin", "`pin m-1`", "mem set project/db --text",
			"at most 500 characters",
			"tags to ask by", "then files, then either memory", "At a refusal",
			"its hint", "--propose", "latest word in the conversation", " --source chat",
			"m-4", "4 to 8 words of your own", "synonyms", "not the user's sentence",
			"other words once", "the notes' language",
			"before the first edit of a task", "before you call a change done"} {
			if !strings.Contains(text, said) {
				t.Errorf("%d: the prompt does not say %q", told, said)
			}
		}
		if strings.Contains(text, "by themselves") != (Told(told) != ToldNever) ||
			strings.Contains(text, "mem read") != reads[told] {
			t.Errorf("%d: %s", told, text)
		}
	}
	text := Guide{Program: "/opt/mem"}.Text()
	if strings.Contains(text, "`mem") || strings.Contains(text, "    mem ") ||
		!strings.Contains(text, "    /opt/mem forget project/db\n") ||
		!strings.Contains(text, "5432' --source chat\n") {
		t.Error(text)
	}
}

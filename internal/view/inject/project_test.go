package inject_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/view/inject"
	"github.com/set-memory/mem/keypath"
)

// What a project sets for injection comes before what the user sets, member by member, and only
// where the project sets it.
func TestSettingsOfAProject(t *testing.T) {
	dir := t.TempDir()
	open := func(name, config string) *mem.Store {
		s, err := mem.Open(filepath.Join(dir, name), mem.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		key, _ := keypath.Parse("/db/" + name)
		w := mem.Write{Key: key, Content: []byte(port), Source: []byte(`"test"`)}
		if _, err := s.Set(context.Background(), mem.Caller{}, w, mem.SetOptions{}); err != nil {
			t.Fatal(err)
		}
		err = os.WriteFile(filepath.Join(dir, name, mem.ConfigFile), []byte(config), 0o600)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	both := mem.JoinStores(mem.Options{}, mem.LayerMember{Layer: "project", Store: open("p",
		`{"memory":{"inject_mode":"off"},"inject":{"prompt_tokens":7},"weights":{"match":9}}`)},
		mem.LayerMember{Layer: "user", Store: open("u", `{"inject":{"start_tokens":8}}`)})
	c, err := both.InjectConfig(context.Background())
	if err != nil || c.Inject.PromptTokens != 7 || c.Inject.StartTokens != 8 ||
		c.Inject.SubagentTokens != 400 || c.Weights.Match != 0.2 {
		t.Errorf("%+v, %v", c, err)
	}
	o := inject.Options{Client: "codex", Trigger: inject.AtStart}
	in, err := inject.Choose(context.Background(), both, mem.Caller{}, o)
	if err != nil || in.Text != "" {
		t.Errorf("injected %q in a project that turned it off, %v", in.Text, err)
	}
}

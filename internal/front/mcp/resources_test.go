package mcp

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/set-memory/mem/keypath"
	"github.com/tiktoken-go/tokenizer"
	"pgregory.net/rapid"
)

// addresses returns those of all resources that are listed.
func (l *lab) addresses() (all []string) {
	l.T.Helper()
	for r, err := range l.session.Resources(l.T.Context(), nil) {
		l.Must(err)
		all = append(all, r.URI)
	}
	return all
}

// What is listed is read, page by page, whatever the script; what is not there is not found.
func TestResources(t *testing.T) {
	eachLab(t, func(t *testing.T, l *lab) {
		const n = 2*listed + 7
		for i := range n {
			l.Put(fmt.Sprintf("/项目/a b/%03d", i), `{"text":"牙科"}`)
		}
		all := l.addresses()
		if len(all) != n || !slices.IsSorted(all) ||
			all[0] != "mem:///%E9%A1%B9%E7%9B%AE/a%20b/000" {
			t.Errorf("%d, %q", len(all), all[:1])
		}
		for _, address := range []string{all[7], "mem:///项目/a b/007"} {
			got, err := l.session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: address})
			l.Must(err)
			if c := got.Contents[0]; c.Text != `{"text":"牙科"}` || c.MIMEType != "application/json" ||
				got.CacheScope != "private" || got.TTLMs != 0 {
				t.Errorf("%+v", got)
			}
		}
		l.Store.Store.Delete(t.Context(), l.caller,
			[]keypath.Key{keypath.MustParse("/项目/a b/007")}, nil)
		for _, address := range []string{all[7], "mem:///none", "mem://none", "mem:///", "mem://",
			"mem:///%zz", "mem:///a/../b", "file:///etc/passwd", "x"} {
			_, err := l.session.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: address})
			var failed *jsonrpc.Error
			if !errors.As(err, &failed) || failed.Code != jsonrpc.CodeInvalidParams {
				t.Errorf("%s: %v", address, err)
			}
		}
	})
}

func TestCursorsThatAreNone(t *testing.T) {
	eachLab(t, func(t *testing.T, l *lab) {
		l.Put("/a", `1`)
		for _, cursor := range []string{"junk", "/a/../b", "7"} {
			got, err := l.session.ListResources(t.Context(),
				&sdk.ListResourcesParams{Cursor: cursor})
			var failed *jsonrpc.Error
			if !errors.As(err, &failed) || failed.Code != jsonrpc.CodeInvalidParams {
				t.Errorf("%s: %+v, %v", cursor, got, err)
			}
		}
	})
}

func TestAddressesAreThoseOfKeys(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		key, err := keypath.Parse("/" + rapid.String().Draw(r, "key"))
		if err != nil {
			return
		}
		if got, ok := keyOf(addressOf(key)); !ok || got != key {
			r.Errorf("%q: %s, %q", key, addressOf(key), got)
		}
	})
}

func TestKeysAreCompleted(t *testing.T) {
	eachLab(t, func(t *testing.T, l *lab) {
		for i := range 2 * listed {
			l.Put(fmt.Sprintf("/many/k%03d", i), `1`)
		}
		l.Put("/project/db", `1`)
		l.Put("/project/deploy", `1`)
		complete := func(address, begun string) *sdk.CompleteResult {
			got, err := l.session.Complete(t.Context(), &sdk.CompleteParams{
				Ref:      &sdk.CompleteReference{Type: "ref/resource", URI: address},
				Argument: sdk.CompleteParamsArgument{Name: "key", Value: begun}})
			l.Must(err)
			return got
		}
		for begun, want := range map[string]string{"/project/d": "/project/db /project/deploy",
			"project/de": "/project/deploy", "/projects": "", "/pro": "/project/db /project/deploy",
			"/a/../b": "", "/many/k01": "/many/k010 /many/k011 /many/k012 /many/k013 /many/k014 " +
				"/many/k015 /many/k016 /many/k017 /many/k018 /many/k019"} {
			got := complete(keyTemplate.URITemplate, begun).Completion
			if strings.Join(got.Values, " ") != want || got.HasMore {
				t.Errorf("%s: %q", begun, got.Values)
			}
		}
		if got := complete(keyTemplate.URITemplate, "").Completion; len(got.Values) != listed ||
			!got.HasMore {
			t.Errorf("%d", len(got.Values))
		}
		if got := complete("file:///{x}", "/p").Completion; len(got.Values) != 0 {
			t.Errorf("%q", got.Values)
		}
	})
}

func TestPrompts(t *testing.T) {
	session := connect(t, &server{}, nil)
	list, err := session.ListPrompts(t.Context(), nil)
	if err != nil || len(list.Prompts) != 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	got, err := session.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: list.Prompts[0].Name})
	if err != nil {
		t.Fatal(err)
	}
	// It is for who has these tools and no shell.
	text := got.Messages[0].Content.(*sdk.TextContent).Text
	for tool, of := range tools {
		if of.set == "core" && !strings.Contains(text, tool) {
			t.Errorf("it says nothing of %s", tool)
		}
	}
	for _, said := range []string{"4 to 8 words of your own", "other words once"} {
		if !strings.Contains(text, said) || !strings.Contains(string(toolsJSON), said) {
			t.Errorf("the prompt or the tools do not say %q", said)
		}
	}
	if strings.Contains(text, "shell") || strings.Contains(text, "mem note") {
		t.Errorf("%s", text)
	}
	for _, name := range []tokenizer.Encoding{tokenizer.Cl100kBase, tokenizer.O200kBase} {
		codec, err := tokenizer.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := codec.Count(text); err != nil || n > 400 {
			t.Errorf("%d tokens of %s: %v", n, name, err)
		}
	}
}

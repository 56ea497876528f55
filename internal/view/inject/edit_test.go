package inject_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/view/inject"
	"github.com/set-memory/mem/readout"
)

// A memory is injected at an edit of the file that it names, the closest name first.
func TestEdit(t *testing.T) { onEach(t, testEdit) }

func testEdit(t *testing.T, f *fixture) {
	for key, text := range map[string]string{
		"/path":   "web/cart/price.ts rounds half to even",
		"/alone":  "tariff.ts is generated from tariff.yaml",
		"/both":   "The client of the site is web/api/client.ts",
		"/client": "client.ts retries twice",
		"/folder": "Everything below web/cart/ needs a test of its own",
		"/deep":   "web/cart/tax/ follows the law of 2024",
		"/top":    "web/ is TypeScript",
		"/end":    "api/errors.ts maps codes",
		"/common": "README.md has the list of owners",
		"/abs":    "/etc/nginx/nginx.conf is managed by ansible",
		"/plain":  "Deploys run on Tuesday",
	} {
		f.Put(key, fmt.Sprintf(`{"text":%q}`, text))
	}
	for i, c := range []struct{ file, want string }{
		{"/p/web/cart/price.ts", "/folder /path"},
		{"/p/web/cart/total.ts", "/folder"},
		{"/p/web/cart/tax/vat.ts", "/deep /folder"},
		{"/p/web/cartoon/a.ts", ""},
		{"/p/lib/tariff.ts", "/alone"}, {"/p/lib/cart/tariff.ts", "/alone"},
		{"/p/app/api/errors.ts", "/end"}, {"/p/api/errors.ts", "/end"}, {"/p/api/my-errors.ts", ""},
		{"/p/errors.ts", ""}, {"/q/api/errors.ts", ""},
		{"/elsewhere/tariff.ts", ""},
		{"/p/lib/tariff.tsx", ""},
		{"/p/web/api/client.ts", "/both /client"},
		{"/p/app/api/client.ts", ""},
		{"/p/README.md", ""},
		{"/p/web/x.ts", ""},
		{"/etc/nginx/nginx.conf", "/abs"},
		{"/p/etc/nginx/nginx.conf", ""},
		{"/q/web/cart/price.ts", ""},
		{"/p/../p/web/api/client.ts", "/both /client"},
		{"/p/", ""}, {"/", ""}, {"/p/" + strings.Repeat("x/", 3000) + "a.ts", ""},
	} {
		in := f.deliver(inject.Options{Trigger: inject.AtEdit, Files: []string{c.file}, Root: "/p",
			Conversation: fmt.Sprint(i)})
		if got := keysIn(in); got != c.want || (in.Text == "") != (c.want == "") {
			t.Errorf("%s: %q, want %q", c.file, got, c.want)
		}
	}
	if got := f.choose(inject.Options{Trigger: inject.AtEdit, Root: "/p", Conversation: "order",
		Files: []string{"/p/web/cart/price.ts"}}); got.Memories[0].Key != "/path" {
		t.Errorf("the folder comes before the path: %s", got.Text)
	}
	many := make([]string, 10_000)
	for i := range many {
		many[i] = fmt.Sprintf("/p/x/%d.ts", i)
	}
	many = append(many, "/p/web/cart/price.ts")
	in := f.choose(inject.Options{Trigger: inject.AtEdit, Files: many, Root: "/p"})
	if in.Text != "" {
		t.Errorf("a patch of %d files: %s", len(many), in.Text)
	}
}

// A conversation gets a memory at one edit, its sub-agent too, and again where the context was
// lost.
func TestEditOnce(t *testing.T) { onEach(t, testEditOnce) }

func testEditOnce(t *testing.T, f *fixture) {
	f.Put("/path", `{"text":"web/cart/price.ts rounds half to even"}`)
	edit := inject.Options{Trigger: inject.AtEdit, Files: []string{"/p/web/cart/price.ts"},
		Root: "/p"}
	sub, other := edit, edit
	sub.SubAgent, other.SubAgent = "a1", "a2"
	for _, step := range []struct {
		name string
		o    inject.Options
		want string
	}{
		{"an edit", edit, "/path"}, {"the same", edit, ""},
		{"a sub-agent", sub, "/path"}, {"the same", sub, ""}, {"another one", other, "/path"},
		{"compaction", inject.Options{Trigger: inject.AtStart,
			Retained: inject.RetainedNothing, Block: readout.Block{Most: 1}}, ""},
		{"an edit after it", edit, "/path"}, {"the same", edit, ""}, {"the sub-agent", sub, ""},
		{"a new sub-agent", inject.Options{Trigger: inject.AtSubagent, SubAgent: "a3"}, "/path"},
		{"which edits", inject.Options{Trigger: inject.AtEdit, SubAgent: "a3", Files: edit.Files,
			Root: "/p"}, ""},
		{"a start", inject.Options{Trigger: inject.AtStart}, ""},
	} {
		if got := keysIn(f.deliver(step.o)); got != step.want {
			t.Errorf("%s: %q, want %q", step.name, got, step.want)
		}
	}
	f.Put("/config", `{}`)
}

// An edit of a file whose memory the conversation has is recorded once, and again where it was
// given anew; one of a file that no memory names is not.
func TestEditRecord(t *testing.T) { onEach(t, testEditRecord) }

func testEditRecord(t *testing.T, f *fixture) {
	f.Put("/path", `{"text":"web/cart/price.ts rounds half to even"}`)
	edit := inject.Options{Trigger: inject.AtEdit, Files: []string{"/p/web/cart/price.ts"},
		Root: "/p"}
	other := edit
	other.Files = []string{"/p/web/cart/tax.ts"}
	for _, step := range []struct {
		name     string
		o        inject.Options
		recorded bool
		left     string
	}{
		{"a file without memories", other, false, ""},
		{"a start", inject.Options{Trigger: inject.AtStart}, true, ""},
		{"an edit after it", edit, true, "/path: given before"},
		{"the same", edit, false, "/path: given before"},
		{"a file without memories", other, false, ""},
		{"compaction", inject.Options{Trigger: inject.AtStart,
			Retained: inject.RetainedNothing}, true, ""},
		{"an edit after it", edit, true, "/path: given before"},
		{"the same", edit, false, "/path: given before"},
	} {
		in := f.choose(step.o)
		if in.IsRecorded() != step.recorded || left(in) != step.left {
			t.Errorf("%s: recorded %v, left out %q", step.name, in.IsRecorded(), left(in))
		}
		if in.IsRecorded() {
			inject.Record(f.Store.Store, in)
		}
	}
}

// A long text is cut to the limit of an edit, and so is the second fact.
func TestEditLimit(t *testing.T) { onEach(t, testEditLimit) }

func testEditLimit(t *testing.T, f *fixture) {
	for i, text := range []string{strings.Repeat("价格", 300), strings.Repeat("price ", 120)} {
		f.Put(fmt.Sprint("/long/", i), fmt.Sprintf(`{"text":"web/cart/%d.ts %s"}`, i, text))
		in := f.deliver(inject.Options{Trigger: inject.AtEdit, Root: "/p",
			Files: []string{fmt.Sprintf("/p/web/cart/%d.ts", i)}})
		if in.Tokens == 0 || in.Tokens > 200 {
			t.Errorf("%d tokens: %s", in.Tokens, in.Text)
		}
	}
}

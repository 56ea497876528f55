package audit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/audit"
	"pgregory.net/rapid"
)

// drawContent returns content that says something.
func drawContent(t *rapid.T) string {
	text := string(jsontext.AppendString(nil, rapid.StringN(0, 40, 80).Draw(t, "text")+"."))
	other := rapid.SampledFrom([]string{"1.0", `"x"`, "null", "[{}]", `{"b":1,"a":[2]}`}).
		Draw(t, "other")
	return fmt.Sprintf(rapid.SampledFrom([]string{
		`%s`, `[%s]`, `{"text":%s}`, `{"summary":%s,"z":` + other + `}`,
		`{"text":%s,"summary":"short","type":"rule"}`, `{"tags":["a"],"z":{"a":%s}}`,
		`{"z":` + other + `,"text":%s,"importance":1}`,
	}).Draw(t, "shape"), text)
}

// A copy under another key is always found, with all others of its kind in one group.
func TestCopiesAreFound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		f := &fixture{storetest.NewStore(t, storetest.Memory)}
		for i, text := range rapid.SliceOfN(rapid.Custom(drawContent), 1, 6).Draw(rt, "store") {
			f.put(fmt.Sprintf("/a/%d %s", i, text), fmt.Sprintf("/b/%d %s", i, text))
		}
		in := map[string]int{}
		for group, found := range f.run(audit.Options{Duplicates: true}).Found {
			in[found.Key.String()] = group + 1
			for _, key := range found.Others {
				in[key.String()] = group + 1
			}
		}
		for key := range f.All() {
			if twin := "/b" + key[2:]; in[key] == 0 || in[key] != in[twin] {
				rt.Fatalf("%s is no duplicate of %s: %v", key, twin, in)
			}
		}
	})
}

// Texts of different words are never taken for each other.
func TestUnrelatedTextsAreNoDuplicates(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		f := &fixture{storetest.NewStore(t, storetest.Memory)}
		word := rapid.StringMatching(`[a-zé0-9]{1,6}`)
		texts := rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) string {
			return strings.Join(rapid.SliceOfN(word, 1, 6).Draw(t, "words"), " ")
		}), 2, 8, rapid.ID[string]).Draw(rt, "texts")
		for i, text := range slices.Compact(texts) {
			f.put(fmt.Sprintf(`/t/%d {"text":%q}`, i, text))
		}
		if found := f.run(audit.Options{Duplicates: true}).Found; len(found) > 0 {
			rt.Fatalf("%v: %+v", texts, found)
		}
	})
}

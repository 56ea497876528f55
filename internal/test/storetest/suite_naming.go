package storetest

import (
	"fmt"
	"strings"

	"github.com/set-memory/mem/internal/store/backend"
	"github.com/set-memory/mem/internal/store/state"
)

// testNaming holds the records that name a file against all records, one by one.
func testNaming(s *suite) {
	s.library()
	s.put("/file/path", `{"text":"web/cart/price.ts rounds half to even"}`,
		"/file/alone", `{"text":"price.ts is generated"}`,
		"/file/escaped", `{"text":"web\/cart\/price.ts is \u0070retty"}`,
		"/file/folder", `{"text":"all of web/cart/ is old"}`,
		"/file/other", `{"text":"app/cart/price.ts is new"}`,
		"/file/summary", `{"summary":"web/cart/price.ts","text":"a module"}`,
		"/file/changes", `{"text":"nothing yet"}`,
		"/file/gone", `{"text":"web/cart/price.ts has a bug"}`,
		"/file/sum", `{"text":"a module","files":[{"path":"web/tax.ts","size":26,"sha256":"`+
			strings.Repeat("0123456789abcdef", 4)+`"}]}`,
		"/agent/ada/core/"+ulid, `{"text":"I wrote web/cart/price.ts"}`,
		"/untrusted/x", `{"text":"web/cart/price.ts is mine"}`)
	for i := range 90 {
		s.put(fmt.Sprint("/file/many/", i), fmt.Sprintf(`{"text":"lib/%d/price.ts"}`, i))
	}
	s.between()
	s.put("/file/gone", "null", "/file/changes", `{"text":"web/cart/price.ts is done"}`,
		"/file/alone", `{"text":"price.go is generated"}`)
	fold := s.folded()
	for _, file := range []string{"web/cart/price.ts", "web/cart/other.ts", "price.go", "x/y.go"} {
		for _, w := range s.wheres() {
			namingIs(s, file, w, fold, backend.NewNaming(file, "/srv/"+file))
		}
	}
	for _, w := range s.wheres() {
		namingIs(s, "the size", w, fold, backend.NewSizeNaming(26))
	}
}

// namingIs checks that all that is found names the file and may be shown, and that no record is
// missing that names its path or its folder.
func namingIs(s *suite, file string, w backend.Where, fold state.Fold, n *backend.Naming) {
	s.Helper()
	shown, must := map[string]string{}, 0
	for _, rec := range selectedBy(w, backend.NewestFirst, fold) {
		if _, ok := n.Share(rec); ok {
			shown[rec.Key.String()] = string(rec.Line)
			must++
		}
	}
	got, err := s.Match(s.ctx, n, w, 200)
	s.must(err)
	what := fmt.Sprintf("%s %+v", file, w)
	if must < 60 && len(got) != must || len(got) < must/2 { // of many some are not looked at
		s.Fatalf("%s: %d of %d", what, len(got), must)
	}
	for _, rec := range got {
		s.same(what+": "+rec.Key.String(), string(rec.Line), shown[rec.Key.String()])
	}
}

package content_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/set-memory/mem/internal/base/content"
)

func TestFoldText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "", " \n\t": "", "The  DB\nis\u00a0up ": "the db is up", "ＰＯＲＴ　５４３２": "port 5432",
		"ﬁle": "file", "用户　偏好": "用户 偏好", "E\u0301te": "\u00e9te",
	} {
		if got := content.FoldText(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		once := content.FoldText(rapid.String().Draw(rt, "text"))
		if twice := content.FoldText(once); twice != once {
			rt.Fatalf("%q, and once more %q", once, twice)
		}
	})
}

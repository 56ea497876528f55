package content_test

import (
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/keypath"
)

func TestBlobOf(t *testing.T) {
	const id = "/artifact/art_01JQ8ZV5Y3M4N6P7R8S9T0V1W2"
	sum := strings.Repeat("0a", 32)
	for _, c := range []struct{ key, text, want string }{
		{id, `{"sha256":"` + sum + `","size":3}`, sum},
		{id, `{"size":3,"sha256":"\u0030` + sum[1:] + `"}`, sum},
		{"/untrusted" + id, `{"sha256":"` + sum + `"}`, sum},
		{"/untrusted/untrusted" + id, `{"sha256":"` + sum + `"}`, ""},
		{"/artifact/other", `{"sha256":"` + sum + `"}`, ""},
		{"/kb/fact", `{"sha256":"` + sum + `"}`, ""},
		{id + "/below", `{"sha256":"` + sum + `"}`, ""},
		{id, `{"sha256":"` + strings.ToUpper(sum) + `"}`, ""},
		{id, `{"sha256":"` + sum[1:] + `"}`, ""},
		{id, `{"sha256":"` + sum + `0"}`, ""},
		{id, `{"sha256":"../` + sum[3:] + `"}`, ""},
		{id, `{"sha256":7}`, ""},
		{id, `{"about":{"sha256":"` + sum + `"}}`, ""},
		{id, `"` + sum + `"`, ""},
		{id, `null`, ""},
		{id, ``, ""},
	} {
		if got := content.BlobOf(keypath.MustParse(c.key), []byte(c.text)); got != c.want {
			t.Errorf("%s %s: %q", c.key, c.text, got)
		}
	}
}

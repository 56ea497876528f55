package content_test

import (
	"testing"

	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/log"
)

func FuzzParse(f *testing.F) {
	for _, text := range []string{`{"type":"a","tags":["b"],"importance":7}`, `{"tags":["a",`,
		`{"expired_at":nan}`, `{"pinned":true}`, `{"expired_at":1e14}`, `{"importance":inf}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		fields := content.Parse(text)
		expired := content.Expired(text, log.StampOf(now))
		if !(fields.Importance >= 0 && fields.Importance <= 1) || fields.Expires < log.MinStamp ||
			fields.Expires > log.MaxStamp {
			t.Fatalf("%q: %+v", text, fields)
		}
		_, err := jsontext.Compact(nil, text)
		if err == nil && expired != fields.Expired(log.StampOf(now)) {
			t.Fatalf("%q: expired %v, and by its fields %v", text, expired, !expired)
		}
	})
}

package serve

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/test/testkit"
)

// A caller hears that a request of a front is worked on before its answer begins, or its error.
func TestWorking(t *testing.T) {
	t.Parallel()
	for what, want := range map[string]struct {
		err          error
		answer, logs string
	}{
		"answer": {nil, `{"a":1}`, `"status":200`},
		"error": {errRootGone, `{"error":{"code":"io","message":"the root of this server is gone"`,
			`"status":503`},
	} {
		heard := make(chan struct{})
		work := func(ctx context.Context) {
			defer Working(ctx)()
			<-heard
		}
		s := newTestServer(t, func(o *Options) {
			works := func(w http.ResponseWriter, r *http.Request) error {
				if work(r.Context()); want.err != nil {
					return want.err
				}
				_, err := io.WriteString(w, `{"a":1}`)
				return err
			}
			o.Fronts = []Front{{Path: "/works", Serve: works}}
		})
		s.signs = time.Millisecond
		res, err := s.unix.Post("http://mem/works", "application/json", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		sign := make([]byte, 1)
		if _, err := io.ReadFull(res.Body, sign); err != nil || sign[0] != '\n' {
			t.Fatalf("%s: %q, %v", what, sign, err)
		}
		close(heard)
		text, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != http.StatusOK || !json.Valid(text) ||
			!strings.HasPrefix(strings.TrimSpace(string(text)), want.answer) {
			t.Errorf("%s: %d %q, %v", what, res.StatusCode, text, err)
		}
		res.Body.Close()
		testkit.WaitFor(t, "the log of an "+what, func() bool {
			return strings.Contains(s.logged.String(), want.logs)
		})
	}
}

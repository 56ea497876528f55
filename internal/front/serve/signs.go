package serve

import (
	"context"
	"net/http"
	"time"
)

// signTime is how often a caller hears that its request is still worked on.
const signTime = 10 * time.Second

// Working says of a request to a front that it is worked on, until done is called: every 10 s a
// line feed goes before the answer, which has to be JSON. From the first one on its status is 200,
// also where the front returns an error. The body was read before.
func Working(ctx context.Context) (done func()) {
	w := watchedOf(ctx)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		each := time.NewTicker(w.call.server.signs)
		defer each.Stop()
		for {
			select {
			case <-stop:
				return
			case <-each.C:
				w.sign()
			}
		}
	}()
	return func() {
		close(stop)
		<-stopped
	}
}

// sign sends a line feed. An error says that the client is gone: the request is worked on all the
// same, for it may ask again.
func (w *watched) sign() {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("X-Accel-Buffering", "no") // a proxy that collects answers would keep it
	w.signed = true
	_, _ = w.Write([]byte("\n"))
	_ = http.NewResponseController(w).Flush()
}

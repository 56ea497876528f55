package serve

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/set-memory/mem/internal/base/logline"
)

// How long who asks may take.
const (
	headerTime = 10 * time.Second
	idleTime   = 2 * time.Minute
	// answerTime is from the end of the header to the end of the answer: some more than a request
	// may take, so that its error gets out.
	answerTime = requestTime + 5*time.Second
	// stopTime is how long a server that is stopped waits for what runs.
	stopTime = answerTime

	maxHeader = 16 << 10
)

// Run serves until ctx ends: it takes no more connections then, finishes what runs and returns nil.
// It closes the listeners and the server. The error is that of a listener.
func (s *Server) Run(ctx context.Context, l *Listeners) error {
	h := s.httpServer()
	failed := make(chan error, len(l.all))
	var serving sync.WaitGroup
	for _, one := range l.all {
		serving.Go(func() {
			if err := h.Serve(one); !errors.Is(err, http.ErrServerClosed) {
				failed <- err
			}
		})
	}
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	s.o.Log.Info("stopping", logline.Component, "serve")
	finish, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTime)
	defer cancel()
	if late := h.Shutdown(finish); late != nil {
		s.o.Log.Warn("some requests did not end in time", logline.Component, "serve")
		late = h.Close()
		err = errors.Join(err, late)
	}
	serving.Wait()
	s.Close()
	return errors.Join(err, l.Close())
}

// httpServer returns the server of net/http, with its limits.
func (s *Server) httpServer() *http.Server {
	return &http.Server{
		Handler: s, ReadHeaderTimeout: headerTime, ReadTimeout: requestTime, IdleTimeout: idleTime,
		WriteTimeout: answerTime, MaxHeaderBytes: maxHeader,
		ConnState:   func(c net.Conn, is http.ConnState) { s.connsOf(c).changed(c, is) },
		ConnContext: withConn,
		ErrorLog:    slog.NewLogLogger(s.o.Log.Handler(), slog.LevelDebug),
	}
}

package serve

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/logline"
)

// watched is an answer, with the facts for its log line and the metrics.
type watched struct {
	http.ResponseWriter
	id     string // of the request
	route  *route // nil: none
	call   *call  // nil: it is not served yet
	tenant string
	agent  string
	status int  // 0: nothing is sent yet
	signed bool // the caller has heard that it is worked on, see Working
	isGone bool // the client takes no more of the answer
	err    error
}

type watchedKey struct{}

// watchedOf returns the watched answer of a request.
func watchedOf(ctx context.Context) *watched { return ctx.Value(watchedKey{}).(*watched) }

// WriteHeader sends the header.
func (w *watched) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write sends a part of the body.
func (w *watched) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(b)
	w.isGone = w.isGone || err != nil
	return n, err
}

// Unwrap is for http.ResponseController.
func (w *watched) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (s *Server) requestID(r *http.Request) string {
	if id := r.Header.Get("X-Request-Id"); tenantIDs().MatchString(id) {
		return id
	}
	id, err := s.requests.New(s.o.Clock())
	if err != nil {
		return "-"
	}
	return "req_" + id
}

// logRequest counts a request, and writes its line of the log: never what it holds.
func (s *Server) logRequest(w *watched, r *http.Request, took time.Duration) {
	name, method := "none", "any" // the path of an unknown route may be any text
	if w.route != nil {
		name, method = w.route.path, cmp.Or(w.route.method, method)
	}
	if w.isGone {
		w.status = statusGone
	}
	s.metrics.request(method+" "+name, w.status, took)
	level, attrs := slog.LevelInfo, []any{logline.Component, "serve", "method", method,
		"route", name, "status", w.status, "ms", milliseconds(took), "request", w.id}
	if w.tenant != "" {
		attrs = append(attrs, "tenant", w.tenant)
	}
	if w.agent != "" {
		attrs = append(attrs, "agent", w.agent)
	}
	if w.status >= http.StatusInternalServerError && w.err != nil {
		level, attrs = slog.LevelError, append(attrs, "error", mem.Message(w.err))
	}
	s.o.Log.Log(r.Context(), level, "request", attrs...)
}

// statusGone is the status in the log of a request whose client did not wait for its answer, as in
// nginx: the fault is not the server's.
const statusGone = 499

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1e3 }

// panicError is a panic of a handler: of no kind that is known, so a bug.
type panicError struct{ cause any }

func (e *panicError) Error() string { return fmt.Sprintf("panic: %v", e.cause) }

func stack() string { return string(debug.Stack()) }

// metrics count what happens. Their labels are of this program: no tenant and no request can add
// one.
type metrics struct {
	requests    *prometheus.CounterVec   // by route and status
	seconds     *prometheus.HistogramVec // by route
	events      prometheus.Counter
	compactions *prometheus.CounterVec // by result
	handler     http.Handler
}

// buckets reach from a request of the fast path to the longest that there may be.
var buckets = []float64{.001, .0025, .005, .01, .015, .025, .05, .1, .15, .25, .5, 1, 2.5, 5, 10,
	30}

func newMetrics(open func() int) *metrics {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "memd_requests_total", Help: "Requests that were answered.",
		}, []string{"route", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "memd_request_seconds", Help: "How long requests took.", Buckets: buckets,
		}, []string{"route"}),
		events: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "memd_events_stored_total", Help: "Events that this server has stored.",
		}),
		compactions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "memd_compactions_total", Help: "Compactions that ended, by how.",
		}, []string{"result"}),
	}
	stores := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "memd_open_stores", Help: "Memories that are open.",
	}, func() float64 { return float64(open()) })
	registry := prometheus.NewRegistry()
	registry.MustRegister(m.requests, m.seconds, m.events, m.compactions, stores,
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.handler = promhttp.HandlerFor(registry, promhttp.HandlerOpts{})
	return m
}

func (m *metrics) request(route string, status int, took time.Duration) {
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
	m.seconds.WithLabelValues(route).Observe(took.Seconds())
}

func (m *metrics) stored(events int) { m.events.Add(float64(events)) }

func (m *metrics) compaction(result string) { m.compactions.WithLabelValues(result).Inc() }

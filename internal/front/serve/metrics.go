package serve

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

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

package main

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	memd := flag.String("memd", "bin/memd", "the server, with mem beside it")
	only := flag.String("only", "", "run only the floods that match a pattern")
	sizes := flag.String("sizes", "10,100,1000", "concurrent requests")
	last := flag.Duration("for", 10*time.Second, "how long each flood lasts")
	postgres := flag.Bool("postgres", false, "the memories are in a PostgreSQL of its own")
	flag.Parse()
	if err := run(*memd, *only, *sizes, *last, *postgres); err != nil {
		fmt.Fprintln(os.Stderr, "flood:", err)
		os.Exit(1)
	}
}

func run(memd, only, sizes string, last time.Duration, postgres bool) error {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	var counts []int
	for word := range strings.SplitSeq(sizes, ",") {
		n, err := strconv.Atoi(word)
		if err != nil {
			return err
		}
		counts = append(counts, n)
	}
	s, err := startServer(memd, postgres)
	if err != nil {
		return err
	}
	defer s.stop()
	fmt.Printf("%-20s %5s %17s %17s %17s %5s %5s  %s\n", "median / p99 in ms", "size", "before",
		"flood", "after", "GETs", "MiB", "answers")
	for _, f := range floods {
		if !pattern.MatchString(f.name) {
			continue
		}
		for _, n := range counts {
			if err := s.endure(f, n, last); err != nil {
				return err
			}
		}
	}
	return nil
}

// endure measures a GET beside a flood, and a third as long before and after it.
func (s *server) endure(f flood, n int, last time.Duration) error {
	before := s.probe(last / 3)
	s.peak()
	c := newCrowd(s, f, n)
	time.Sleep(time.Second) // until all are there
	took := s.probe(last)
	c.stop()
	mib := s.peak()
	s.calm()
	after := s.probe(last / 3)
	fmt.Printf("%-20s %5d %17s %17s %17s %5d %5d  %s\n", f.name, n, spread(before), spread(took),
		spread(after), len(took), mib, c.answers())
	if s.gone() {
		return fmt.Errorf("memd ended in %s %d", f.name, n)
	}
	return nil
}

// spread returns the median and the p99 of times.
func spread(took []time.Duration) string {
	if len(took) == 0 {
		return "none"
	}
	slices.Sort(took)
	at := func(part float64) float64 {
		return took[int(part*float64(len(took)-1))].Seconds() * 1e3
	}
	return fmt.Sprintf("%.1f / %.1f", at(.5), at(.99))
}

// calm waits until a flood's last requests are worked off: memd uses less than a tenth of a
// processor, or a minute has passed.
func (s *server) calm() {
	for range 60 {
		used := s.used()
		time.Sleep(time.Second)
		if s.used()-used < 100*time.Millisecond {
			return
		}
	}
}

// probe asks for one memory of the other tenant again and again, for a time. A failure counts as
// the time that it took, and at least 10 s.
func (s *server) probe(last time.Duration) (took []time.Duration) {
	client := &http.Client{Timeout: time.Minute}
	defer client.CloseIdleConnections()
	for end := time.Now().Add(last); time.Now().Before(end); {
		began := time.Now()
		err := s.ask(client, http.MethodGet, s.ada, "/api/v1/memories/k", "")
		one := time.Since(began)
		if err != nil {
			one = max(one, 10*time.Second)
			fmt.Fprintln(os.Stderr, "flood: a GET failed:", err)
		}
		took = append(took, one)
		time.Sleep(5 * time.Millisecond)
	}
	return took
}

func statusError(res *http.Response, text []byte) error {
	if res.StatusCode == http.StatusOK || res.StatusCode == http.StatusCreated {
		return nil
	}
	return fmt.Errorf("%s: %.200s", res.Status, text)
}

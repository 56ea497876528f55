package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
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
	flag.Parse()
	if err := run(*memd, *only, *sizes, *last); err != nil {
		fmt.Fprintln(os.Stderr, "flood:", err)
		os.Exit(1)
	}
}

func run(memd, only, sizes string, last time.Duration) error {
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
	s, err := startServer(memd)
	if err != nil {
		return err
	}
	defer s.stop()
	fmt.Printf("%-22s %5s %9s %9s %6s %6s  %s\n", "flood", "size", "median", "p99", "GETs",
		"MiB", "answers")
	line("none", 0, s.probe(last), s, nil)
	for _, f := range floods {
		if !pattern.MatchString(f.name) {
			continue
		}
		for _, n := range counts {
			c := newCrowd(s, f, n)
			time.Sleep(time.Second) // until all are there
			took := s.probe(last)
			c.stop()
			line(f.name, n, took, s, c)
			if s.gone() {
				return fmt.Errorf("memd ended in %s %d", f.name, n)
			}
		}
	}
	return nil
}

func line(name string, n int, took []time.Duration, s *server, c *crowd) {
	slices.Sort(took)
	at := func(part float64) string {
		if len(took) == 0 {
			return "none"
		}
		ms := took[int(part*float64(len(took)-1))].Seconds() * 1e3
		return strconv.FormatFloat(ms, 'f', 1, 64) + " ms"
	}
	answers := ""
	if c != nil {
		answers = c.answers()
	}
	fmt.Printf("%-22s %5d %9s %9s %6d %6d  %s\n", name, n, at(.5), at(.99), len(took), s.peak(),
		answers)
}

// probe asks for one memory of the other tenant again and again, for a time. A failure counts as
// the time that it took, and at least 10 s.
func (s *server) probe(last time.Duration) (took []time.Duration) {
	client := &http.Client{Timeout: time.Minute}
	defer client.CloseIdleConnections()
	for end := time.Now().Add(last); time.Now().Before(end); {
		began := time.Now()
		err := s.get(client)
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

func (s *server) get(client *http.Client) error {
	req, err := http.NewRequest(http.MethodGet, s.url("/api/v1/memories/k"), nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+s.ada)
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	text, err := io.ReadAll(res.Body)
	return cmp.Or(err, res.Body.Close(), statusError(res, text))
}

func statusError(res *http.Response, text []byte) error {
	if res.StatusCode == http.StatusOK || res.StatusCode == http.StatusCreated {
		return nil
	}
	return fmt.Errorf("%s: %.200s", res.Status, text)
}

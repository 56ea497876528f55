package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// sizes are the stores that the floor is measured in, by their notes.
var sizes = [...]int{20, 50, 100, 170, 350, 1000}

// share counts.
type share struct{ n, of int }

func (s *share) add(yes bool) {
	s.of++
	if yes {
		s.n++
	}
}

func (s share) plus(o share) share { return share{s.n + o.n, s.of + o.of} }

func (s share) percent() float64 { return 100 * float64(s.n) / float64(max(s.of, 1)) }

// rates are what stores of one size told: off is the prompts that have nothing to do with them and
// were answered, on the prompts that a note answers and that brought it. Each by the half of the
// prompts: bounds are chosen by the first and judged by the second.
type rates struct{ off, on [2]share }

// measureFloor prints the rates by size, for one store and for two that are read as one.
func measureFloor(dir string, out io.Writer) {
	c := readCorpus(dir)
	fmt.Fprintf(out, "%-16s %7s %7s %6s %6s %6s %6s\n", "floor", "notes", "stores", "off 1", "off 2", "on 1", "on 2")
	for _, layers := range []int{1, 2} {
		for _, size := range sizes {
			r, stores := c.measure(size, layers == 2, 1+size/200)
			fmt.Fprintf(out, "%-16s %7d %7d", [...]string{"one store", "two layers"}[layers-1], size, stores)
			for _, s := range [...]share{r.off[0], r.off[1], r.on[0], r.on[1]} {
				fmt.Fprintf(out, " %6.1f", s.percent())
			}
			fmt.Fprintln(out)
		}
	}
}

// measure asks stores of one size, one that begins with each stride-th project. The user's layer
// has 10 to 60 notes.
func (c *corpus) measure(size int, layered bool, stride int) (r rates, stores int) {
	last := len(c.projects) - 2
	for first := 0; first <= last; first += stride {
		project, user := c.shelf(first, size), []fact(nil)
		if layered {
			user = c.user[:10+(len(c.user)-10)*first/last]
		}
		t := tell(project, user)
		r.ask(t, c.off, slices.Concat(project, user))
		stores++
	}
	return r, stores
}

// ask puts all prompts to a store.
func (r *rates) ask(t told, off []string, facts []fact) {
	for i, prompt := range off {
		r.off[i%2].add(t.at(prompt) != "")
	}
	i := 0
	for _, f := range facts {
		for _, prompt := range f.prompts {
			r.on[i%2].add(strings.Contains(t.at(prompt), f.text))
			i++
		}
	}
}

package main

import (
	"fmt"
	"strings"
	"time"
)

// manual returns the manual pages of a program, from its help: mem(1), and one for each verb.
func manual(mem, version string, at time.Time) (pages []entry) {
	verbs := output(mem, "__complete", "")
	head := fmt.Sprintf("1 %q %q", at.Format(time.DateOnly), "mem "+version)
	text := output(mem, "--help")
	pages = append(pages, page("mem", "an agent's memory as plain files", head, text))
	for line := range strings.Lines(verbs) {
		verb, short, isVerb := strings.Cut(strings.TrimSpace(line), "\t")
		if !isVerb {
			continue // what else cobra prints
		}
		pages = append(pages, page("mem-"+verb, short, head, output(mem, "help", verb)))
	}
	return pages
}

var roff = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'")

// page returns a manual page whose description is the text of a help, line by line.
func page(name, short, head, help string) entry {
	text := fmt.Sprintf(".TH %s %s\n.SH NAME\n%s \\- %s\n.SH DESCRIPTION\n.nf\n%s\n.fi\n",
		strings.ToUpper(name), head, roff.Replace(name), roff.Replace(short),
		strings.TrimPrefix(roff.Replace("\n"+help), "\n"))
	return entry{"man/man1/" + name + ".1", []byte(text), 0o644}
}

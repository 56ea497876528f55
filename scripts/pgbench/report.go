package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/set-memory/mem/scripts/harness"
)

const head = `# Figures of mem on PostgreSQL

Written by ` + "`make bench-postgres`" + ` on %s, with %d events of %d words. The server is one of its
own, as PostgreSQL comes (fsync on, shared_buffers 128 MB), on a disk of this machine; clients use
its unix socket. What is held against a goal is in the column before it. How it is measured is in
` + "`scripts/pgbench/doc.go`" + `. The machine is a shared one: a ratio says more than a time.

%s
`

func (l *lab) writeHead(ctx context.Context, w io.Writer) {
	fmt.Fprintf(w, head, time.Now().UTC().Format(time.DateOnly), l.opt.events, textWords,
		l.facts(ctx))
	if l.opt.profile != "" {
		fmt.Fprintln(w, "\nMeasured while it was profiled.")
	}
	if l.opt.quick {
		fmt.Fprintln(w, "\nMeasured in a hurry: fewer and shorter rounds.")
	}
}

// facts returns what the figures were measured on and with, one fact a line.
func (l *lab) facts(ctx context.Context) string {
	var version string
	if err := l.pool.QueryRow(ctx, "SHOW server_version").Scan(&version); err != nil {
		version = err.Error()
	}
	return harness.Facts(ctx, l.dir) + "- server: PostgreSQL " + version
}

func writeSection(w io.Writer, title string, figures []figure) {
	fmt.Fprintf(w, "\n## %s\n\n| | mem | beside it | is | goal | reached |\n"+
		"|---|---:|---:|---:|---:|---|\n", title)
	for _, f := range figures {
		fmt.Fprintf(w, "| %s |\n", strings.Join(f.cells(), " | "))
	}
}

package harness

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// A Report is a text in sections, which are measured one after another.
type Report struct {
	Text bytes.Buffer

	program string
	out     *string
	only    *string
	failed  error
}

// NewReport returns the report of a program, with the flags of all reports.
func NewReport(program string) *Report {
	return &Report{program: program,
		out:  flag.String("out", "", "also write the report to this `file`"),
		only: flag.String("only", "", "measure only these `sections`, with commas between")}
}

// Knows reports whether -only names no other sections than these.
func (r *Report) Knows(sections ...string) bool {
	return *r.only == "" || !slices.ContainsFunc(strings.Split(*r.only, ","), func(s string) bool {
		return !slices.Contains(sections, s)
	})
}

// Section measures a section and writes it; one that failed is written as far as it came.
func (r *Report) Section(ctx context.Context, name string, measure func(), write func(error)) {
	if *r.only != "" && !slices.Contains(strings.Split(*r.only, ","), name) {
		return
	}
	begin := time.Now()
	err := Try(measure)
	if err != nil {
		r.failed = errors.Join(r.failed, fmt.Errorf("%s: %w", name, err))
	}
	write(err)
	fmt.Fprintf(os.Stderr, "%s: %s took %s\n", r.program, name, Duration(time.Since(begin)))
	Check(ctx.Err())
}

// Publish prints the report, and ends with what failed in it.
func (r *Report) Publish() {
	if *r.out != "" {
		r.failed = errors.Join(r.failed, os.WriteFile(*r.out, r.Text.Bytes(), 0o644))
	}
	_, err := os.Stdout.Write(r.Text.Bytes())
	Check(errors.Join(r.failed, err))
}

// Facts returns what a report was measured on, a fact a line; dir is on the disk.
func Facts(ctx context.Context, dir string) string {
	const script = `cpu=$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1)
echo "- machine: $(nproc) × $cpu"
echo "- kernel: $(uname -r)"
echo "- disk: $(findmnt -n -o FSTYPE,OPTIONS -T "$1" | tr -s " ")"
echo "- mem: revision $(git describe --always --dirty), $(go version | cut -d ' ' -f 3)"`
	text, err := exec.CommandContext(ctx, "sh", "-c", script, "sh", dir).CombinedOutput()
	if err != nil {
		return "- not known: " + err.Error() + "\n"
	}
	return string(text)
}

// CleanEnv returns the environment without the variables that begin so.
func CleanEnv(env []string, prefixes ...string) []string {
	return slices.DeleteFunc(env, func(v string) bool {
		return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(v, p) })
	})
}

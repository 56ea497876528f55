package daily

import (
	"bufio"
	"io"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/log"
	"github.com/spf13/cobra"
)

type queryOptions struct {
	history bool
	raw     bool
	expired bool
	prefix  string
}

func NewQueryCmd(a *app.App) *cobra.Command {
	o := &queryOptions{}
	cmd := &cobra.Command{
		Use:   "query <filter>",
		Short: "run a jq program over the envelopes",
		Long: `Run a jq program (gojq) on each live envelope
{"key","ts","valid","source","content","checksum"}, sorted by key, and print
each result on a line. --history runs it on every envelope ever written, oldest
segment first. Members are printed sorted by name.`,
		Example: `  mem query 'select(.content.type=="reminder") | .key'
  mem query --raw --prefix /task '.content.text // empty'
  mem query --history 'select(.valid|not) | [.ts,.key]'`,
		Args: app.WantArgs(1, 1, "one jq program (quote it for the shell)"),
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(a, cmd, args[0]) },
	}
	f := cmd.Flags()
	f.BoolVar(&o.history, "history", false, "every envelope ever written")
	f.BoolVarP(&o.raw, "raw", "r", false, "print strings without quotes")
	f.BoolVar(&o.expired, "expired", false, "also expired memories")
	f.StringVar(&o.prefix, "prefix", "/", "only keys below this `KEY`")
	return cmd
}

func (o *queryOptions) run(a *app.App, cmd *cobra.Command, filter string) error {
	code, err := app.CompileJQ("query", filter)
	if err != nil {
		return err
	}
	prefix, err := app.PrefixArg(o.prefix)
	if err != nil {
		return err
	}
	s, err := a.OpenToRead(cmd)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(cmd.OutOrStdout())
	counted := &counter{Writer: out}
	each := func(rec log.Record) error {
		if !prefix.Holds(rec.Key) {
			return nil
		}
		err := app.RunJQ(counted, code, rec.Line, o.raw)
		if app.Terminal(cmd.OutOrStdout()) > 0 {
			out.Flush() // whole results, so that the answer sees whole characters
		}
		return err
	}
	if o.history {
		err = s.Everything(cmd.Context(), func(rec log.Record) error {
			if !policy.Permits(a.Caller, rec.Key) {
				return nil
			}
			return each(rec)
		})
	} else {
		filter := mem.Filter{Prefix: prefix, Expired: o.expired, Browse: true}
		err = s.List(cmd.Context(), a.Caller, filter, each)
	}
	if ferr := out.Flush(); err == nil {
		err = ferr
	}
	if err == nil {
		a.SayEmpty(cmd, s, counted.n, "nothing found")
	}
	return err
}

// counter counts the bytes that go through it.
type counter struct {
	io.Writer
	n int
}

// Write writes and counts.
func (c *counter) Write(b []byte) (int, error) {
	c.n += len(b)
	return c.Writer.Write(b)
}

package stores

import (
	"cmp"
	"fmt"
	"io"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/rule/site"
	"github.com/set-memory/mem/internal/view/foreign"
	"github.com/set-memory/mem/internal/view/transfer"
	"github.com/spf13/cobra"
)

type exportOptions struct {
	format string
	prefix string
	out    string
	all    bool
	layers bool
}

func NewExportCmd(a *app.App) *cobra.Command {
	o := &exportOptions{}
	cmd := &cobra.Command{
		Use:   "export",
		Short: "write the live memories for another program",
		Long: `Write the live memories to standard output, or to --out. Expired, deleted and
quarantined memories are omitted. The journals and cores of agents other than
$MEM_AGENT need --all, which is for a person; claude-memory and memory-md have
none in any case.

Formats:
  jsonl          envelopes sorted by key, for mem import (the default)
  mcp            entities and relations, as memory.jsonl of the MCP reference
                 server
  claude-memory  a memory folder of Claude Code: MEMORY.md with links, and a
                 file for each memory; needs --out
  memory-md      one MEMORY.md of at most 200 lines and 25 KB, the most
                 important memories first

--all-layers writes both layers, their deletions and the artifact files as one
tar file. mem import --mine restores it as a full backup, or brings the changes
of another machine home, but no purge: mem sync does, or the same command there.
Without --out, --jq filters each line of jsonl and mcp.
An existing file is replaced only if mem wrote it and nothing would be lost.`,
		Example: `  mem export > backup.jsonl
  mem export --all-layers --all --out backup.tar
  mem export --format memory-md --out MEMORY.md
  mem export --format claude-memory --prefix /src \
    --out ~/.claude/projects/-home-you-src/memory`,
		Args: app.WantArgs(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "jsonl",
		"the `FORMAT`: jsonl, mcp, claude-memory or memory-md")
	f.StringVar(&o.prefix, "prefix", "/", "only keys below this `KEY`")
	f.StringVar(&o.out, "out", "", "the `PATH` of the file, or of the folder for claude-memory")
	app.OfMachine(cmd, "out")
	f.BoolVar(&o.all, "all", false, "also the journals and cores of all agents, for a backup")
	f.BoolVar(&o.layers, "all-layers", false, "both layers, with artifact files, as one tar file")
	return cmd
}

func (o *exportOptions) export(a *app.App, cmd *cobra.Command, out io.Writer,
	opts transfer.ExportOptions) (*mem.Store, transfer.ExportReport, error) {
	if o.layers && o.out == "" && app.Terminal(cmd.OutOrStdout()) > 0 {
		return nil, transfer.ExportReport{}, app.BadInput("--all-layers",
			"it is a tar file, and this is a terminal", "like --out FILE")
	}
	switch {
	case o.layers && opts.Tar == nil:
		return nil, transfer.ExportReport{}, a.HandOver("export", nil)
	case o.layers:
		return o.archive(a, cmd, out, opts)
	}
	s, err := a.OpenOne(cmd)
	if err != nil {
		return nil, transfer.ExportReport{}, err
	}
	a.NoteMissing(cmd, s)
	if opts.Admitted, err = a.Layers.AdmittedOf(a.Layers.Sites.List()[0]); err != nil {
		return nil, transfer.ExportReport{}, err
	}
	rep, err := transfer.Export(cmd.Context(), s, a.Caller, out, opts)
	return s, rep, err
}

func (o *exportOptions) archive(a *app.App, cmd *cobra.Command, out io.Writer,
	opts transfer.ExportOptions) (*mem.Store, transfer.ExportReport, error) {
	l, err := a.Open(cmd)
	if err != nil {
		return nil, transfer.ExportReport{}, err
	}
	var layers []transfer.Layer
	for _, one := range l.Sites.List() {
		s, err := l.Open(one)
		if err != nil {
			return nil, transfer.ExportReport{}, err
		}
		layers = append(layers, transfer.Layer{Name: cmp.Or(one.Layer, site.User), Store: s})
	}
	rep, err := transfer.ExportArchive(cmd.Context(), a.Caller, layers, out, opts)
	return layers[0].Store, rep, err
}

func (o *exportOptions) run(a *app.App, cmd *cobra.Command) error {
	opts := transfer.ExportOptions{Out: o.out, All: o.all, Tar: a.Build.Tar}
	var err error
	if opts.Format, err = formatArg(o.format, foreign.Formats); err != nil {
		return err
	}
	if opts.Prefix, err = app.PrefixArg(o.prefix); err != nil {
		return err
	}
	if o.out == "" && (cmd.Flags().Changed("out") || o.format == "claude-memory") {
		return app.BadInput("--out", "want a place to write to",
			"like --out notes: a folder for claude-memory, a file for others")
	}
	out, err := a.ExportOutput(cmd, o.out, opts.Format == foreign.MemoryMD,
		"with --out the answer is JSON; --format jsonl has JSON on each line")
	if err != nil {
		return err
	}
	if o.layers && (a.Layer != "" || a.JQ != "" && o.out == "" || cmd.Flags().Changed("format")) {
		return app.BadInput("--all-layers",
			"it is one tar file of all layers: it cannot "+
				"be used with --layer, --format or --jq", "")
	}
	s, rep, err := o.export(a, cmd, out, opts)
	if err == nil {
		o.sayLeftOut(a, cmd, rep)
		a.SayEmpty(cmd, s, rep.Memories, "no memories")
	}
	if err != nil || o.out == "" {
		return err
	}
	text := fmt.Sprintf("%d exported to %s", rep.Memories, o.out)
	if rep.LeftOut > 0 {
		text += fmt.Sprintf(", %d left out", rep.LeftOut)
	}
	return a.Answer(cmd, rep, app.Report(text))
}

// sayLeftOut prints a hint for each kind of memory that an export left out.
func (o *exportOptions) sayLeftOut(a *app.App, cmd *cobra.Command, rep transfer.ExportReport) {
	if a.Quiet {
		return
	}
	if rep.Private > 0 {
		left := advice.Say(app.Memories(rep.Private) + " of other agents left out: ")
		if f := foreign.Format(o.format); f == foreign.MemoryMD || f == foreign.ClaudeMemory {
			left = left.Then("they are only on the page of ").Run("read", "--format", "private")
		} else {
			left = left.Then("--all takes them")
		}
		a.Advise(cmd, "hint", left)
	}
	if rep.Artifacts > 0 {
		left := app.Count(rep.Artifacts, "artifact") +
			": their bytes are in no line; --all-layers has them"
		if o.layers {
			left = app.Count(rep.Artifacts, "artifact") +
				" without the bytes: the store does not have them"
		}
		a.Tell(cmd, "hint", left)
	}
	if rep.LeftOut > 0 && o.out == "" {
		a.Tell(cmd, "hint", app.Memories(rep.LeftOut)+" left out: --format jsonl has all")
	}
}

package cli

import (
	"cmp"
	"fmt"
	"io"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/rule/site"
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

func newExportCmd(a *app) *cobra.Command {
	o := &exportOptions{}
	cmd := &cobra.Command{
		Use:   "export",
		Short: "write the live memories for another program",
		Long: `Write the live memories to standard output, or to --out. What is expired, deleted
or quarantined never appears; what another agent than $MEM_AGENT keeps for itself (its journal
and core) appears only with --all, which is for a person, and on no page for a prompt.

Formats:
  jsonl          envelopes sorted by key, which mem import takes back (the default)
  mcp            entities and relations, as memory.jsonl of the MCP reference server
  claude-memory  a memory folder of Claude Code: MEMORY.md with links, and a file for each
                 memory; needs --out
  memory-md      one MEMORY.md of at most 200 lines and 25 KB, what matters most first

--all-layers writes both layers and the bytes of artifacts as one tar file, which mem import takes
back: with --mine, and --force for what agents keep for themselves, it is a full backup.

Without --out, --jq filters each line of jsonl and mcp. A file that is there is replaced only where
mem wrote it, and nothing in it would be lost.`,
		Example: `  mem export > backup.jsonl
  mem export --all-layers --all --out backup.tar
  mem export --format memory-md --out MEMORY.md
  mem export --format claude-memory --prefix /src \
    --out ~/.claude/projects/-home-you-src/memory`,
		Args: wantArgs(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(a, cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&o.format, "format", "jsonl",
		"write this `FORMAT`: jsonl, mcp, claude-memory or memory-md")
	f.StringVar(&o.prefix, "prefix", "/", "only keys below this `KEY`")
	f.StringVar(&o.out, "out", "", "write to this `PATH`, a file, or a folder for claude-memory")
	f.BoolVar(&o.all, "all", false, "also what agents keep for themselves, as for a backup")
	f.BoolVar(&o.layers, "all-layers", false, "both layers, with artifacts, as one archive")
	return cmd
}

// export exports one layer, or all.
func (o *exportOptions) export(a *app, cmd *cobra.Command, out io.Writer,
	opts transfer.ExportOptions) (*mem.Store, transfer.ExportReport, error) {
	if o.layers && o.out == "" && terminal(cmd.OutOrStdout()) > 0 {
		return nil, transfer.ExportReport{}, &usage{what: "--all-layers",
			why: "it is a tar file, and this is a terminal", hint: "like --out FILE"}
	}
	if o.layers {
		return o.archive(a, cmd, out, opts)
	}
	s, err := a.openOne(cmd)
	if err != nil {
		return nil, transfer.ExportReport{}, err
	}
	noteMissing(a, cmd, s)
	if opts.Admitted, err = a.layers.AdmittedOf(a.layers.Sites.List()[0]); err != nil {
		return nil, transfer.ExportReport{}, err
	}
	rep, err := transfer.Export(cmd.Context(), s, caller, out, opts)
	return s, rep, err
}

// archive exports all layers.
func (o *exportOptions) archive(a *app, cmd *cobra.Command, out io.Writer,
	opts transfer.ExportOptions) (*mem.Store, transfer.ExportReport, error) {
	l, err := a.open(cmd)
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
	rep, err := transfer.ExportArchive(cmd.Context(), caller, layers, out, opts)
	return layers[0].Store, rep, err
}

func (o *exportOptions) run(a *app, cmd *cobra.Command) error {
	opts := transfer.ExportOptions{Out: o.out, All: o.all}
	var err error
	if opts.Format, err = formatArg(o.format, transfer.Formats); err != nil {
		return err
	}
	if opts.Prefix, err = prefixArg(o.prefix); err != nil {
		return err
	}
	if o.out == "" && (cmd.Flags().Changed("out") || o.format == "claude-memory") {
		return &usage{
			what: "--out", why: "want a place to write to",
			hint: "like --out notes: a folder for claude-memory, else a file",
		}
	}
	out, err := exportOutput(a, cmd, o.out, opts.Format == transfer.MemoryMD,
		"with --out the answer is JSON; --format jsonl has JSON on each line")
	if err != nil {
		return err
	}
	if o.layers && (a.layer != "" || a.jq != "" && o.out == "" || cmd.Flags().Changed("format")) {
		return &usage{what: "--all-layers", why: "it is one tar file of all layers: it goes " +
			"without --layer, --format and --jq"}
	}
	s, rep, err := o.export(a, cmd, out, opts)
	if err == nil {
		o.sayLeftOut(a, cmd, rep)
		sayEmpty(a, cmd, s, rep.Memories, "no memories")
	}
	if err != nil || o.out == "" {
		return err
	}
	text := fmt.Sprintf("%d exported to %s", rep.Memories, o.out)
	if rep.LeftOut > 0 {
		text += fmt.Sprintf(", %d left out", rep.LeftOut)
	}
	return a.answer(cmd, rep, text)
}

package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/set-memory/mem/internal/front/cli/app"
	"github.com/set-memory/mem/internal/front/cli/term"
	"github.com/spf13/cobra"
)

// helpWidth is how wide a help is at most. The texts in the source are as wide as that is.
const helpWidth = 80

// printHelp prints what cobra would, within the width.
func printHelp(cmd *cobra.Command, _ []string) {
	width := widthOfHelp(cmd)
	text := cmd.Long
	if text == "" {
		text = cmd.Short
	}
	text = prose(strings.Trim(text, "\n"), width)
	switch {
	case !cmd.HasParent():
		text += listing(rootPage(cmd), width)
	case cmd.Runnable() || cmd.HasSubCommands():
		text += "\n" + listing(usageOf(cmd), width)
	}
	_, _ = io.WriteString(cmd.OutOrStdout(), text) // the answer remembers that it failed
}

// usageOf returns the usage of a verb with its own flags: those of all verbs are longer than the
// rest of most pages, and stand on one of their own.
func usageOf(cmd *cobra.Command) string {
	before, shared, ok := strings.Cut(cmd.UsageString(), "\nGlobal Flags:\n")
	if !ok {
		return before
	}
	_, after, _ := strings.Cut(shared, "\n\n")
	return strings.TrimRight(before+"\n\"mem help flags\" lists the flags of all verbs.\n\n"+after,
		"\n") + "\n"
}

// widthOfHelp returns the width of a help, in columns: that of a narrow terminal is less.
func widthOfHelp(cmd *cobra.Command) int {
	if narrow := app.Terminal(cmd.OutOrStdout()); narrow > 0 {
		return min(helpWidth, narrow)
	}
	return helpWidth
}

// rootPage returns the first page of help, below what the program is.
func rootPage(root *cobra.Command) string {
	var text strings.Builder
	text.WriteString("\nUsage:\n  mem <verb> [flags]\n\nExamples:\n" + rootExample + "\n\nVerbs:\n")
	text.WriteString(verbLines(root, firstPage))
	text.WriteString("\nMore verbs, which \"mem help GROUP\" lists\n")
	for _, group := range groups {
		fmt.Fprintf(&text, "  %-11s %s\n", group.name, group.short)
	}
	var topics []string
	for _, cmd := range root.Commands() {
		if cmd.IsAdditionalHelpTopicCommand() {
			topics = append(topics, cmd.Name())
		}
	}
	text.WriteString("\n\"mem help VERB\" explains a verb. " +
		"\"mem help flags\" lists the flags of all.\nOther topics: " +
		strings.Join(topics, ", ") + "\n")
	return text.String()
}

const rootExample = `  mem set /user/preference/style --type preference --text tabs --source chat
  mem search indentation
  mem get /user/preference/style`

func verbLines(root *cobra.Command, group string) string {
	var text strings.Builder
	for _, name := range verbNames() {
		if cmd, _, err := root.Find([]string{name}); err == nil && cmd.GroupID == group {
			fmt.Fprintf(&text, "  %-11s %s\n", name, cmd.Short)
		}
	}
	return text.String()
}

// prose fills the paragraphs of a text. An indented line is an item of a list, and stays on a line
// of its own; a line that is indented further continues the item before it, unless it begins with
// a dash. A line after a tab is to be copied, and stays as it is, unless it is an item too.
func prose(text string, width int) string {
	var out, paragraph strings.Builder
	item := ""
	end := func() {
		out.WriteString(term.Fill(paragraph.String(), "", "", width))
		paragraph.Reset()
		if item != "" {
			out.WriteString(hanging(item, width))
		}
		item = ""
	}
	for line := range strings.Lines(text) {
		code, isCode := strings.CutPrefix(strings.TrimRight(line, " \n"), "\t")
		if isCode && item == "" && !strings.Contains(code, "  ") {
			end()
			out.WriteString("    " + code + "\n")
			continue
		}
		line = code
		if isCode {
			line = "    " + code
		}
		switch indent := indentOf(line); {
		case line == "":
			end()
			out.WriteString("\n")
		case item != "" && indent > indentOf(item)+1 && line[indent] != '-':
			item += " " + line[indent:]
		case indent == 0:
			if item != "" {
				end()
			}
			paragraph.WriteString(line + " ")
		default:
			end()
			item = line
		}
	}
	end()
	return out.String()
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// listing breaks the lines of a usage that are too long, but for the examples: those are typed.
func listing(text string, width int) string {
	var out strings.Builder
	section := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if line != "" && line[0] != ' ' {
			section = line
		}
		if section == "Examples:" {
			out.WriteString(line + "\n")
		} else {
			out.WriteString(hanging(line, width))
		}
	}
	return out.String()
}

// hanging breaks a line that is too long. What a name is explained with goes on below itself.
func hanging(line string, width int) string {
	if term.Width(line) <= width {
		return line + "\n"
	}
	lead := indentOf(line)
	head, rest := line[:lead], lead+goesOn
	if gap := strings.LastIndex(line[lead:min(len(line), mostName)], "  "); gap >= 0 {
		head = line[:lead+gap+2]
		rest = len(head)
	}
	if rest > width/2 {
		indent := strings.Repeat(" ", min(8, width/4))
		return strings.TrimRight(head, " ") + "\n" +
			term.Fill(line[len(head):], indent, indent, width)
	}
	return term.Fill(line[len(head):], head, strings.Repeat(" ", rest), width)
}

const (
	goesOn   = 2  // blanks before what goes on with a line
	mostName = 40 // before which column an explanation begins
)

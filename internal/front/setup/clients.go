package setup

import (
	"cmp"
	"slices"
	"strings"
)

// Client is one coding agent, as the verbs of mem call it: its name and program, the files that it
// reads and how it runs hooks.
type Client struct {
	Name    string // what a person types: mem setup NAME
	Program string // the command that starts it; "" if there is none to look for

	Home        Dir    // its files for all projects; the zero Dir if it has none
	User        Files  // below Home
	Project     Files  // below the directory of a project
	FrontMatter string // what a file of guidance has to begin with

	Hooks       Hooks
	Server      Server
	CountsBytes bool // its limit on the answer of a hook is in bytes, not in UTF-16 units
	Resumes     resumption
	// TellsPerson is set where the member systemMessage of a hook's answer is shown to the person
	// and costs the model nothing.
	TellsPerson bool
	// BareContext is set where a hook's answer has the text itself as its member
	// additionalContext, not in a hookSpecificOutput.
	BareContext bool
	AfterSetup  Advice
}

// Dir is a directory for the settings of a person.
type Dir struct {
	Variable string // the environment variable that can move it; "" for none
	Default  string // where it is otherwise, below the home directory
	Mac      string // Default on macOS, where Variable does not count; "" if nothing is different
	AppData  bool   // on Windows it is $APPDATA, whatever Variable says
	Sub      string // a directory below any of them; "" for none
}

// Files names the files of one scope, with slashes; "" is a file that the agent does not have.
type Files struct {
	Hooks    string
	Guidance string // instructions in words
	Skill    string // the same, of which the agent reads name and description by itself
}

// Hooks says how an agent is made to run a hook.
type Hooks struct {
	Form      hookForm
	Plugin    string  // the client whose plugin it loads; "": its own
	Events    []Event // of PluginHooks, only those that bring memories at an edit
	Approvals string  // the file below Client.Home that has the hooks its user approved; "": none
	Switches  []Switch
	Reader    string // another client that runs these hooks too; "": none
	Overlay   string // the file beside the hooks whose events the client reads there alone
}

// Server names the file in which an agent looks for servers of the Model Context Protocol.
type Server struct {
	Form   serverForm
	Member string // of the settings that has the servers by their names; "" in TOML
	Typed  bool   // a server says that it is one of lines
	// Always is set where the server is a part of setting up: the agent has no hooks that could do
	// as much. Else setup adds it on request.
	Always bool
	// Desktop is set where the agent is started from a desktop, so that its PATH may not lead to a
	// program that a shell finds.
	Desktop bool
	Home    Dir    // where User is; the zero Dir: Client.Home
	User    string // the file for all projects; "" if there is none
	Project string // the file of a project; "" if there is none
}

type serverForm uint8

// The forms.
const (
	NoServers   serverForm = iota
	jsonServers            // a member of settings in JSON
	tomlServers            // a table mcp_servers.NAME
)

type hookForm uint8

// The forms. All but PluginHooks are JSON, with a list of handlers for each event.
const (
	noHooks     hookForm = iota
	lineHooks            // handlers in groups, each one line for a shell
	argsHooks            // handlers in groups, program and arguments separate
	flatHooks            // handlers without groups, each one line for a shell
	PluginHooks          // a program that the agent loads, and that runs the hook
)

// Event is a hook event to subscribe to.
type Event struct {
	Name    string
	Matcher string // which of its sources or tools; "" for all of them
	Timeout int    // in the unit of the agent
	Edits   string // those of the tools that edit files; "": all of them
	Capture bool   // it only fills the memory (package intake)
}

// The hook events that mem answers.
const (
	SessionStart     = "SessionStart"
	UserPromptSubmit = "UserPromptSubmit"
	BeforeAgent      = "BeforeAgent" // what Gemini calls UserPromptSubmit
	SubagentStart    = "SubagentStart"
	PreToolUse       = "PreToolUse"
	AfterTool        = "AfterTool" // of Gemini, whose model gets nothing before a tool's use

	PostToolUse        = "PostToolUse"
	PostToolUseFailure = "PostToolUseFailure"
	PreCompact         = "PreCompact"
	SessionEnd         = "SessionEnd"
)

// EditsWith reports whether a tool of an event edits files, as the table says; none does at an
// event that only fills the memory.
func (a *Client) EditsWith(event, tool string) bool {
	return slices.ContainsFunc(a.Hooks.Events, func(e Event) bool {
		edits := strings.Split(cmp.Or(e.Edits, e.Matcher), "|")
		return e.Name == event && !e.Capture && slices.Contains(edits, tool)
	})
}

// resumption is what a conversation that is resumed still has of what hooks added to it.
type resumption uint8

// The kinds of resumption.
const (
	resumesUnknown resumption = iota // not tried, or it depends
	ResumesAll
	ResumesPrompts // all but the text of the start, which is made anew
)

// Advice is what a person still has to do when the files are written.
type Advice struct {
	Always        []string
	InProject     []string // only where the files of a project were written
	SandboxConfig string   // the file below Home that lists the writable roots of the sandbox
}

// Clients returns every agent, in the order of lists and help. The caller must not change them.
func Clients() []*Client { return clients[:] }

// HookClients returns the agents that run hooks.
func HookClients() (list []*Client) {
	for _, a := range clients {
		if a.HasHooks() {
			list = append(list, a)
		}
	}
	return list
}

// ClientByName returns the agent of that name, nil if there is none.
func ClientByName(name string) *Client {
	for _, a := range clients {
		if a.Name == name {
			return a
		}
	}
	return nil
}

// Names returns the names of agents with commas between them.
func Names(list []*Client) string {
	names := make([]string, len(list))
	for i, a := range list {
		names[i] = a.Name
	}
	return strings.Join(names, ", ")
}

// HasHooks reports whether the agent runs hooks.
func (a *Client) HasHooks() bool { return a.Hooks.Form != noHooks }

// hasHome reports whether the agent has a directory for all projects.
func (a *Client) hasHome() bool { return a.Home != Dir{} }

func (a *Client) hasProject() bool { return a.Project != Files{} || a.Server.Project != "" }

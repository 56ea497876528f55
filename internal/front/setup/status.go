package setup

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Status is whether mem is installed in one client, in one scope.
type Status struct {
	Client string `json:"client"`
	Scope  Scope  `json:"scope"`
	// Wired, Unapproved, Stale, Custom or Broken; for Missing, Found or Absent
	State State  `json:"state"`
	Path  string `json:"path"`
	Root  string `json:"root,omitempty"`  // that the hooks or the server name
	Agent string `json:"agent,omitempty"` // that the hooks name
	// Bridge is set where hooks inject facts from the own memories of other clients, too.
	Bridge bool `json:"bridge,omitempty"`
	// NoCapture is set where hooks keep nothing of prompts and commands.
	NoCapture bool `json:"no_capture,omitempty"`
	// Unguided is set where hooks run and no file explains mem to the agent, as with hooks only.
	Unguided bool   `json:"unguided,omitempty"`
	Why      string `json:"why,omitempty"` // it is broken
}

// States of a client besides those of a file.
const (
	Broken State = "broken" // a file cannot be read as what it is
	Found  State = "found"  // the client is on this machine, and mem is not installed in it
	Absent State = "not"    // nor is the client on this machine
	// Unapproved: the file is as it should be, and the client runs no hook in it before its user
	// has approved it.
	Unapproved State = "unapproved"
)

// Installed reports whether mem is installed in the client, as it should be or not.
func (s Status) Installed() bool {
	return s.State == Wired || s.State == Stale || s.State == Custom || s.State == Unapproved
}

// List returns the status of every client, in every scope in which mem is installed in it. A client
// in which it is not is listed once. The Client and the Scope of the request do not matter.
func List(r Request) (list []Status) {
	for _, client := range Clients() {
		r.Client, r.Server = client, client.Server.Always
		var without []Status
		n := len(list)
		for _, scope := range r.distinctScopes() {
			r.Scope = scope
			if s := statusOf(r); s.State == Missing {
				s.State = Absent
				if r.found() {
					s.State = Found
				}
				without = append(without, s)
			} else {
				list = append(list, s)
			}
		}
		if len(list) == n {
			list = append(list, without[0])
		}
	}
	return list
}

// distinctScopes returns the scopes in which a client has files of its own.
func (r Request) distinctScopes() []Scope {
	list := Scopes(r.Client)
	user, project := r, r
	user.Scope, project.Scope = User, Project
	server := user.serverFile().path
	if len(list) > 1 && (user.MainFile() == project.MainFile() ||
		server != "" && server == project.serverFile().path) {
		return list[:1]
	}
	return list
}

// OwnScope returns the scope of a request, or that of the user where the hooks of both are in one
// file: to remove those of a project would remove the user's.
func OwnScope(r Request) Scope {
	user := r
	if user.Scope = User; r.Client.HasHooks() && user.MainFile() == r.MainFile() {
		return User
	}
	return r.Scope
}

// statusOf compares a client's files with what would be written now, for the root that they name.
func statusOf(r Request) Status {
	r = KeepFlags(r)
	s := Status{Client: r.Client.Name, Scope: r.Scope, Path: r.MainFile(), Root: Root(r),
		Agent: Agent(r), Bridge: IsBridged(r), NoCapture: slices.Contains(r.Flags, NoCapture)}
	changes, err := Install(r)
	if errors.Is(err, ErrOutside) { // a file of others, which mem never changes
		s.State = Missing
		return s
	}
	if err != nil {
		s.State, s.Why = Broken, err.Error()
		return s
	}
	if s.State = changes[0].State; s.State == Wired && len(UnapprovedEvents(r)) > 0 {
		s.State = Unapproved
	}
	s.Unguided = s.Installed() && r.Client.HasHooks() && len(changes) > 1 &&
		changes[1].State == Missing
	return s
}

// OtherScopes returns the other scopes in which mem is installed in the client too: the hooks of
// both run, and memories come twice.
func OtherScopes(r Request) (list []Status) {
	if r.Client.User.Hooks == "" || r.Client.Project.Hooks == "" {
		return nil
	}
	for _, scope := range r.distinctScopes() {
		other := r
		other.Scope = scope
		if s := statusOf(other); s.Path != r.MainFile() && s.Installed() {
			list = append(list, s)
		}
	}
	return list
}

// hookFlags are the flags of the hook that a request may have with a value, as they are written.
var hookFlags = [...]string{rootFlag, agentFlag}

const (
	rootFlag  = "--root"
	agentFlag = "--agent"
	// BridgeFlag makes a hook inject facts from the own memories of other clients.
	BridgeFlag = "--bridge"
)

// NoCapture makes a hook keep nothing of prompts and commands; the events for that are not wired.
const NoCapture = "--no-capture"

// switches are the flags of the hook without a value, as they are written behind the others.
var switches = [...]string{BridgeFlag, NoCapture}

// KeepFlags returns the request with the root, the agent, the bridge and the lack of capture that
// the hooks name, if the request names none.
func KeepFlags(r Request) Request {
	given, words := r.Flags, r.hookWords()
	r.Flags = nil
	for _, name := range hookFlags {
		value := valueOf(given, name)
		if value == "" {
			if value = valueOf(words, name); value == "" {
				continue
			}
			if name == rootFlag {
				r.Stores = []string{value}
			}
		}
		r.Flags = append(r.Flags, name, value)
	}
	for _, name := range switches {
		if slices.Contains(given, name) || slices.Contains(words, name) {
			r.Flags = append(r.Flags, name)
		}
	}
	return r
}

// ChangesAgent reports whether a request takes from the hooks the agent that they name.
func ChangesAgent(r Request) bool {
	named := valueOf(r.hookWords(), agentFlag)
	return named != "" && named != valueOf(r.Flags, agentFlag)
}

// Captures reports whether the hooks of a request fill the memory.
func Captures(r Request) bool { return r.Client.HasHooks() && !slices.Contains(r.Flags, NoCapture) }

// WithCapture returns the request with hooks that capture, whatever they do now.
func WithCapture(r Request) Request {
	if i := slices.Index(r.Flags, NoCapture); i >= 0 {
		r.Flags = slices.Delete(slices.Clone(r.Flags), i, i+1)
	}
	return r
}

// IsBridged reports whether the hooks inject facts from the memories of other clients.
func IsBridged(r Request) bool { return slices.Contains(r.Flags, BridgeFlag) }

// WithoutAgent returns the request with hooks that name no agent, whatever they name now.
func WithoutAgent(r Request) Request {
	if i := slices.Index(r.Flags, agentFlag); i >= 0 {
		r.Flags = slices.Delete(slices.Clone(r.Flags), i, i+2)
	}
	return r
}

// Agent returns the agent that a request names for the hooks, "" for none.
func Agent(r Request) string { return valueOf(r.Flags, agentFlag) }

// Root returns the memory root that the hooks of a client name, "" if they name none.
func Root(r Request) string { return valueOf(r.hookWords(), rootFlag) }

// Aims reports whether a request gives the hooks another root than the one that they name.
func Aims(r Request) bool {
	root := valueOf(r.Flags, rootFlag)
	return root != "" && root != Root(r)
}

// GoneProgram returns the path of the program that the hooks start, if it is gone; else "".
func GoneProgram(r Request) string {
	words := r.hookWords()
	if len(words) == 0 || !filepath.IsAbs(words[0]) {
		return ""
	}
	if _, err := os.Stat(words[0]); !errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return words[0]
}

// hookWords returns the command of the hooks that are there, or else of the server; nil for none.
func (r Request) hookWords() []string {
	for _, f := range r.files() {
		text, _, err := readFile(f.path)
		if err != nil {
			continue
		}
		if words := f.edit.command(text); len(words) > 0 {
			return words
		}
	}
	return nil
}

// flagsOf returns the flags among the words of the hooks or of the server.
func flagsOf(words []string) []string {
	i := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "--") })
	if i < 0 {
		return nil
	}
	return words[i:]
}

// valueOf returns the value of a flag among words, "" if it is not there.
func valueOf(words []string, flag string) string {
	if i := slices.Index(words, flag); i >= 0 && i+1 < len(words) {
		return words[i+1]
	}
	return ""
}

// isNamed reports whether words are nothing but flags that setup writes, with their values.
func isNamed(flags []string) bool {
	for n := len(flags) - 1; n >= 0 && slices.Contains(switches[:], flags[n]); n-- {
		flags = flags[:n]
	}
	for i := 0; i < len(flags); i += 2 {
		if !slices.Contains(hookFlags[:], flags[i]) || i+1 == len(flags) {
			return false
		}
	}
	return true
}

// readMainFile returns the content of MainFile; the edit is nil if it cannot be read.
func (r Request) readMainFile() (edit, []byte) {
	files := r.files()
	if len(files) == 0 {
		return nil, nil
	}
	text, _, err := readFile(files[0].path)
	if err != nil {
		return nil, nil
	}
	return files[0].edit, text
}

// isShared reports whether a file is also read by another client in which mem is installed in the
// same scope, or was set up for agents that mem does not know.
func (r Request) isShared(f file, text []byte) bool {
	if isKept(text) && r.Client.Name != agentsMD {
		return true
	}
	for _, client := range Clients() {
		other := r
		other.Client = client
		files := other.files()
		if client == r.Client || len(files) < 2 || !isSameFile(files[1].path, f.path) {
			continue
		}
		hooks, _, err := readFile(files[0].path)
		if err != nil || hooks == nil {
			continue
		}
		stripped, err := files[0].edit.strip(hooks, nil)
		uses := err == nil && !bytes.Equal(stripped, hooks)
		if uses || len(files[0].edit.custom(hooks)) > 0 {
			return true
		}
	}
	return false
}

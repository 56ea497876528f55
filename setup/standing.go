package setup

// Standing is how one client stands in one scope.
type Standing struct {
	Client string `json:"client"`
	Scope  Scope  `json:"scope"`
	State  State  `json:"state"` // Wired, Stale or Broken; for Missing, Found or Absent
	Path   string `json:"path"`
	Why    string `json:"why,omitempty"` // it is broken
}

// States that a survey tells besides those of a file.
const (
	Broken State = "broken" // a file that cannot be read as what it is
	Found  State = "found"  // the client is on this machine, and mem is not in it
	Absent State = "not"    // nor is the client
)

// There reports whether mem is wired into it, well or badly.
func (s Standing) There() bool { return s.State == Wired || s.State == Stale }

// Survey looks at the first file of every client in every scope. A client that is wired nowhere comes once.
func Survey(ask Ask) (list []Standing) {
	for _, c := range Clients {
		var idle []Standing
		n := len(list)
		for _, scope := range scopes(c, ask.Place) {
			ask.Client, ask.Scope = c, scope
			if w := look(ask); w.State == Missing {
				w.State = Absent
				if c.Found(ask.Place) {
					w.State = Found
				}
				idle = append(idle, w)
			} else {
				list = append(list, w)
			}
		}
		if len(list) == n {
			list = append(list, idle[0])
		}
	}
	return list
}

// scopes are those in which a client has files of its own: in a home directory that is a project too, both scopes are one.
func scopes(c *Client, p Place) []Scope {
	list := c.Scopes()
	if len(list) > 1 && c.First(User, p) == c.First(Project, p) {
		return list[:1]
	}
	return list
}

// look holds a client's files of a scope against what would be written now, for the root that they name.
func look(ask Ask) Standing {
	ask = KeepRoot(ask)
	w := Standing{Client: ask.Client.Name, Scope: ask.Scope, Path: ask.Client.First(ask.Scope, ask.Place)}
	changes, err := Wire(ask)
	if err != nil {
		w.State, w.Why = Broken, err.Error()
		return w
	}
	w.State = changes[0].State
	return w
}

// Others gives the other scopes in which the client is wired too: both run, and memories come twice.
func Others(ask Ask) (list []Standing) {
	for _, scope := range scopes(ask.Client, ask.Place) {
		other := ask
		other.Scope = scope
		if w := look(other); w.Path != ask.Client.First(ask.Scope, ask.Place) && w.There() {
			list = append(list, w)
		}
	}
	return list
}

// KeepRoot keeps the root that the hooks name, where none was given.
func KeepRoot(ask Ask) Ask {
	if root := Root(ask); root != "" && len(ask.Flags) == 0 {
		ask.Flags, ask.Store = []string{"--root", root}, root
	}
	return ask
}

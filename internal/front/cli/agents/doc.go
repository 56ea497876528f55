// Package agents has the verbs for coding agents: setup and the hooks that it installs, the
// guidance, the list of injections, and doctor, which checks all of that and the stores.
package agents

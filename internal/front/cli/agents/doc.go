// Package agents has the verbs for coding agents: setup and the hooks that it installs, on and off,
// the guidance, the list of injections, the memory tool, and doctor, which checks all of that and
// the stores.
package agents

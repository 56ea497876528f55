package app

import (
	"runtime/debug"
	"testing"
)

// A program whose linker set no version has that of its build information.
func TestBuiltFrom(t *testing.T) {
	vcs := func(modified string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "vcs", Value: "git"},
			{Key: "vcs.revision", Value: "0123456789abcdef0123456789abcdef01234567"},
			{Key: "vcs.modified", Value: modified}}
	}
	dev := Build{Program: "mem", Version: "0.1.0-dev", Commit: "unknown"}
	for _, tc := range []struct {
		name            string
		build           Build
		module          string
		settings        []debug.BuildSetting
		version, commit string
	}{
		{"make", Build{Version: "0.1.0", Commit: "abc"}, "(devel)", vcs("true"), "0.1.0", "abc"},
		{"go install in a clone", dev, "(devel)", vcs("false"), "0.1.0-dev", "0123456789ab"},
		{"changed since", dev, "v0.1.1-0.20260222100000-0123456789ab+dirty", vcs("true"),
			"0.1.0-dev", "0123456789ab+modified"},
		{"go install of a version", dev, "v0.2.0", nil, "0.2.0", "v0.2.0"},
		{"go install of a commit", dev, "v0.2.1-0.20260222100000-fedcba987654", nil,
			"0.2.1-0.20260222100000-fedcba987654", "fedcba987654"},
		{"nothing is known", dev, "(devel)", nil, "0.1.0-dev", "unknown"},
		{"nothing at all", dev, "", nil, "0.1.0-dev", "unknown"},
	} {
		info := &debug.BuildInfo{Main: debug.Module{Version: tc.module}, Settings: tc.settings}
		if got := builtFrom(tc.build, info); got.Version != tc.version || got.Commit != tc.commit {
			t.Errorf("%s: %+v", tc.name, got)
		}
	}
}

// A program that is linked with cgo is named, with the command that builds it without.
func TestSlowBuild(t *testing.T) {
	for _, tc := range []struct{ path, cgo, want string }{
		{"github.com/set-memory/mem/cmd/mem", "1",
			"CGO_ENABLED=0 go install github.com/set-memory/mem/cmd/...@latest"},
		{"github.com/set-memory/mem/cmd/mem", "0", ""},
		{"github.com/set-memory/mem/internal/front/cli.test", "1", ""},
		{"", "1", ""},
	} {
		info := &debug.BuildInfo{Path: tc.path,
			Settings: []debug.BuildSetting{{Key: "CGO_ENABLED", Value: tc.cgo}}}
		if got := SlowBuild(info); got != tc.want {
			t.Errorf("%s, cgo %s: %q", tc.path, tc.cgo, got)
		}
	}
}

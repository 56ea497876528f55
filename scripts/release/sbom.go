package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/set-memory/mem/scripts/harness"
)

// component is a module in the programs, as CycloneDX names it.
type component struct {
	Type    string `json:"type"`
	Name    string `json:"name"`
	Version string `json:"version"`
	URL     string `json:"purl"`

	dir string // of its sources on this machine
}

// writeSBOM writes the modules that the programs are built from.
func (r release) writeSBOM() {
	modules := modulesOf("./cmd/mem", "./cmd/memd")
	doc := map[string]any{
		"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
		"metadata": map[string]any{
			"timestamp": r.time.Format(time.RFC3339),
			"component": component{"application", "mem", r.version,
				"pkg:golang/github.com/set-memory/mem@v" + r.version, ""},
		},
		"components": modules,
	}
	text := harness.Must(json.MarshalIndent(doc, "", "  "))
	harness.Check(os.WriteFile(filepath.Join(r.out, "sbom.json"), append(text, '\n'), 0o644))
}

// notices returns the licences of the modules in the programs, which ask for their texts.
func notices() entry {
	var out bytes.Buffer
	for _, m := range modulesOf("./cmd/mem", "./cmd/memd") {
		for _, f := range harness.Must(os.ReadDir(m.dir)) {
			name := strings.ToUpper(f.Name())
			if !strings.HasPrefix(name, "LICENSE") && !strings.HasPrefix(name, "NOTICE") &&
				!strings.HasPrefix(name, "COPYING") {
				continue
			}
			text := harness.Must(os.ReadFile(filepath.Join(m.dir, f.Name())))
			fmt.Fprintf(&out, "==== %s %s: %s\n\n%s\n", m.Name, m.Version, f.Name(), text)
		}
	}
	goRoot := output("go", "env", "GOROOT")
	for _, one := range [...][2]string{{"Go", filepath.Join(goRoot, "LICENSE")},
		{"the rules of gitleaks", "internal/rule/secret/LICENSE.gitleaks"}} {
		text := harness.Must(os.ReadFile(one[1]))
		fmt.Fprintf(&out, "==== %s\n\n%s\n", one[0], text)
	}
	own := harness.Must(os.ReadFile("LICENSE"))
	_, terms, _ := strings.Cut(string(own), "Permission is hereby")
	fmt.Fprintf(&out, "==== the vocabularies of tiktoken\n\nCopyright (c) 2022 OpenAI, "+
		"Shantanu Jain\n\nPermission is hereby%s", terms)
	return entry{"NOTICES", out.Bytes(), 0o644}
}

// modulesOf returns the modules of packages on all targets, by name, without the main module.
func modulesOf(packages ...string) (list []component) {
	var all strings.Builder
	for _, system := range []string{"linux", "darwin", "windows"} {
		all.WriteString(output("env", append([]string{"GOOS=" + system, "CGO_ENABLED=0", "go",
			"list", "-deps", "-json=Module"}, packages...)...))
	}
	for in := json.NewDecoder(strings.NewReader(all.String())); ; {
		var p struct {
			Module *struct {
				Path, Version, Dir string
				Main               bool
			}
		}
		if err := in.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else {
			harness.Check(err)
		}
		if m := p.Module; m != nil && !m.Main {
			list = append(list, component{"library", m.Path, m.Version,
				"pkg:golang/" + m.Path + "@" + m.Version, m.Dir})
		}
	}
	slices.SortFunc(list, func(a, b component) int { return strings.Compare(a.Name, b.Name) })
	return slices.Compact(list)
}

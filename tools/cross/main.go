// Command cross type-checks the packages of the project and their tests for other systems, from
// source: without the compiler, which would build all that they import for each system. A release
// links them.
//
//	go run ./cross -dir .. darwin/arm64 windows/amd64
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	dir := flag.String("dir", ".", "the `DIR` of the module")
	flag.Parse()
	faults := 0
	for _, target := range flag.Args() {
		n, err := check(*dir, target)
		if err != nil {
			fmt.Fprintf(os.Stderr, "cross: %s: %v\n", target, err)
			os.Exit(1)
		}
		faults += n
	}
	if faults > 0 {
		os.Exit(1)
	}
}

// check prints the faults of the packages of a module for a target, OS/ARCHITECTURE, and returns
// their number.
func check(dir, target string) (int, error) {
	goos, goarch, ok := strings.Cut(target, "/")
	if !ok {
		return 0, fmt.Errorf("want OS/ARCHITECTURE, as in darwin/arm64")
	}
	const mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles |
		packages.NeedImports | packages.NeedDeps | packages.NeedSyntax | packages.NeedTypes |
		packages.NeedTypesSizes | packages.NeedModule
	found, err := packages.Load(&packages.Config{
		Mode: mode, Dir: dir, Tests: true,
		Env: append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch, "CGO_ENABLED=0"),
	}, "./...")
	if err != nil {
		return 0, err
	}
	if len(found) == 0 {
		return 0, fmt.Errorf("no packages in %s", dir)
	}
	return packages.PrintErrors(found), nil
}

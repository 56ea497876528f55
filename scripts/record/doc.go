//go:build linux

// Command record films the first five minutes with mem for the README: it types the commands of
// first.sh on a terminal, each 20 seconds after the one before by the clock of mem, and draws what
// the terminal shows into frame.svg. From the root of the repository, as "make record":
//
//	go run ./scripts/record -mem bin/mem -out docs/first.svg
//
// The picture needs no script and no font of its own. It plays once and then rests with all of it
// shown, as it does from the start where a reader wants no motion; it has colours for a light and a
// dark screen, and names its chapters to screen readers. The same mem draws the same bytes: home
// and clock are fixed, and the programs of the machine are out of reach but for those in tools.
package main

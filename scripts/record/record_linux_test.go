package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/test/testkit"
)

var update = flag.Bool("update", false, "draw docs/first.svg anew")

const (
	picture = "../../docs/first.svg"
	largest = 60 << 10
)

// The README shows the output of mem today.
func TestRecording(t *testing.T) {
	for _, tool := range tools {
		testkit.Program(t, tool)
	}
	master, slave, err := openTerminal()
	testkit.Need(t, err == nil, "a terminal")
	master.Close()
	slave.Close()
	svg, err := film(testkit.Mem(t))
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(picture, svg, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(picture)
	if err != nil || !bytes.Equal(kept, svg) {
		t.Errorf("docs/first.svg is not what mem shows (%v): make record", err)
	}
	wellFormed(t, svg)
	for _, m := range regexp.MustCompile(`class="(s[0-9]+)"`).FindAllSubmatch(svg, -1) {
		if !strings.Contains(frame, "\n."+string(m[1])+" {") {
			t.Errorf("frame.svg has no colour for %s", m[1])
		}
	}
}

// wellFormed fails for escapes, too, that the picture has no style for: XML has no such letter.
func wellFormed(t *testing.T, svg []byte) {
	t.Helper()
	if len(svg) > largest {
		t.Errorf("%d bytes, at most %d", len(svg), largest)
	}
	decoder := xml.NewDecoder(bytes.NewReader(svg))
	for {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
	}
}

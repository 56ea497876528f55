package term

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestWidth(t *testing.T) {
	for text, want := range map[string]int{
		"": 0, "abc": 3, "牙科": 4, "e\u0301": 1, "한": 2, "\u1112\u1161\u11ab": 2,
		"👍": 2, "👍🏽": 2, "👨\u200d👩\u200d👧\u200d👦": 2,
		"❤️": 2, "❤️\u200d🔥": 2, "🏳️\u200d🌈": 2, "🇩🇪": 2,
		"🇩🇪🇫🇷": 4, "1️⃣": 2,
		"क्\u200dष": 2, "a\u200db": 2, "…": 1, "\x1b[31mok\x1b[0m": 2,
	} {
		if got := Width(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func TestCutKeepsCharactersWhole(t *testing.T) {
	const family = "👨\u200d👩\u200d👧\u200d👦"
	for columns, want := range map[int]string{
		8: "a" + family + "b" + family + "cd", 7: "a" + family + "b" + family + "…",
		6: "a" + family + "b…", 5: "a" + family + "b…", 4: "a" + family + "…", 3: "a…", 1: "…",
	} {
		if got := cut("a"+family+"b"+family+"cd", columns); got != want {
			t.Errorf("%d: %q, want %q", columns, got, want)
		}
	}
	for columns, want := range map[int]string{
		7: "/牙科/c", 6: "/…科/c", 4: "/…/c", 3: "…/c", 2: "…c",
	} {
		if got := cutMiddle("/牙科/c", columns); got != want {
			t.Errorf("%d: %q, want %q", columns, got, want)
		}
	}
}

// words are what tables and paragraphs are made of in these tests.
var words = rapid.SliceOf(rapid.SampledFrom([]string{
	"a", "port", "/project/database", "牙科复诊", "👨\u200d👩\u200d👧\u200d👦", "🇩🇪", "e\u0301tudes",
	"/session/sess_20260222_ada/mem_01ARZ3NDEKTSV4RRFFQ69G5FAV",
}))

// No line is wider than the screen, whatever it shows, and what is filled is there as a whole.
func TestNothingIsWiderThanTheScreen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		width := rapid.IntRange(20, 240).Draw(t, "width")
		line := func(name string) string { return strings.Join(words.Draw(t, name), " ") }
		table := Table{Head: []string{"AGE", "KEY", "TYPE", "SOURCE", "SUMMARY"}}
		for range rapid.IntRange(0, 6).Draw(t, "rows") {
			table.Rows = append(table.Rows, Row{
				Fields: []string{"12d", line("key"), "preference", line("source"), line("summary")},
				Below:  line("below"),
			})
		}
		text := table.Text(width, false)
		filled := Fill(line("text"), "", "  ", width)
		for line := range strings.Lines(text + filled) {
			if w := Width(strings.TrimSuffix(line, "\n")); w > width {
				t.Fatalf("%d cells of %d: %q", w, width, line)
			}
		}
		for _, row := range table.Rows {
			if squeezed := letters(text); !strings.Contains(squeezed, letters(row.Below)) {
				t.Fatalf("not all of %q:\n%s", row.Below, text)
			}
		}
		if coloured := table.Text(width, true); Width(coloured) != Width(text) {
			t.Fatalf("with colours it is %q", coloured)
		}
	})
}

// letters returns a text without its blanks.
func letters(text string) string { return strings.Join(strings.Fields(text), "") }

func TestColumns(t *testing.T) {
	table := Table{Head: []string{"KEY", "TYPE", "AGE", "SUMMARY"}}
	add := func(fields ...string) { table.Rows = append(table.Rows, Row{Fields: fields}) }
	add("/用户/偏好", "preference", "3d", "喜欢中文")
	add("/a", "fact", "12m", "a text that is too long for the screen")
	add("/a/very/deep/key/that/would/leave/no/room/for/any/other", "", "0s", "deep")
	for width, want := range map[int]string{
		64: `KEY                        TYPE        AGE  SUMMARY
/用户/偏好                 preference  3d   喜欢中文
/a                         fact        12m  a text that is too…
/a/very/dee…for/any/other              0s   deep
`,
		40: `/用户/偏好
  preference  3d
  喜欢中文
/a
  fact  12m
  a text that is too long for the scre…
/a/very/deep/key/t…o/room/for/any/other
  0s
  deep
`,
	} {
		if got := table.Text(width, false); got != want {
			t.Errorf("%d:\n%s", width, got)
		}
	}
	if wide := table.Text(200, false); strings.Contains(wide, "…") {
		t.Errorf("it is cut:\n%s", wide)
	}
}

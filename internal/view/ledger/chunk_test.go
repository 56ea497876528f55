package ledger

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/set-memory/mem/readout"
	"pgregory.net/rapid"
)

// cutTexts returns the chunks of a text as texts.
func cutTexts(t *testing.T, text string) (list []string) {
	t.Helper()
	chunks, err := cutText(chunkerVersion, text)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range chunks {
		list = append(list, text[c.From:c.To])
	}
	return list
}

// words is a text of n words without the end of a sentence, which cost little more than n tokens.
func words(n int) string { return strings.TrimSpace(strings.Repeat("word ", n)) }

func TestSplit(t *testing.T) {
	t.Parallel()
	a, b, c := "A"+words(150), "B"+words(150), "C"+words(150)
	long := strings.Repeat("word", 3000)
	for name, chunks := range map[string][]string{
		"nothing":              {},
		"blank":                {" \t\r\n\n　\u00a0"},
		"short":                {"", "A note.", "\n"},
		"joined paragraphs":    {"\n", a + "\n\n" + b, " \n \t\n\n", c, "\n"},
		"lines of a paragraph": {"", a + "\n" + b, "\n", c + "\n\n" + a},
		"a heading before one": {"", "# Heading", "\n\n", a + "\n" + b, "\n", c},
		"with returns":         {"", a + "\r\n" + b, "\r\n", c + "\r\n\r\n" + a},
		"old returns":          {"", a + "\r" + b, "\r\r", c},
		"sentences":            {"", a + ". " + b + "?\"", " ", c + "! 1.5"},
		"a dot in a word":      {"", a + ".", " ", "v1." + b + " " + words(40) + " v1." + c},
		"a sentence and one word": {"", "One.", " ", long[:776], "", long[776:1552], "",
			long[1552:2000]},
		"words":             {"", a + " " + words(236), " ", words(170)},
		"Chinese sentences": {"", chinese(12), "", chinese(12), "", chinese(5)},
		"a stop with its brackets": {"", chinese(11) + "喜欢简洁的回答，不喜欢冗长的开场白。」！", "",
			"「" + chinese(9)},
	} {
		text := strings.Join(chunks, "")
		var want []string
		for i := 1; i < len(chunks); i += 2 {
			want = append(want, chunks[i])
		}
		if got := cutTexts(t, text); !slices.Equal(got, want) {
			t.Errorf("%s: %s, want %s", name, short(got), short(want))
		}
	}
}

// short returns the ends of texts and how long they are.
func short(list []string) string {
	var b strings.Builder
	for _, s := range list {
		fmt.Fprintf(&b, "%.20q ... %q (%d bytes, %d tokens) ", s, s[max(0, len(s)-20):], len(s),
			readout.Tokens(s))
	}
	return b.String()
}

// chinese is n sentences of 23 characters.
func chinese(n int) string {
	return strings.Repeat("用户喜欢简洁的回答，不喜欢冗长的开场白和重复。", n)
}

func TestSplitRefuses(t *testing.T) {
	t.Parallel()
	for version, text := range map[int]string{0: "x", 2: "x", -1: ""} {
		if _, err := cutText(version, text); !errors.Is(err, errChunkerVersion) {
			t.Errorf("version %d: %v", version, err)
		}
	}
	_, err := cutText(chunkerVersion, strings.Repeat("x", MaxText+1))
	if !errors.Is(err, errTooLong) {
		t.Errorf("too long: %v", err)
	}
}

// failer is what a test, a fuzz target and a property have in common.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// checkSplit checks all that holds for the chunks of every text.
func checkSplit(t failer, text string) []cut {
	t.Helper()
	chunks, err := cutText(chunkerVersion, text)
	if err != nil || len(chunks) >= maxChunks {
		t.Fatalf("%d chunks, %v", len(chunks), err)
	}
	if again, _ := cutText(chunkerVersion, strings.Clone(text)); !slices.Equal(again, chunks) {
		t.Fatalf("%v, and then %v", chunks, again)
	}
	at := 0
	for i, c := range chunks {
		if c.From < at || c.To <= c.From || strings.TrimSpace(text[at:c.From]) != "" {
			t.Fatalf("chunk %d of %q: %d to %d, the last ended at %d", i, text, c.From, c.To, at)
		}
		part := text[c.From:c.To]
		if strings.TrimSpace(part) != part || utf8.ValidString(text) && !utf8.ValidString(part) {
			t.Fatalf("chunk %d is %q", i, part)
		}
		if n := readout.Tokens(part); n != c.Tokens || n > maxChunkTokens {
			t.Fatalf("chunk %d has %d tokens and is said to have %d", i, n, c.Tokens)
		}
		at = c.To
	}
	if rest := strings.TrimSpace(text[at:]); rest != "" {
		t.Fatalf("%q is in no chunk", rest)
	}
	return chunks
}

// unitEnds are where paragraphs, lines and sentences end, as a reader would write it down: what
// stands before the match belongs to the unit.
var unitEnds = [...]*regexp.Regexp{
	regexp.MustCompile(`\s*\n\s*\n\s*`),
	regexp.MustCompile(`\s*\n\s*`),
	regexp.MustCompile(`[.!?…]["'”’»)\]}.!?…]*(\s+)|[。！？｡][”’」』）》】〉。！？｡]*()`),
}

// checkGreedy compares each chunk with the longest one of the largest unit, found by trying all.
// Where a sentence ends in the middle of a piece, only a stop right behind what fits counts.
func checkGreedy(t failer, text string, chunks []cut) {
	t.Helper()
	for i, c := range chunks[:max(len(chunks)-1, 0)] {
		rest := strings.TrimRightFunc(text[c.From:], unicode.IsSpace)
		want, fits := 0, readout.TokenPrefix(rest, maxChunkTokens)
		for _, ends := range unitEnds {
			for _, m := range ends.FindAllStringSubmatchIndex(rest, -1) {
				end := m[0]
				for g := 2; g < len(m); g += 2 {
					end = max(end, m[g])
				}
				stops := rest[min(fits, end):end]
				if strings.Trim(stops, wideDots+wideClosers) == "" && len(stops) < 8*len("。") &&
					readout.Tokens(rest[:end]) <= maxChunkTokens {
					want = end
				}
			}
			if want > 0 {
				break
			}
		}
		if want > 0 && c.To-c.From != want {
			t.Fatalf("chunk %d of %q ends %q, want %q", i, text, rest[:c.To-c.From], rest[:want])
		}
		if readout.Tokens(rest) <= maxChunkTokens {
			t.Fatalf("chunk %d of %q is not all that is left", i, text)
		}
	}
}

// randomText draws a text of pieces that are repeated so that some chunks are full.
func randomText(t *rapid.T) string {
	pieces := []string{"word ", "A sentence. ", "\n", "\n\n", " \t\n \n", "\r\n", "。", "用户喜欢",
		"！」", "，", "x", "😀", "é", "0123456789abcdef", `{"a":[1,2.5,"b c"]},`, "    return nil\n",
		"- item\n", "?", ".\" ", "1.5", "   ", "--", "Wörter, ", "한국어 문장입니다. ",
		words(100), chinese(5)}
	text := ""
	for range rapid.IntRange(0, 12).Draw(t, "parts") {
		piece := rapid.SampledFrom(pieces).Draw(t, "piece")
		text += strings.Repeat(piece, rapid.IntRange(1, 60).Draw(t, "times"))
	}
	return strings.ToValidUTF8(text[:min(len(text), MaxText)], "")
}

func TestSplitAnything(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := randomText(t)
		checkGreedy(t, text, checkSplit(t, text))
	})
}

func FuzzSplit(f *testing.F) {
	for _, seed := range []string{"", "a. b", "\xff\xf0\x9f", "。」\n\n x", "\r\r",
		strings.Repeat("ab-", 9)} {
		f.Add(seed, uint16(700))
	}
	f.Fuzz(func(t *testing.T, text string, times uint16) {
		n := min(int(times), MaxText/max(len(text), 1))
		checkSplit(t, strings.Repeat(text, n))
	})
}

// hostile are texts of MaxText bytes that leave little room to cut, or much to look at.
func hostile() map[string]string {
	pieces := map[string]string{
		"letters": "abcdefghij", "random": "xQ7zK", "Chinese": "用户喜欢简洁的回答", "emoji": "🧑‍🚀🦄",
		"control": "\x00\x01", "bytes": "\xff\x80\xf0", "spaces": " ", "dashes": "-",
		"digits": "0123456789", "minified JSON": `{"a":[1,2.5,"b c"],"d":null},`, "lines": "a\n", "paragraphs": "a\n\n",
		"stops": "。", "dots": ". ",
		"small and large": "a\n\nb\nc. " + strings.Repeat("\x00", 312) + "\n\n",
		"spaces between":  "a" + strings.Repeat(" ", 5000), "returns": "\r\n\r\na",
		"brackets": "a." + strings.Repeat(")", 900),
	}
	texts := map[string]string{}
	for name, piece := range pieces {
		texts[name] = strings.Repeat(piece, MaxText/len(piece))
	}
	return texts
}

func TestHostileTextsHaveFewChunks(t *testing.T) {
	t.Parallel()
	for name, text := range hostile() {
		t.Run(name, func(t *testing.T) {
			const most = MaxText / 300 * 5 // see "Limits" in doc.go
			if n := len(checkSplit(t, text)); n > most {
				t.Errorf("%d chunks", n)
			} else {
				t.Logf("%d chunks", n)
			}
		})
	}
}

func BenchmarkSplit(b *testing.B) {
	sources := hostile()
	sources["English"] = strings.Repeat("The API key rotation is done by the auth service: it "+
		"asks the vault for a token that lasts an hour. Then it goes on.\n", MaxText/120)
	sources["code"] = strings.Repeat("\tfor i := range list {\n"+
		"\t\tif err := check(list[i]); err != nil {\n"+
		"\t\t\treturn fmt.Errorf(\"item %d: %w\", i, err)\n\t\t}\n\t}\n\n", MaxText/125)
	sources["300 bytes"] = sources["English"][:300]
	for name, text := range sources {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := cutText(chunkerVersion, text); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

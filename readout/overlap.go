package readout

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/set-memory/mem/log"
)

// Overlap is the score of a note; the package comment has the formula.
type Overlap struct {
	Words int
	Bonus float64 // 0..1, never 0
}

// Total returns the sum, by which notes are ranked.
func (o Overlap) Total() float64 { return float64(o.Words) + o.Bonus }

// overlap returns the score of a note's text and time against the words of the message.
func overlap(message map[string]bool, text string, ts, now log.Stamp) Overlap {
	o := Overlap{Bonus: newness(ts, now)}
	for word := range words(text) {
		if message[word] {
			o.Words++
		}
	}
	return o
}

// newness returns min(1, 0.1/max(age in hours, 0.1)): 1 for six minutes, 0.1 after an hour.
func newness(ts, now log.Stamp) float64 {
	const microsPerHour = 60 * 60 * 1e6
	hours := float64(now-ts) / microsPerHour
	return min(1, 0.1/max(hours, 0.1))
}

// shortestWord is the least length in characters of a word that counts.
const shortestWord = 3

// words returns the unique words of a text that can match. Of scripts without spaces every two
// neighbours are a word, because a whole sentence as one word would never be found again.
func words(text string) map[string]bool {
	found := make(map[string]bool, len(text)/bytesOfWord)
	for run := range strings.FieldsFuncSeq(strings.ToLower(text), betweenWords) {
		for len(run) > 0 {
			n := sameScript(run)
			addWords(found, run[:n])
			run = run[n:]
		}
	}
	return found
}

// bytesOfWord is about how many bytes of a text stand for one of its words.
const bytesOfWord = 8

// betweenWords reports whether r separates words. A mark belongs to the letter before it.
func betweenWords(r rune) bool {
	if r < utf8.RuneSelf {
		return !('a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9')
	}
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
}

// sameScript returns the length of the start of run that is all of dense scripts, or of none.
func sameScript(run string) int {
	first, _ := utf8.DecodeRuneInString(run)
	for i, r := range run {
		if dense(r) != dense(first) {
			return i
		}
	}
	return len(run)
}

// dense reports whether r is of a script that does not separate all words by spaces. The sound mark
// ー belongs to two of them.
func dense(r rune) bool {
	return r >= 0x1100 && (r == 'ー' ||
		unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul))
}

// addWords adds the words of a run of one kind of script.
func addWords(found map[string]bool, run string) {
	if first, _ := utf8.DecodeRuneInString(run); dense(first) {
		chars := []rune(run)
		for i := 1; i < len(chars); i++ {
			found[string(chars[i-1:i+1])] = true
		}
		return
	}
	if utf8.RuneCountInString(run) >= shortestWord && !isStopword(run) {
		found[run] = true
	}
}

// stopwords never match. The list is short on purpose: a marginal hit is better than a miss.
const stopwords = " the and for are but not you all can has her was one our out its use how may " +
	"who did get had him his let say she too own way " +
	"about could from have into just like make many some than that them then this very when " +
	"what with will would been each more most much must only " +
	"also back being come every first here know made need over such take where which while work " +
	"project please help want using thing file should "

func isStopword(word string) bool { return stopwordSet()[word] }

// stopwordSet is built at its first use: most processes never score a note.
var stopwordSet = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(stopwords) {
		set[word] = true
	}
	return set
})

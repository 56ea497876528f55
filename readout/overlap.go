package readout

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/set-memory/mem/log"
)

// Overlap is the score of a note (N-33): the unique words of its text that the message has too, and a bonus for the new.
type Overlap struct {
	Words int
	Bonus float64 // 0..1, never 0
}

// Total is what notes are ranked by.
func (o Overlap) Total() float64 { return float64(o.Words) + o.Bonus }

// overlap scores a note's text of some age against the words of the message.
func overlap(message map[string]bool, text string, ts, now log.Stamp) Overlap {
	o := Overlap{Bonus: newness(ts, now)}
	for word := range words(text) {
		if message[word] {
			o.Words++
		}
	}
	return o
}

// newness is min(1, 0.1/max(age in hours, 0.1)): 1 for six minutes, 0.1 after an hour.
func newness(ts, now log.Stamp) float64 {
	const microsPerHour = 60 * 60 * 1e6
	hours := float64(now-ts) / microsPerHour
	return min(1, 0.1/max(hours, 0.1))
}

// shortestWord is the length in characters below which a word says nothing (N-34).
const shortestWord = 3

// words gives the unique words of a text that can match (N-34, N-35): runs of letters and digits, in lower case, of three characters or more, that
// are no stopwords. Chinese, Japanese and Korean put no space between words, or grow endings on them; there every two neighbours
// are a word, for else a whole sentence would be one that is never found again.
func words(text string) map[string]bool {
	found := map[string]bool{}
	for _, run := range strings.FieldsFunc(strings.ToLower(text), betweenWords) {
		for len(run) > 0 {
			n := sameScript(run)
			addWords(found, run[:n])
			run = run[n:]
		}
	}
	return found
}

// betweenWords reports whether r parts words. Marks do not: they belong to the letter before them.
func betweenWords(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
}

// sameScript gives the length of the part that run begins with and that is all of dense scripts, or of none.
func sameScript(run string) int {
	first, _ := utf8.DecodeRuneInString(run)
	for i, r := range run {
		if dense(r) != dense(first) {
			return i
		}
	}
	return len(run)
}

// dense reports whether r is of a script whose words cannot be told by their spaces. The sound mark ー belongs to two of them.
func dense(r rune) bool {
	return r >= 0x1100 && (r == 'ー' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul))
}

// addWords adds what a run of one kind of script has to say.
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

// stopwords are N-35's, all 84. The list is short on purpose: a marginal hit is better than a miss (N-36).
const stopwords = " the and for are but not you all can has her was one our out its use how may who did get had him his let say she too own way " +
	"about could from have into just like make many some than that them then this very when what with will would been each more most much must only " +
	"also back being come every first here know made need over such take where which while work project please help want using thing file should "

// isStopword looks a word up in the text of the list, for a map would cost every process that never scores a note. No word holds a space.
func isStopword(word string) bool { return strings.Contains(stopwords, " "+word+" ") }

package analyzer

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Marks are what the order of the first places goes by besides the words that a record shares with
// the query: how it speaks, not what of. Two bytes for each.
type Marks uint16

const (
	markSelf   Marks = 3               // how often it says I, my, me, we, our: up to 2
	markYou    Marks = 7 << 2          // how often it says you or your: up to 4
	MarkNumber Marks = 1 << (3 + iota) // it has a number in digits, or in Chinese
	MarkDate                           // it has a date word
	MarkTitle                          // it has a title in 《》
	MarkQuote                          // it quotes a name
	MarkAsks                           // its text ends in a question mark
)

// Self and You return how often a record says I, and you.
func (m Marks) Self() int { return int(m & markSelf) }
func (m Marks) You() int  { return int(m&markYou) >> 2 }

// Has reports whether a record has one of some marks that are there or not.
func (m Marks) Has(any Marks) bool { return m&any != 0 }

// WordMark is what a word is for the marks of a record.
type WordMark uint8

const (
	saysSelf WordMark = 1 << iota
	saysYou
	saysNumber
	saysDate
)

// MarkOf returns what a spaced word is.
func MarkOf(text string) WordMark {
	word := text
	if at := strings.IndexByte(word, '\''); at > 0 { // I'm, you've
		word = word[:at]
	} else if at := strings.Index(word, "’"); at > 0 {
		word = word[:at]
	}
	var lower [longestMark]byte
	if len(word) > len(lower) {
		return MarkDigits(word)
	}
	for i := range len(word) {
		lower[i] = word[i]
		if word[i] >= 'A' && word[i] <= 'Z' {
			lower[i] |= 0x20
		}
	}
	return markKnown(string(lower[:len(word)])) | MarkDigits(word)
}

const longestMark = 10

// MarkDigits returns what digits make of a word: a number, or a date.
func MarkDigits(word string) WordMark {
	if strings.IndexFunc(word, IsDigit) < 0 {
		return 0
	}
	_, isYear := number(word, 1900, 2100)
	if _, isDate := numericDate(word); isDate || isYear && len(word) == 4 {
		return saysNumber | saysDate
	}
	return saysNumber
}

// markKnown returns what a word in lower case is that is on a list.
func markKnown(word string) WordMark {
	switch word {
	case "i", "me", "my", "mine", "myself", "we", "us", "our", "ours", "ourselves":
		return saysSelf
	case "you", "your", "yours", "yourself":
		return saysYou
	case "yesterday", "today", "tomorrow", "tonight", "last", "next", "ago", "week", "weeks",
		"weekend", "month", "months", "year", "years", "january", "february", "march", "april",
		"may", "june", "july", "august", "september", "october", "november", "december", "monday",
		"tuesday", "wednesday", "thursday", "friday", "saturday", "sunday":
		return saysDate
	}
	return 0
}

// Marker finds the marks of a record while its texts are read.
type Marker struct {
	Marks     Marks
	self, you int
	speaks    bool // the text is said by somebody
}

// Begin is called before the words of a text. Only text, summary and title have marks.
func (k *Marker) Begin(f Field, text string) {
	if k.speaks = f <= Title; !k.speaks {
		return
	}
	if strings.Contains(text, "《") {
		k.Marks |= MarkTitle
	}
	if quotesName(text) {
		k.Marks |= MarkQuote
	}
}

// Word takes a spaced word.
func (k *Marker) Word(m WordMark) {
	if !k.speaks {
		return
	}
	switch {
	case m&saysSelf != 0:
		k.self++
	case m&saysYou != 0:
		k.you++
	case m&saysDate != 0:
		k.Marks |= MarkDate
	}
	if m&saysNumber != 0 {
		k.Marks |= MarkNumber
	}
}

// Char takes a character of a script without spaces, and the one before it in its run; 0: none.
func (k *Marker) Char(last, c rune) {
	if !k.speaks {
		return
	}
	switch c {
	case '我':
		k.self++
	case '你', '您':
		k.you++
	case '两', '二', '三', '四', '五', '六', '七', '八', '九', '十', '百', '千', '万':
		k.Marks |= MarkNumber
	case '天', '年':
		if strings.ContainsRune("昨今明前后去\x00", last) {
			k.Marks |= MarkDate
		}
	case '月', '号', '日':
		if last == 0 || last == '个' {
			k.Marks |= MarkDate
		}
	case '周':
		if last == '上' || last == '下' {
			k.Marks |= MarkDate
		}
	case '末', '期':
		if last == '周' || last == '星' {
			k.Marks |= MarkDate
		}
	}
}

// All returns the marks of the record.
func (k *Marker) All() Marks {
	return k.Marks | Marks(min(k.self, 2)) | Marks(min(k.you, 4))<<2
}

// quotesName reports whether a text quotes something that begins with a capital.
func quotesName(text string) bool {
	if !ContainsAny(text, `"`, "“", "「") { // which is quick
		return false
	}
	for {
		at := strings.IndexAny(text, "\"“「")
		if at < 0 {
			return false
		}
		_, size := utf8.DecodeRuneInString(text[at:])
		text = text[at+size:]
		end := strings.IndexAny(text, "\"”」")
		if end < 0 {
			return false
		}
		if unicode.IsUpper(FirstRune(text)) {
			return true
		}
		_, size = utf8.DecodeRuneInString(text[end:])
		text = text[end+size:]
	}
}

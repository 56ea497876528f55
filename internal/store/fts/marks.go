package fts

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// marks are what the order of the first places goes by besides the words that a record shares with
// the query: how it speaks, not what of. Two bytes for each.
type marks uint16

const (
	markSelf   marks = 3               // how often it says I, my, me, we, our: up to 2
	markYou    marks = 7 << 2          // how often it says you or your: up to 4
	markNumber marks = 1 << (3 + iota) // it has a number in digits, or in Chinese
	markDate                           // it has a date word
	markTitle                          // it has a title in 《》
	markQuote                          // it quotes a name
	markAsks                           // its text ends in a question mark
)

func (m marks) self() int { return int(m & markSelf) }
func (m marks) you() int  { return int(m&markYou) >> 2 }

// has reports whether a record has one of some marks that are there or not.
func (m marks) has(any marks) bool { return m&any != 0 }

// wordMark is what a word is for the marks of a record.
type wordMark uint8

const (
	saysSelf wordMark = 1 << iota
	saysYou
	saysNumber
	saysDate
)

// markOf returns what a spaced word is.
func markOf(text string) wordMark {
	word := text
	if at := strings.IndexByte(word, '\''); at > 0 { // I'm, you've
		word = word[:at]
	} else if at := strings.Index(word, "’"); at > 0 {
		word = word[:at]
	}
	var lower [longestMark]byte
	if len(word) > len(lower) {
		return markDigits(word)
	}
	for i := range len(word) {
		lower[i] = word[i]
		if word[i] >= 'A' && word[i] <= 'Z' {
			lower[i] |= 0x20
		}
	}
	return markKnown(string(lower[:len(word)])) | markDigits(word)
}

const longestMark = 10

// markDigits returns what digits make of a word: a number, or a date.
func markDigits(word string) wordMark {
	if strings.IndexFunc(word, isDigit) < 0 {
		return 0
	}
	_, isYear := number(word, 1900, 2100)
	if _, isDate := numericDate(word); isDate || isYear && len(word) == 4 {
		return saysNumber | saysDate
	}
	return saysNumber
}

// markKnown returns what a word in lower case is that is on a list.
func markKnown(word string) wordMark {
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

// marker finds the marks of a record while its texts are read.
type marker struct {
	marks     marks
	self, you int
	speaks    bool // the text is said by somebody
}

// begin is called before the words of a text. Only text, summary and title have marks.
func (k *marker) begin(f Field, text string) {
	if k.speaks = f <= Title; !k.speaks {
		return
	}
	if strings.Contains(text, "《") {
		k.marks |= markTitle
	}
	if quotesName(text) {
		k.marks |= markQuote
	}
}

// word takes a spaced word.
func (k *marker) word(m wordMark) {
	if !k.speaks {
		return
	}
	switch {
	case m&saysSelf != 0:
		k.self++
	case m&saysYou != 0:
		k.you++
	case m&saysDate != 0:
		k.marks |= markDate
	}
	if m&saysNumber != 0 {
		k.marks |= markNumber
	}
}

// char takes a character of a script without spaces, and the one before it in its run; 0: none.
func (k *marker) char(last, c rune) {
	if !k.speaks {
		return
	}
	switch c {
	case '我':
		k.self++
	case '你', '您':
		k.you++
	case '两', '二', '三', '四', '五', '六', '七', '八', '九', '十', '百', '千', '万':
		k.marks |= markNumber
	case '天', '年':
		if strings.ContainsRune("昨今明前后去\x00", last) {
			k.marks |= markDate
		}
	case '月', '号', '日':
		if last == 0 || last == '个' {
			k.marks |= markDate
		}
	case '周':
		if last == '上' || last == '下' {
			k.marks |= markDate
		}
	case '末', '期':
		if last == '周' || last == '星' {
			k.marks |= markDate
		}
	}
}

// all returns the marks of the record.
func (k *marker) all() marks {
	return k.marks | marks(min(k.self, 2)) | marks(min(k.you, 4))<<2
}

// quotesName reports whether a text quotes something that begins with a capital.
func quotesName(text string) bool {
	if !containsAny(text, `"`, "“", "「") { // which is quick
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
		if unicode.IsUpper(firstRune(text)) {
			return true
		}
		_, size = utf8.DecodeRuneInString(text[end:])
		text = text[end+size:]
	}
}

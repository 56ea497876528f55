package analyzer

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/set-memory/mem/log"
)

// DateTerms returns the terms of a record's day: year, month, day of the month.
func DateTerms(ts log.Stamp) [3]string {
	t := ts.Time()
	return [3]string{yearTerm(t.Year()), monthTerm(t.Month()), dayTerm(t.Month(), t.Day())}
}

func yearTerm(year int) string           { return fmt.Sprintf("%sy%04d", KindDate, year) }
func monthTerm(m time.Month) string      { return fmt.Sprintf("%sm%02d", KindDate, m) }
func dayTerm(m time.Month, d int) string { return fmt.Sprintf("%sd%02d-%02d", KindDate, m, d) }

// Date is a date, or a part of one, that a query names; zero what it does not name.
type Date struct {
	year  int
	month time.Month
	day   int
	ago   int // days before now, plus 1
}

// Terms returns the terms that records of the date have.
func (d Date) Terms(now log.Stamp) (terms []string) {
	if d.ago > 0 {
		t := now.Time().AddDate(0, 0, 1-d.ago)
		d.year, d.month, d.day = t.Year(), t.Month(), t.Day()
	}
	if d.year > 0 {
		terms = append(terms, yearTerm(d.year))
	}
	if d.month > 0 {
		terms = append(terms, monthTerm(d.month))
	}
	if d.month > 0 && d.day > 0 {
		terms = append(terms, dayTerm(d.month, d.day))
	}
	return terms
}

// DatesIn finds the dates that a normalized text names, in English, Chinese and numbers.
func DatesIn(text string) (found []Date) {
	words := dateWords(text)
	for i := 0; i < len(words); {
		d, n := dateAt(words, i)
		if n > 0 {
			found = append(found, d)
		}
		i += max(n, 1)
	}
	return found
}

// dateWords cuts a text into lower-case words for reading dates; a run of a script without spaces
// is cut before and behind the signs for year, month and day.
func dateWords(text string) (words []string) {
	for s := (Scanner{Text: text}); ; {
		w, ok := s.Next()
		if !ok {
			return words
		}
		if !w.Unspaced {
			words = append(words, strings.ToLower(w.Text))
			continue
		}
		rest := w.Text
		for rest != "" {
			n := signLen(rest)
			words = append(words, rest[:n])
			rest = rest[n:]
		}
	}
}

// signLen returns the length of the first piece of a run: a sign or a word that dates are made of,
// or one character.
func signLen(run string) int {
	for _, sign := range [...]string{"昨天", "今天", "前天", "十一", "十二"} {
		if strings.HasPrefix(run, sign) {
			return len(sign)
		}
	}
	for i := range run {
		if i > 0 {
			return i
		}
	}
	return len(run)
}

// dateAt reads the date that begins with a word, and returns its number of words; 0 for none.
func dateAt(words []string, i int) (d Date, n int) {
	at := func(k int) string {
		if i+k < 0 || i+k >= len(words) {
			return ""
		}
		return words[i+k]
	}
	if d, ok := numericDate(at(0)); ok {
		return d, 1
	}
	if d, n := chineseDate(at); n > 0 {
		return d, n
	}
	if d, n := englishDate(at); n > 0 {
		return d, n
	}
	if y, ok := number(at(0), 1900, 2100); ok && len(at(0)) == 4 {
		return Date{year: y}, 1
	}
	if ago := daysAgo[at(0)]; ago > 0 {
		return Date{ago: ago}, 1
	}
	return d, 0
}

var daysAgo = map[string]int{"today": 1, "今天": 1, "yesterday": 2, "昨天": 2, "前天": 3}

// englishDate reads "7 May 2023", "7th of May", "May 7th, 2023", "May 2023" and "May".
func englishDate(at func(int) string) (d Date, n int) {
	if day, ok := dayNumber(at(0)); ok {
		n = 1
		if at(n) == "of" {
			n++
		}
		if m := monthNamed(at(n)); m > 0 {
			d.day, d.month, n = day, m, n+1
			return d, n + d.takeYear(at(n))
		}
		return d, 0
	}
	if d.month = monthNamed(at(0)); d.month == 0 {
		return d, 0
	}
	n = 1
	if day, ok := dayNumber(at(n)); ok {
		d.day, n = day, n+1
	}
	n += d.takeYear(at(n))
	if n == 1 && isVerb(at(0)) && !IsIn(beforeMonths, at(-1)) {
		return Date{}, 0
	}
	return d, n
}

// beforeMonths are words behind which "may" and "march" are months.
const beforeMonths = " in of on during early late mid since until by last this next "

// isVerb reports whether the name of a month is also a word of another meaning.
func isVerb(month string) bool { return month == "may" || month == "march" || month == "mar" }

func (d *Date) takeYear(word string) int {
	if y, ok := number(word, 1900, 2100); ok && len(word) == 4 {
		d.year = y
		return 1
	}
	return 0
}

// monthNamed reads January, Jan; 0 for anything else.
func monthNamed(word string) time.Month {
	if len(word) < 3 {
		return 0
	}
	for m := time.January; m <= time.December; m++ {
		name := strings.ToLower(m.String())
		if word == name || word == name[:3] || word == "sept" && m == time.September {
			return m
		}
	}
	return 0
}

func dayNumber(word string) (int, bool) {
	for _, ending := range [...]string{"st", "nd", "rd", "th"} {
		word = strings.TrimSuffix(word, ending)
	}
	return number(word, 1, 31)
}

func number(word string, least, most int) (int, bool) {
	n, err := strconv.Atoi(word)
	return n, err == nil && n >= least && n <= most && word[0] != '+'
}

// numericDate reads 2023-05-07, 2023/5/7, 2023-05 and 7.5.2023.
func numericDate(word string) (d Date, ok bool) {
	parts := strings.FieldsFunc(word, func(r rune) bool { return r == '-' || r == '/' || r == '.' })
	if len(parts) < 2 || len(parts) > 3 {
		return d, false
	}
	if len(parts) == 3 && len(parts[2]) == 4 {
		parts[0], parts[2] = parts[2], parts[0]
	}
	year, ok := number(parts[0], 1900, 2100)
	month, isMonth := number(parts[1], 1, 12)
	d = Date{year: year, month: time.Month(month)}
	ok = ok && isMonth && len(parts[0]) == 4
	if len(parts) == 3 {
		day, isDay := number(parts[2], 1, 31)
		d.day, ok = day, ok && isDay
	}
	return d, ok
}

// chineseDate reads 2023年5月7日, 5月7号, 五月.
func chineseDate(at func(int) string) (d Date, n int) {
	if y, ok := number(at(0), 1900, 2100); ok && at(1) == "年" {
		d.year, n = y, 2
	}
	if m, ok := hanNumber(at(n), 12); ok && at(n+1) == "月" {
		d.month, n = time.Month(m), n+2
		if day, ok := hanNumber(at(n), 31); ok {
			d.day, n = day, n+1
			if at(n) == "日" || at(n) == "号" {
				n++
			}
		}
	}
	return d, n
}

// hanNumber reads a number in digits or, up to twelve, in Chinese.
func hanNumber(word string, most int) (int, bool) {
	for i, name := range [...]string{"一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二"} {
		if word == name {
			return i + 1, i < most
		}
	}
	return number(word, 1, most)
}

package inject

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
)

// branch is the topic in the name of a branch: the stems of its words.
type branch struct {
	name  string // its last element in lower case, and with blanks, as a tag has it
	blank string
	stems []string
}

// trunks are branches through which all work of a project goes.
var trunks = []string{"main", "master", "trunk", "develop", "dev", "next", "staging", "production",
	"release"}

// kindsOfWork are words in the names of branches that are about no topic.
var kindsOfWork = sync.OnceValue(func() []string {
	return strings.Fields("fix fixes feat feature features bug bugfix hotfix chore doc docs " +
		"refactor refactoring add adds update remove improve wip issue ticket pr task use new " +
		"make test tests a an the to of for in on and or with by as at is it not be no from")
})

// branchOf returns the topic of a branch; none for a trunk. Hyphens and changes of case separate
// words as slashes do, but the last slash also ends what people put before the name.
func branchOf(name string) (b branch) {
	name = name[strings.LastIndexByte(name, '/')+1:]
	if slices.Contains(trunks, strings.ToLower(name)) {
		return b
	}
	b.name = strings.ToLower(name)
	b.blank = strings.NewReplacer("-", " ", "_", " ").Replace(b.name)
	for _, word := range strings.FieldsFunc(name, isBetween) {
		for _, part := range splitCase(word) {
			part = strings.ToLower(part)
			isNumber := strings.TrimLeft(part, "0123456789") == ""
			if len(part) > 1 && !isNumber && !slices.Contains(kindsOfWork(), part) {
				b.stems = append(b.stems, english.Stem(part, false))
			}
		}
	}
	return b
}

func isBetween(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) }

// splitCase splits a word such as testReserve before each capital behind a small letter.
func splitCase(word string) (parts []string) {
	start, small := 0, false
	for i, r := range word {
		if small && unicode.IsUpper(r) {
			parts, start = append(parts, word[start:i]), i
		}
		small = unicode.IsLower(r)
	}
	return append(parts, word[start:])
}

func (b *branch) isTag(tag string) bool { return b.name != "" && (tag == b.name || tag == b.blank) }

// isIn reports whether a text has the words of the branch: of three and more, all but one.
func (b *branch) isIn(text string) bool {
	most := 0 // that may lack
	if len(b.stems) > 2 {
		most = 1
	}
	lacks := func(has func(string) bool) (n int) {
		for _, stem := range b.stems {
			if !has(stem) {
				n++
			}
		}
		return n
	}
	// Every candidate of a start is asked, and few are worth a list of their stems.
	if len(b.stems) == 0 || lacks(func(stem string) bool { return mayHave(text, stem) }) > most {
		return false
	}
	var stems []string
	for word := range strings.FieldsFuncSeq(text, isBetween) {
		parts := splitCase(word)
		if len(parts) > 1 {
			parts = append(parts, word)
		}
		for _, part := range parts {
			stems = append(stems, english.Stem(strings.ToLower(part), false))
		}
	}
	return lacks(func(stem string) bool {
		return slices.ContainsFunc(stems, func(other string) bool {
			return isSameWord(stem, other)
		})
	}) <= most
}

// mayHave reports whether a text has the second to fourth letter of a stem, in small or capital
// letters.
func mayHave(text, stem string) bool {
	_, first := utf8.DecodeRuneInString(stem)
	core := stem[first:min(len(stem), max(first, 4))]
	return first > 1 || strings.Contains(text, core) ||
		strings.Contains(text, strings.ToUpper(core))
}

// isSameWord reports whether two stems are equal or, as "sign" and "signatur", one begins with the
// other.
func isSameWord(a, b string) bool {
	const enough = 4
	return a == b || len(a) >= enough && strings.HasPrefix(b, a) ||
		len(b) >= enough && strings.HasPrefix(a, b)
}

package fts

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/set-memory/mem/internal/store/fts/analyzer"
)

// termsIn returns the terms of a text in their order, as records get them.
func termsIn(text string) (terms []string) {
	s := analyzer.Scanner{Text: analyzer.Normalize(text)}
	for w, ok := s.Next(); ok; w, ok = s.Next() {
		if w.Unspaced {
			analyzer.EachRunTerm(w.Text, func(term string) { terms = append(terms, term) })
		} else {
			terms = append(terms, analyzer.Expand(w.Text).Terms...)
		}
	}
	return terms
}

func TestTerms(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                    "",
		" ?! ,.- … 。":                         "",
		"The dentists were running":           "dentist run",
		"She went, bought and taught":         "go buy teach",
		"Anna's bike, the children’s photos":  "anna bicycl child photo",
		"don't won't it's we've":              "",
		"He won first place":                  "win first place",
		"O'Brien":                             "o'brien o brien",
		"getUserById":                         "getuserbyid get user id",
		"get_user_by_id":                      "get_user_by_id get user id",
		"HTTPServer":                          "httpserver http server",
		"iPhone16":                            "iphone16 telephon 16",
		"/var/log/my-app.log":                 "var/log/my-app.log var log my-app.log applic log",
		`C:\Users\x`:                          `c users\x user x`,
		"error E1042: ERR_CONN_RESET":         "error e1042 1042 err_conn_reset err conn reset",
		"02-23_10-00_牙科复":                     "02-23_10-00 02-23 02 23 10-00 10 00 牙 科 牙科 复 科复",
		"v1.2.3":                              "v1.2.3 v1 1 2 3",
		"1,000,000 and 3.14, 7":               "1000000 3.14 3 14 7",
		"12,34":                               "12 34",
		"1st 22nd":                            "1st 1 22nd 22",
		"C++ C# F# c+":                        "c++ c# f# c",
		"a@b.com":                             "a@b.com b.com b com",
		"deadbeef01 a3f9c2e1d7":               "deadbeef01 deadbeef 01 a3f9c2e1d7",
		"用户喜欢中文":                              "用 户 用户 喜 户喜 欢 喜欢 中 欢中 文 中文",
		"カタカナー・ひら":                            "カ タ カタ カ タカ ナ カナ ー ナー ひ ら ひら",
		"ﾃｽﾄ":                                 "テ ス テス ト スト",
		"한국어 말":                               "한 국 한국 어 국어 말",
		"ภาษา":                                "ภ า ภา ษ าษ า ษา",
		"Ｆｕｌｌ ｗｉｄｔｈ ①":                        "full width 1",
		"naïve Café Ünïcode":                  "naiv cafe unicod",
		"Привет, МИР":                         "привет мир",
		"Ελλάδα":                              "ελλάδα",
		"שלום עולם":                           "שלום עולם",
		"مرحبا بالعالم":                       "مرحبا بالعالم",
		"हिन्दी में":                          "हिन्दी में",
		"iPhone16规格":                          "iphone16 telephon 16 规 格 规格",
		"https://example.com/a/b?x=1":         "https example.com/a/b example.com exampl com b x 1",
		"😀 great👍work":                        "great work",
		strings.Repeat("x", 70) + " y":        strings.Repeat("x", 64) + " y",
		"e\u0301te\u0301 \ufb01le":            "ete file",
		"configurations configuration config": "configur configur configur",
	} {
		if got := strings.Join(termsIn(text), " "); got != want {
			t.Errorf("%q:\n got %s\nwant %s", text, got, want)
		}
	}
}

// What two spellings of a text have in common is all that search needs: composed or not, wide or
// not, they give the same terms.
func FuzzTerms(f *testing.F) {
	for _, seed := range []string{
		"The dentist's get_user_by_id", "牙科复诊 カナ 한국어", "1,000 C++ a/b.c-d_e",
		"e\u0301\u200d\ufb01 İ ß ǅ", "''--//,,", "x,000", "\xff\xfe",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, term := range termsIn(text) {
			if term == "" || term[0] < ' ' || len(term) > analyzer.MaxTerm+8 ||
				utf8.ValidString(text) && !utf8.ValidString(term) {
				t.Errorf("%q gives the term %q", text, term)
			}
		}
		wordSequence(analyzer.Normalize(text))
		Words(text)
		if _, err := ParseQuery(text); err != nil && !strings.Contains(text, "key:") {
			t.Errorf("%q: %v", text, err)
		}
	})
}

func TestLengthCodes(t *testing.T) {
	t.Parallel()
	last := byte(0)
	for n := range 1 << 17 {
		code := lengthCode(n)
		if got := lengthOf(code); got > n || got*9 < n*8 || code < last {
			t.Fatalf("%d words: code %d, %d", n, code, got)
		}
		if lengthCode(lengthOf(code)) != code {
			t.Fatalf("code %d is not that of its own length", code)
		}
		last = code
	}
	if lengthCode(1<<40) < last {
		t.Error("a long text has a short length")
	}
}

func TestStopwordsAreFewAndAlone(t *testing.T) {
	t.Parallel()
	for w := range analyzer.Stopwords() {
		if _, ok := analyzer.Irregular()[w]; ok {
			t.Errorf("%s is common and irregular", w)
		}
	}
	for form, base := range analyzer.Irregular() {
		if next, ok := analyzer.Irregular()[base]; ok {
			t.Errorf("%s leads to %s, and that to %s", form, base, next)
		}
	}
	for _, w := range strings.Fields("may will won project work make know go first one") {
		if got := termsIn(w); w != "will" && len(got) == 0 {
			t.Errorf("%s says nothing", w)
		}
	}
}

func TestDates(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"on 7 May 2023":                 "y2023 m05 d05-07",
		"May 7th, 2023 and 8th of June": "y2023 m05 d05-07 m06 d06-08",
		"in may":                        "m05",
		"it may rain, march on":         "",
		"Sept 2022":                     "y2022 m09",
		"2023-05-07 2023/5/8 9.5.2023":  "y2023 m05 d05-07 y2023 m05 d05-08 y2023 m05 d05-09",
		"2023-05":                       "y2023 m05",
		"2023年5月7日":                     "y2023 m05 d05-07",
		"5月7号去了博物馆":                     "m05 d05-07",
		"十二月":                           "m12",
		"yesterday":                     "y2023 m04 d04-30",
		"昨天的会议":                         "y2023 m04 d04-30",
		"version 2.1 of 7 things":       "",
		"in 1984":                       "y1984",
		"the 31st":                      "",
		"1.2.3":                         "",
		"40 May 99":                     "",
	} {
		var got []string
		for _, d := range Words(text).dates {
			for _, term := range d.Terms(1682931600e6) { // 2023-05-01
				got = append(got, strings.TrimPrefix(term, analyzer.KindDate))
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestParseQuery(t *testing.T) {
	t.Parallel()
	q, err := ParseQuery(`Dentist's "the big Apple" ru* -old -"other thing" tag:A,b.C type:Note ` +
		`key:/a//b/ -5 - "open 牙科 pre-fix rm -rf`)
	if err != nil {
		t.Fatal(err)
	}
	var phrases []string
	for _, p := range q.phrases {
		phrases = append(phrases, strings.Join(p.words, " "))
	}
	for what, c := range map[string]struct{ got, want []string }{
		"terms":   {q.terms, strings.Fields("big appl dentist open 牙 科 牙科 pre-fix pre fix rm")},
		"forms":   {q.patternTexts(), []string{"ru*"}},
		"phrases": {phrases, []string{"the big appl"}},
		"tags":    {slices.Concat(q.tags...), []string{"a", "b.c"}},
		"types":   {q.types, []string{"note"}},
		"scope":   {[]string{q.scope.String()}, []string{"/a/b"}},
	} {
		if !slices.Equal(c.got, c.want) {
			t.Errorf("%s: %q, want %q", what, c.got, c.want)
		}
	}
	if got := len(q.without); got != 4 {
		t.Errorf("%d exclusions of %q", got, q.without)
	}
	for _, bad := range []string{"key:/a/../b", "key:/a key:/b", "x -key:/a"} {
		if _, err := ParseQuery(bad); err == nil || !strings.Contains(err.Error(), "key:") {
			t.Errorf("%q: %v", bad, err)
		}
	}
	q, err = ParseQuery(`-tag:A,b -type:Note -tag: -"tag:c"`)
	want := [][]string{
		{analyzer.KindTag + "a"}, {analyzer.KindTag + "b"}, {analyzer.KindType + "note"},
	}
	if err != nil || len(q.without) != 5 || !reflect.DeepEqual(q.without[:3], want) {
		t.Errorf("%q, %v", q.without, err)
	}
	q = Words(`-old "a phrase" tag:x key:/a ru*`)
	if len(q.without)+len(q.phrases)+len(q.tags)+len(q.patterns) > 0 || q.hasConditions() {
		t.Error("a message is taken for syntax")
	}
}

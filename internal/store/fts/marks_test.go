package fts

import (
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/jsontext"
	"github.com/set-memory/mem/internal/store/fts/analyzer"
)

func TestMarksOfTexts(t *testing.T) {
	self := func(n int) analyzer.Marks { return analyzer.Marks(n) }
	you := func(n int) analyzer.Marks { return analyzer.Marks(n) << 2 }
	for text, want := range map[string]analyzer.Marks{
		"":                                     0,
		"The build is green.":                  0,
		"I think so":                           self(1),
		"I'm here, we’re there, and my mother": self(2),
		"You and yours. You, your, YOU, you!":  you(4),
		"It took 3 hours":                      analyzer.MarkNumber,
		"port5432":                             analyzer.MarkNumber,
		"We met in Paris":                      self(1),
		"in the end":                           0,
		"in May":                               analyzer.MarkDate,
		"from me":                              self(1),
		"since 1999":                           analyzer.MarkNumber | analyzer.MarkDate,
		"on 2024-03-01":                        analyzer.MarkNumber | analyzer.MarkDate,
		"last week, on Monday":                 analyzer.MarkDate,
		`She read "Becoming Nicole"`:           analyzer.MarkQuote,
		`a "quoted" word and "Another"`:        analyzer.MarkQuote,
		`a stray " Mark`:                       0,
		"Is it?":                               analyzer.MarkAsks,
		"我们昨天在北京市":                             self(1) | analyzer.MarkDate,
		"你好，您好":                                you(2),
		"三个人":                                  analyzer.MarkNumber,
		"5月7日":                                 analyzer.MarkNumber | analyzer.MarkDate,
		"看《红楼梦》":                               analyzer.MarkTitle,
		"明年上个月周末":                              analyzer.MarkDate,
		"你说“Foo”吗？":                            you(1) | analyzer.MarkQuote | analyzer.MarkAsks,
	} {
		rec := record("/a", string(jsontext.AppendString([]byte(`{"text":`), text))+"}", 0)
		c := newCollector()
		if c.collect(&rec); c.marker.All() != want {
			t.Errorf("%q is marked %b, want %b", text, c.marker.All(), want)
		}
		tail := NewTail()
		tail.Add(rec)
		if err := tail.prepare(nil); err != nil || tail.docs[0].marks != want {
			t.Errorf("%q in the tail: %b, want %b (%v)", text, tail.docs[0].marks, want, err)
		}
	}
}

// How a record speaks is told by what it says, not by its key, its tags or what stands beside.
func TestMarksAreOfWhatIsSaid(t *testing.T) {
	rec := record("/my/1999/you", `{"tags":["my","you"],"other":"I read \"Foo\" in Paris"}`, 0)
	c := newCollector()
	if c.collect(&rec); c.marker.All() != 0 {
		t.Errorf("it is marked %b", c.marker.All())
	}
}

func TestWhatQueriesAskFor(t *testing.T) {
	for text, want := range map[string]asked{
		"what is it":                           {},
		"How many are there":                   {amount: true},
		"so many of them":                      {},
		"where and when?":                      {when: true},
		"What book did Anna read":              {title: true},
		"有几个，什么时候":                             {amount: true, when: true},
		"叫什么名字":                                {title: true},
		strings.Repeat("x ", 100) + "how much": {amount: true},
	} {
		if got := askedIn(text); got != want {
			t.Errorf("%q asks %+v, want %+v", text, got, want)
		}
	}
}

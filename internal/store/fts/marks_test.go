package fts

import (
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/base/jsontext"
)

func TestMarksOfTexts(t *testing.T) {
	self := func(n int) marks { return marks(n) }
	you := func(n int) marks { return marks(n) << 2 }
	for text, want := range map[string]marks{
		"":                                     0,
		"The build is green.":                  0,
		"I think so":                           self(1),
		"I'm here, we’re there, and my mother": self(2),
		"You and yours. You, your, YOU, you!":  you(4),
		"It took 3 hours":                      markNumber,
		"port5432":                             markNumber,
		"We met in Paris":                      self(1),
		"in the end":                           0,
		"in May":                               markDate,
		"from me":                              self(1),
		"since 1999":                           markNumber | markDate,
		"on 2024-03-01":                        markNumber | markDate,
		"last week, on Monday":                 markDate,
		`She read "Becoming Nicole"`:           markQuote,
		`a "quoted" word and "Another"`:        markQuote,
		`a stray " Mark`:                       0,
		"Is it?":                               markAsks,
		"我们昨天在北京市":                             self(1) | markDate,
		"你好，您好":                                you(2),
		"三个人":                                  markNumber,
		"5月7日":                                 markNumber | markDate,
		"看《红楼梦》":                               markTitle,
		"明年上个月周末":                              markDate,
		"你说“Foo”吗？":                            you(1) | markQuote | markAsks,
	} {
		rec := record("/a", string(jsontext.AppendString([]byte(`{"text":`), text))+"}", 0)
		c := newCollector()
		if c.collect(&rec); c.marker.all() != want {
			t.Errorf("%q is marked %b, want %b", text, c.marker.all(), want)
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
	if c.collect(&rec); c.marker.all() != 0 {
		t.Errorf("it is marked %b", c.marker.all())
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

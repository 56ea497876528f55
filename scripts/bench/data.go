package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/set-memory/mem/scripts/harness"
)

// A record is what `mem set` takes; content and source are JSON.
type record struct{ key, text, content, source string }

const (
	textWords = 40
)

// Words with few and with many answers: 1 in 5,000 records has the first, 6 in 7 the second.
var (
	rareWord   = harness.Word(20_000)
	commonWord = harness.Word(0)
	aPrompt    = harness.Word(300) + " " + harness.Word(2000) + " " + rareWord
)

var (
	chinese = []string{"牙科复诊改到周一上午", "喜欢简短的回答", "数据库只读", "发布推迟到周四", "部署前先跑测试"}
	tags    = []string{"go", "deploy", "style", "health", "billing", "database", "日程", "偏好"}
	firstAt = time.Date(2025, 3, 1, 8, 0, 0, 0, time.UTC)
)

// recordAt returns record i. It depends on i alone, so a store of 1,000 records is the beginning of
// a store of 100,000.
func recordAt(i int) record {
	r := rand.New(rand.NewPCG(uint64(i), 0x7072))
	key, kind := keyAt(i)
	tag, text := r.IntN(len(tags)), textOf(r)
	return record{
		key: key, text: text,
		content: fmt.Sprintf(`{"type":%q,"text":%q,"tags":[%q,%q],"importance":%v}`,
			kind, text, tags[tag], tags[(tag+1)%len(tags)], float64(r.IntN(11))/10),
		source: fmt.Sprintf(`{"kind":"user","name":"chat","retrieved_at":%q,`+
			`"locator":{"conversation":"c%04d","turn":%d}}`,
			firstAt.Add(time.Duration(i)*time.Minute).Format(time.RFC3339), i/50, i%50),
	}
}

// line is the record as `mem set -` takes it.
func (r record) line() string {
	return fmt.Sprintf(`{"key":%q,"content":%s,"source":%s}`, r.key, r.content, r.source)
}

// keyAt spreads the records over a few wide and many narrow folders, one of them with a name that
// is not ASCII.
func keyAt(i int) (key, kind string) {
	switch i % 4 {
	case 0:
		return fmt.Sprintf("/user/fact/%06d", i), "preference"
	case 1:
		return fmt.Sprintf("/project/p%02d/decision/%06d", i/4%40, i), "decision"
	case 2:
		return fmt.Sprintf("/note/s%03d/m-%d", i/1000, i), "note"
	default:
		return fmt.Sprintf("/user/日程/%06d_周会", i), "finding"
	}
}

func newName(i int) string { return fmt.Sprintf("%06d", i) }

// scattered walks all over 0..n-1, so that neighbours in a series are not neighbours in a store.
// The step is a prime.
func scattered(i, n int) int { return i * 7919 % n }

// textOf returns words of a made-up vocabulary, each as frequent as the words of a language are
// (Zipf), so that one query has few answers and another one has many. One text in four ends in
// Chinese.
func textOf(r *rand.Rand) string {
	var said []string
	for range textWords {
		said = append(said, harness.Word(harness.Zipf(r)))
	}
	if r.IntN(4) == 0 {
		said = append(said, chinese[r.IntN(len(chinese))])
	}
	return strings.Join(said, " ")
}

// promptEvent is the first prompt of conversation i, so that nothing counts as delivered before.
func promptEvent(i int) []byte {
	session := fmt.Sprintf("5c1f3a86-2f0e-4c57-9d3b-%012d", i)
	return hookEvent("UserPromptSubmit", aPrompt, session)
}

func hookEvent(name, prompt, session string) []byte {
	return hookEventIn("/", name, prompt, session)
}

func hookEventIn(dir, name, prompt, session string) []byte {
	return fmt.Appendf(nil, `{"session_id":%q,"cwd":%q,"hook_event_name":%q,"prompt":%q}`,
		session, dir, name, prompt)
}

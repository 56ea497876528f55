package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"time"
)

const (
	minContent = 150 // bytes
	maxContent = 400
)

// The members are declared in the order they are written in, so the same record is the same bytes everywhere.
type (
	record struct {
		Key     string  `json:"key"`
		Content content `json:"content"`
		Source  source  `json:"source"`
	}
	content struct {
		Type       string   `json:"type"`
		Text       string   `json:"text"`
		Tags       []string `json:"tags"`
		Importance float64  `json:"importance"`
	}
	source struct {
		Kind        string  `json:"kind"`
		Name        string  `json:"name"`
		RetrievedAt string  `json:"retrieved_at"`
		Locator     locator `json:"locator"`
	}
	locator struct {
		Conversation string `json:"conversation"`
		Turn         int    `json:"turn"`
	}
)

var (
	// All phrases are short, so that content can come close to any wanted length.
	english = []string{
		"the release moved to Thursday", "prefers short answers", "tabs over spaces", "the staging database is read-only",
		"ask before deleting branches", "the API returns 429 at night", "coffee without sugar", "reviews happen after lunch",
		"the parser keeps byte offsets", "latency doubled after the upgrade", "the dentist is on Elm Street", "logs rotate weekly",
		"use the blue theme", "the invoice number starts with 7", "Maria owns the billing service", "tests run on two cores",
	}
	chinese = []string{"牙科复诊改到周一上午", "喜欢简短的回答", "数据库只读", "发布推迟到周四", "会议在三楼", "日志每周轮转", "部署前先跑测试", "咖啡不加糖"}
	tags    = []string{"go", "deploy", "style", "health", "billing", "database", "review", "日程", "偏好", "meeting"}
	firstAt = time.Date(2025, 3, 1, 8, 0, 0, 0, time.UTC)
)

// recordAt returns record i. It depends on i alone, so a store of 1,000 records is the beginning of a store of 100,000.
func recordAt(i int) record {
	r := rand.New(rand.NewPCG(uint64(i), 0x6d656d))
	key, kind := keyAt(i)
	return record{
		Key:     key,
		Content: contentOf(r, kind),
		Source: source{
			Kind:        "user",
			Name:        "chat",
			RetrievedAt: firstAt.Add(time.Duration(i) * time.Minute).Format(time.RFC3339),
			Locator:     locator{Conversation: fmt.Sprintf("c%04d", i/50), Turn: i % 50},
		},
	}
}

// keyAt spreads the records over a few wide and many narrow folders, one of them with a name that is not ASCII.
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

func contentOf(r *rand.Rand, kind string) content {
	c := content{
		Type:       kind,
		Tags:       []string{tags[r.IntN(len(tags))], tags[r.IntN(len(tags))]},
		Importance: float64(r.IntN(11)) / 10,
	}
	if c.Tags[0] == c.Tags[1] {
		c.Tags = c.Tags[:1]
	}
	phrases := english
	if r.IntN(4) == 0 {
		phrases = chinese
	}
	c.Text = textOf(r, phrases, wantedBytes(r)-len(encode(c)))
	return c
}

// wantedBytes is mostly near the minimum, the way memories are, with a tail up to what leaves room for one more phrase.
func wantedBytes(r *rand.Rand) int {
	u := r.Float64()
	return minContent + int(u*u*(maxContent-minContent-40))
}

// textOf joins phrases until they are at least size bytes.
func textOf(r *rand.Rand, phrases []string, size int) string {
	text := []byte(phrases[r.IntN(len(phrases))])
	for len(text) < size {
		text = append(text, "; "...)
		text = append(text, phrases[r.IntN(len(phrases))]...)
	}
	return string(text)
}

// encode gives compact JSON that keeps < > & and Chinese readable. The types here cannot fail to encode.
func encode(v any) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err)
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
}

func writeRecords(w io.Writer, n int) error {
	out := bufio.NewWriter(w)
	for i := range n {
		out.Write(encode(recordAt(i))) // a failure stays in out and comes back from Flush
		out.WriteByte('\n')
	}
	return out.Flush()
}

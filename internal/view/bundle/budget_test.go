package bundle_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/bundle"
	"github.com/tiktoken-go/tokenizer"
)

// texts of every class that tokenizers treat in their own way, long enough to fill any section.
var classes = map[string]string{
	"English": "The deploy of the billing service went well, and nobody had to be woken up. ",
	"code":    "func (r *Reader) deploy(ctx context.Context) error { return r.err }\n",
	"JSON":    `{"deploy":{"id":48151,"ok":true,"tags":["a-b","c_d"],"at":"2026-02-22T10:00:00Z"}}` + "\n",
	"Chinese": "部署顺利完成，deploy 没有人被叫醒。计费服务在凌晨两点重新启动。",
	"odd":     "deploy \u200d👩‍💻 ½ ﷽ a\u0301b ///////// 0x7fff --- \t\t\n",
}

// fillAll stores more for each section than it holds.
func (l *lab) fillAll() {
	n := 0
	for name, text := range classes {
		for i := range 12 {
			n++
			long := fmt.Sprintf("%s %d: %s", name, n, strings.Repeat(text, 4+i*6))
			l.record(message("s1", long))
			l.record(result("s2", fmt.Sprintf("log%d", n), strings.Repeat(long, 3)))
			l.Import(fmt.Sprintf("/rules/project/r%d", n), `{"text":`+quote(long)+`}`)
			l.Import(fmt.Sprintf("/task/task_%026d", n), `{"type":"task","status":"open","title":`+
				quote(long[:100]+fmt.Sprint(n))+`}`)
			l.Import(fmt.Sprintf("/decision/dec_%026d", n), `{"type":"decision","decision":`+
				quote(long)+`}`)
		}
	}
	var all strings.Builder
	for range 60 {
		for _, text := range classes {
			all.WriteString(text)
		}
	}
	l.Import("/agent/ada/identity", `{"text":`+quote(all.String())+`}`)
	l.Import("/handoff/s1/ada", `{"text":`+quote(strings.Repeat(all.String(), 4))+`}`)
}

func quote(text string) string {
	return strings.TrimSuffix(strings.TrimPrefix(string(textContent(strings.ToValidUTF8(text, ""))),
		`{"text":`), "}")
}

// No bundle passes its budget less the reserve, by real tokenizers, whatever is in it, and its
// print does not either (B-03, B-45).
func TestBudgetIsNeverPassed(t *testing.T) {
	var codecs []tokenizer.Codec
	for _, name := range []tokenizer.Encoding{tokenizer.Cl100kBase, tokenizer.O200kBase} {
		codec, err := tokenizer.Get(name)
		if err != nil {
			t.Fatal(err)
		}
		codecs = append(codecs, codec)
	}
	l := newLab(storetest.NewStore(t, storetest.Memory))
	l.fillAll()
	for _, most := range []int{0, 1, 10, 500, 8_000, 30_000, 64_999, 65_000} {
		for _, asText := range []bool{false, true} {
			r := ask("how did the deploy of billing 计费 go?")
			r.MaxTokens, r.AsText = &most, asText
			b := l.build(r)
			printed := b.Text()
			if !asText {
				printed = joined(b)
			}
			usable := most * 56_200 / 65_000
			for i, codec := range codecs {
				n, err := codec.Count(printed)
				if err != nil || n > usable {
					t.Errorf("%d tokens, text %v: codec %d counts %d, at most %d (%v)", most,
						asText, i, n, usable, err)
				}
				if most >= 30_000 && n < usable*3/5 {
					t.Errorf("%d tokens, text %v: only %d are used", most, asText, n)
				}
			}
			if b.Used > usable || b.Budget != most {
				t.Errorf("%d tokens: %d of %d are said to be used", most, b.Used, b.Budget)
			}
			checkCaps(t, b, most)
		}
	}
}

// joined is the texts of all items.
func joined(b bundle.Bundle) string {
	var all strings.Builder
	for _, s := range b.Sections {
		for _, it := range s.Items {
			all.WriteString(it.Text + "\n")
		}
	}
	return all.String()
}

// checkCaps checks that each section has at most its own tokens and what those before it, in the
// order in which they are filled, have left, and the evidence no more than its own.
func checkCaps(t *testing.T, b bundle.Bundle, most int) {
	used, sum, last := map[string]int{}, 0, ""
	for _, s := range b.Sections {
		if len(s.Items) == 0 {
			t.Errorf("%s has no items", s.Name)
		}
		used[s.Name], sum, last = s.Tokens, sum+s.Tokens, s.Name
	}
	room := 0
	for _, section := range []struct {
		name string
		most int
	}{{"identity", 1_200}, {"rules", 6_000}, {"task_state", 3_000}, {"decision_ledger", 4_000},
		{"handoff_packet", 6_000}, {"recent_window", 8_000}, {"retrieved_evidence", 28_000}} {
		own := section.most * most / 65_000
		if room += own; section.name == "retrieved_evidence" {
			room = own
		}
		if room -= used[section.name]; room < 0 {
			t.Errorf("%d tokens: %s has %d too many", most, section.name, -room)
		}
	}
	if sum != b.Used || most > 8_000 && (len(b.Sections) != 7 || last != "recent_window") {
		t.Errorf("%d sections of %d tokens, %d are used", len(b.Sections), sum, b.Used)
	}
	if most == 0 && (len(b.Sections) != 0 || b.Text() != "") {
		t.Errorf("no tokens: %+v", b.Sections)
	}
}

// What a section does not use goes to the next one, and what has no room is listed.
func TestSectionsLend(t *testing.T) {
	l := newLab(storetest.NewStore(t, storetest.Memory))
	for n := range 60 {
		l.record(message("s1", fmt.Sprintf("%d: %s", n, strings.Repeat(classes["English"], 40))))
	}
	b := l.build(ask(""))
	if len(b.Sections) != 1 || b.Used < 27_000 || b.Used > 28_200 {
		t.Errorf("%d sections of %d tokens", len(b.Sections), b.Used)
	}
	if len(b.Omissions) != 1 || b.Omissions[0].Section != "recent_window" ||
		len(b.Omissions[0].Candidates) != 1 {
		t.Errorf("%+v", b.Omissions)
	}
	for n := range 30 {
		l.Import(fmt.Sprintf("/rules/project/r%d", n), `{"text":`+quote(fmt.Sprintf("%d: %s", n,
			strings.Repeat(classes["English"], 40)))+`}`)
	}
	b = l.build(ask(""))
	o := b.Omissions[0]
	if o.Reason != "budget" || o.Section != "rules" || len(o.Candidates) == 0 ||
		!strings.HasPrefix(o.Candidates[0], "/rules/project/r") ||
		len(o.Candidates)+o.More+len(b.Sections[0].Items) < 30 {
		t.Errorf("%+v beside %d items", o, len(b.Sections[0].Items))
	}
}

// A budget that is none is refused.
func TestBudgetIsChecked(t *testing.T) {
	l := newLab(storetest.NewStore(t, storetest.Memory))
	for _, most := range []int{-1, 65_001} {
		r := ask("")
		r.MaxTokens = &most
		_, err := bundle.Build(ctx, l.book, r)
		if err == nil || !strings.Contains(err.Error(), "max_tokens") {
			t.Errorf("%d: %v", most, err)
		}
	}
}

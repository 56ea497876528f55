package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/set-memory/mem/scripts/harness"
)

// locomoSample is one of the ten conversations. Captions of images (blip_caption) were made by a
// model and are nothing that anybody said, so they are not read.
type locomoSample struct {
	ID           string                     `json:"sample_id"`
	Conversation map[string]json.RawMessage `json:"conversation"`
	QA           []struct {
		Question string   `json:"question"`
		Evidence []string `json:"evidence"`
	} `json:"qa"`
}

type locomoTurn struct {
	Speaker string `json:"speaker"`
	ID      string `json:"dia_id"`
	Text    string `json:"text"`
}

// locomoEvidence finds an id. Some evidence is several in one string ("D8:6; D9:17"), some has a
// zero too many.
var locomoEvidence = regexp.MustCompile(`D(\d+):0*(\d+)`)

// readLocomo makes a record of each turn or of each session, and takes either for the evidence.
func readLocomo(bySession bool) func(in []io.Reader, yield func(haystack)) {
	return func(in []io.Reader, yield func(haystack)) {
		eachValue(in[0], func(n int, s locomoSample) {
			if s.ID == "" {
				s.ID = fmt.Sprintf("conv-%d", n)
			}
			h := haystack{}
			for n := range len(s.Conversation) { // each member is a session at most
				harness.Within(fmt.Sprintf("%s: session %d", s.ID, n), func() {
					s.store(n, bySession, &h)
				})
			}
			s.ask(bySession, &h)
			yield(h)
		})
	}
}

// store adds a session, if there is one of the number: half a minute for each turn, or one text as
// it was said. A time alone is no session.
func (s locomoSample) store(n int, bySession bool, h *haystack) {
	name := fmt.Sprintf("session_%d", n)
	session, ok := s.Conversation[name]
	if !ok {
		return
	}
	var turns []locomoTurn
	harness.Check(json.Unmarshal(session, &turns))
	at := harness.Must(time.Parse(`"3:04 pm on 2 January, 2006"`, string(s.Conversation[name+"_date_time"])))
	key := fmt.Sprintf("/%s/session-%02d", s.ID, n)
	text := ""
	for i, turn := range turns {
		text += turn.Speaker + ": " + turn.Text + "\n"
		if !bySession {
			h.records = append(h.records, record{
				id: turn.ID, Key: key + "/" + strings.ReplaceAll(turn.ID, ":", "-"),
				TS:      at.Add(time.Duration(i) * 30 * time.Second),
				Content: map[string]string{"speaker": turn.Speaker, "text": turn.Text},
			})
		}
	}
	if bySession {
		content := map[string]string{"text": text}
		h.records = append(h.records, record{id: name, Key: key, TS: at, Content: content})
	}
}

func (s locomoSample) ask(bySession bool, h *haystack) {
	for i, qa := range s.QA {
		q := question{ID: fmt.Sprintf("%s-q%03d", s.ID, i), Query: qa.Question}
		for _, m := range locomoEvidence.FindAllStringSubmatch(strings.Join(qa.Evidence, " "), -1) {
			id := "D" + m[1] + ":" + m[2]
			if bySession {
				id = "session_" + m[1]
			}
			q.Gold = append(q.Gold, id)
		}
		h.ask(q)
	}
}

// longMemEval is a question with the sessions that it is asked over.
type longMemEval struct {
	ID       string   `json:"question_id"`
	Question string   `json:"question"`
	Date     string   `json:"question_date"`
	IDs      []string `json:"haystack_session_ids"`
	Dates    []string `json:"haystack_dates"`
	Sessions [][]struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"haystack_sessions"`
	Evidence []string `json:"answer_session_ids"`
}

const longMemEvalTime = "2006/01/02 (Mon) 15:04"

func readLongMemEval(in []io.Reader, yield func(haystack)) {
	eachValue(in[0], func(_ int, q longMemEval) {
		var h haystack
		harness.Within(q.ID, func() { h = q.haystack() })
		yield(h)
	})
}

// haystack makes a record of each session. Its key is its place and not its id, for the ids tell
// which sessions hold the answer.
func (q longMemEval) haystack() (h haystack) {
	if len(q.IDs) != len(q.Sessions) || len(q.Dates) != len(q.Sessions) {
		harness.Failf("not each session has an id and a date")
	}
	for i, session := range q.Sessions {
		at := harness.Must(time.Parse(longMemEvalTime, q.Dates[i]))
		var text strings.Builder
		for _, turn := range session {
			text.WriteString(turn.Role + ": " + turn.Content + "\n")
		}
		h.records = append(h.records, record{
			id: q.IDs[i], Key: fmt.Sprintf("/chat/%03d", i), TS: at,
			Content: map[string]string{"text": text.String()},
		})
	}
	now := harness.Must(time.Parse(longMemEvalTime, q.Date))
	h.ask(question{ID: q.ID, Query: q.Question, Gold: q.Evidence, now: now})
	return h
}

type madialMemory struct {
	Time    string `json:"time"`
	Scene   string `json:"scene"`
	Emotion string `json:"emotion"`
	Event   string `json:"event"`
	User    int    `json:"user-id"` // in the Chinese file alone
}

// madialDialogue is a dialogue of a child with an assistant.
type madialDialogue struct {
	Turns    []string      `json:"dialogue"`
	Tests    []int         `json:"test-turn"` // at which a memory should be brought up
	Relevant []json.Number `json:"relevant-id"`
	User     int           `json:"user-id"`
}

var madialChild = regexp.MustCompile(`<(\w+)>:`)

// readMADial makes a store for each child: the authors rank only the memories of who speaks. Whose
// a memory is, the English file says only by the name in it.
func readMADial(in []io.Reader, yield func(haystack)) {
	var memories []map[string]madialMemory
	eachValue(in[0], func(_ int, line map[string]madialMemory) {
		memories = append(memories, line)
	})
	stores := map[int]*haystack{}
	eachValue(in[1], func(n int, d madialDialogue) {
		if stores[d.User] == nil {
			stores[d.User] = d.memories(memories)
		}
		d.ask(fmt.Sprintf("d%03d", n), stores[d.User])
	})
	for _, user := range slices.Sorted(maps.Keys(stores)) {
		yield(*stores[user])
	}
}

// memories returns those of the child in a dialogue.
func (d madialDialogue) memories(lines []map[string]madialMemory) *haystack {
	child := madialChild.FindStringSubmatch(strings.Join(d.Turns, ""))
	if child == nil {
		harness.Failf("user %d: nobody speaks in the first dialogue", d.User)
	}
	h := &haystack{}
	for _, line := range lines {
		for id, m := range line {
			if m.User != d.User && (m.User != 0 || !strings.Contains(m.Event, child[1])) {
				continue
			}
			day, err := time.Parse(time.DateOnly, m.Time)
			if err != nil {
				harness.Failf("memory %s: %w", id, err)
			}
			h.records = append(h.records, record{
				id: id, Key: "/memory/" + id, TS: day.Add(12 * time.Hour),
				Content: map[string]any{"text": m.Event, "tags": []string{m.Scene, m.Emotion}},
			})
		}
	}
	return h
}

// madialMarks are those around speech, and those that a search would take for syntax: a turn in
// quotation marks would be a phrase that each hit must have.
var madialMarks = strings.NewReplacer("<BOD>", " ", "<EOD>", " ", "<", " ", ">", " ", `"`, " ",
	"*", " ", " -", " ")

// ask adds the query of the authors: all speech before the first test turn.
func (d madialDialogue) ask(id string, h *haystack) {
	turns := d.Turns
	if len(d.Tests) > 0 {
		turns = turns[:min(max(d.Tests[0], 0), len(turns))]
	}
	words := strings.Fields(madialMarks.Replace(strings.Join(turns, "\n")))
	q := question{ID: id, Query: strings.Join(words, " ")}
	for _, relevant := range d.Relevant {
		q.Gold = append(q.Gold, relevant.String())
	}
	h.ask(q)
}

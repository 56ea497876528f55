package bundle_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/test/storetest"
	"github.com/set-memory/mem/internal/view/bundle"
	"github.com/set-memory/mem/internal/view/journal"
	"github.com/set-memory/mem/log"
)

// told is which channels hear of a record of a channel and sensitivity, written out by hand.
func told(channel, level string) string {
	byChannel := map[string]string{"private": "private", "team": "private team agent",
		"agent": "private agent", "public": "private team agent public"}[channel]
	byLevel := map[string]string{"none": "private team agent public", "low": "private team agent",
		"high": "private team", "secret": ""}[level]
	var both []string
	for _, c := range strings.Fields(byChannel) {
		if slices.Contains(strings.Fields(byLevel), c) {
			both = append(both, c)
		}
	}
	return strings.Join(both, " ")
}

// fillLabels stores a record of every kind for each channel and sensitivity, and returns who is
// told of which key.
func (l *lab) fillLabels() (all map[string]string) {
	all = map[string]string{}
	put := func(key, text, told string) {
		l.Import(key, text)
		all[key] = told
	}
	n := 0
	for _, channel := range content.Channels() {
		for _, level := range content.Sensitivities() {
			to := told(channel, level)
			label := fmt.Sprintf(`"channel":%q,"sensitivity":%q`, channel, level)
			word := fmt.Sprintf("heron %s%s", channel, level)
			for _, kind := range []string{"message", "tool_result"} {
				for _, session := range []string{"s1", "s2"} {
					n++
					put(fmt.Sprintf("/event/%s/evt_%026d", session, n), fmt.Sprintf(`{"type":%q,`+
						`"session_id":%q,%s,"actor":{"type":"human","id":"user"},"content":{"text":`+
						`"the %s flies %d"},"chunker":1}`, kind, session, label, word, n), to)
				}
			}
			n++
			put(fmt.Sprintf("/decision/dec_%026d", n), fmt.Sprintf(
				`{"type":"decision","decision":"decided %s","status":"active",%s}`, word, label), to)
			put(fmt.Sprintf("/task/task_%026d", n), fmt.Sprintf(
				`{"type":"task","title":"task %s","status":"open",%s}`, word, label), to)
			put("/rules/project/"+channel+level, fmt.Sprintf(`{"text":"rule %s",%s}`, word, label), to)
			put("/note/workspace/"+channel+level, fmt.Sprintf(`{"text":"note %s",%s}`, word, label), to)
			notPublic := strings.TrimSuffix(to, " public")
			put("/user/preference/"+channel+level,
				fmt.Sprintf(`{"type":"preference","text":"prefers %s",%s}`, word, label), notPublic)
		}
	}
	const placed = "private team agent"
	put("/rules/org/plain", `{"text":"a plain rule on the heron"}`, placed)
	put("/rules/user/tone", `{"type":"preference","text":"a preference among rules, heron"}`, "private")
	put("/agent/ada/identity", `{"text":"Ada, who knows the heron"}`, placed)
	put("/handoff/s1/ada", `{"type":"handoff","text":"the heron is yours"}`, placed)
	put("/handoff/s1/bob", `{"type":"handoff","text":"bob's heron"}`, "")
	put("/project/plain", `{"text":"a plain heron"}`, "private")
	put("/untrusted/project/x", `{"text":"an untrusted heron"}`, "")
	put("/session/talk/mem_01ARZ3NDEKTSV4RRFFQ69G5FAV", `{"type":"finding","finding":"heron said"}`, "")
	put("/memories/a.md", `{"text":"a file on the heron"}`, "")
	put("/note/session/x", `{"text":"a session's heron"}`, "")
	return all
}

// The bundle of a channel is to the byte that of a store that never had what may not be told in it,
// whatever is asked (B-48 to B-52): sections, omissions, pool and scores.
func TestChannelsHearNothingElse(t *testing.T) {
	eachLab(t, func(t *testing.T, l *lab) {
		all := l.fillLabels()
		_, err := journal.Save(ctx, l.Store.Store, mem.Caller{}, journal.Core,
			"bob fears the heron", journal.Options{Agent: "bob"})
		l.Must(err)
		queries := []string{"", "heron", "the plain heron of ada", "bob fears the heron", "flies 3"}
		for _, c := range content.Channels() {
			for _, s := range content.Sensitivities() {
				queries = append(queries, "decided heron "+c+s)
			}
		}
		swept := 0
		for _, channel := range content.Channels() {
			less := newLab(storetest.NewStore(t, kindOf(l.Store)))
			less.Clock = l.Clock
			l.copyTold(less, all, channel)
			for _, query := range queries {
				r := ask(query)
				r.Channel = channel
				got, want := asJSON(l.build(r)), asJSON(less.build(r))
				if got != want {
					t.Fatalf("%s, %q:\n%s\nwithout the others:\n%s", channel, query, got, want)
				}
				swept++
				for key, to := range all {
					if !slices.Contains(strings.Fields(to), channel) && strings.Contains(got, key) {
						t.Errorf("%s hears of %s", channel, key)
					}
				}
			}
			if channel == "private" && len(less.All()) < 100 {
				t.Errorf("only %d records are told in private", len(less.All()))
			}
		}
		if swept < 80 {
			t.Errorf("%d bundles", swept)
		}
	})
}

func kindOf(s *storetest.Store) storetest.Kind {
	if s.Root == "" {
		return storetest.Memory
	}
	return storetest.Files
}

// copyTold copies what a channel is told of to another store.
func (l *lab) copyTold(to *lab, all map[string]string, channel string) {
	l.T.Helper()
	var lines strings.Builder
	l.Must(l.List(ctx, mem.Caller{}, mem.Filter{}, func(rec log.Record) error {
		if slices.Contains(strings.Fields(all[rec.Key.String()]), channel) {
			lines.Write(rec.Line)
			lines.WriteByte('\n')
		}
		return nil
	}))
	_, err := to.SetAll(ctx, mem.Caller{}, strings.NewReader(lines.String()),
		mem.BatchOptions{Force: true})
	l.Must(err)
}

func asJSON(b bundle.Bundle) string {
	text, err := json.Marshal(b)
	if err != nil {
		panic(err)
	}
	return string(text)
}

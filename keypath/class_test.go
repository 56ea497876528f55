package keypath

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const ulid = "01ARZ3NDEKTSV4RRFFQ69G5FAV"

// The class of a key is that of its whole grammar: what only begins like it is of another.
func TestRealms(t *testing.T) {
	lower := strings.ToLower(ulid)
	for key, want := range map[string]Realm{
		"/agent/ada/journal/" + ulid:         {Class: Private, Owner: "ada"},
		"/agent/ada/core/" + ulid:            {Class: Private, Owner: "ada"},
		"/agent/牙科/core/" + lower:            {Class: Private, Owner: "牙科"},
		"/agent/ada/journal/" + ulid + "/x":  {Class: Personal},
		"/agent/ada/journal/" + ulid[1:]:     {Class: Personal},
		"/agent/ada/journal/" + ulid + "A":   {Class: Personal},
		"/agent/ada/journal/U" + ulid[1:]:    {Class: Personal},
		"/agent/ada/notes/" + ulid:           {Class: Personal},
		"/agent/ada/x/journal/" + ulid:       {Class: Personal},
		"/agent/journal/" + ulid:             {Class: Personal},
		"/agents/ada/journal/" + ulid:        {Class: Open},
		"/session/s1/mem_" + ulid:            {Class: Remembered},
		"/session/s1/mem_" + lower:           {Class: Remembered},
		"/session/s1/mem_" + ulid + "/x":     {Class: Open},
		"/session/s1/" + ulid:                {Class: Open},
		"/session/s1/mem-" + ulid:            {Class: Open},
		"/session/s1/a/mem_" + ulid:          {Class: Open},
		"/session/mem_" + ulid:               {Class: SessionInfo},
		"/session/s1":                        {Class: SessionInfo},
		"/session/sess_20260110_user123":     {Class: SessionInfo},
		"/session/s-1":                       {Class: Open},
		"/session/牙":                         {Class: Open},
		"/session/s1/x":                      {Class: Open},
		"/session":                           {Class: Open},
		"/untrusted/agent/a/journal/" + ulid: {Class: Quarantined, Owner: "a"},
		"/untrusted/agent/a/notes":           {Class: Quarantined},
		"/note/session/m-1":                  {Class: Session},
		"/user/x":                            {Class: Personal},
		"/event/s1/evt_" + ulid:              {Class: Event},
		"/event/s1/evt_" + lower:             {Class: Event},
		"/event/s-1/evt_" + ulid:             {Class: Event},
		"/event/s1/evt_" + ulid + "/x":       {Class: Open},
		"/event/s1/a/evt_" + ulid:            {Class: Open},
		"/event/evt_" + ulid:                 {Class: Open},
		"/event/s1":                          {Class: Open},
		"/artifact/art_" + ulid:              {Class: Artifact},
		"/artifact/x/art_" + ulid:            {Class: Open},
		"/artifact/evt_" + ulid:              {Class: Open},
		"/handoff/s1/ada":                    {Class: Handoff},
		"/handoff/s1":                        {Class: Open},
		"/handoff/s1/ada/x":                  {Class: Open},
		"/handoff/s-1/ada":                   {Class: Handoff},
		"/memories":                          {Class: File},
		"/memories/a/b.md":                   {Class: File},
		"/memoriesx":                         {Class: Open},
		"/untrusted/event/s1/evt_" + ulid:    {Class: Quarantined},
	} {
		if got := MustParse(key).Realm(); got != want {
			t.Errorf("%s is of %+v, want %+v", key, got, want)
		}
	}
}

// Only what is private has an owner, and that is the second segment of its key.
func TestOwnerIsASegment(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		segment := rapid.SampledFrom([]string{
			"agent", "journal", "core", "session", "mem_" + ulid, ulid, "ada", "é", "untrusted",
		})
		parts := rapid.SliceOfN(segment, 1, 5).Draw(t, "segments")
		key := MustParse("/" + strings.Join(parts, "/"))
		r := key.Realm()
		if r.Class == Quarantined {
			parts = parts[1:]
		}
		if r.Class != key.Class() || r.Class == Private && r.Owner == "" ||
			r.Class != Private && r.Class != Quarantined && r.Owner != "" ||
			r.Owner != "" && (len(parts) != 4 || r.Owner != parts[1]) {
			t.Fatalf("%s: %+v", key, r)
		}
	})
}

// A size counts what lies strictly below a conversation.
func TestSizedBelow(t *testing.T) {
	for key, want := range map[string]string{
		"/session/a/x":                    "/session/a",
		"/session/a/deep/er":              "/session/a",
		"/session/A_1/mem_x":              "/session/A_1",
		"/session/a":                      "",
		"/session/a-b/x":                  "",
		"/session/牙/x":                    "",
		"/session":                        "",
		"/sessions/a/x":                   "",
		"/untrusted/session/a/x":          "",
		"/note/session/a":                 "",
		"/session/" + longID("x"):         "",
		"/session/" + longID("x") + "/y":  "/session/" + longID("x"),
		"/session/" + longID("xx") + "/y": "",
	} {
		p, ok := MustParse(key).SizedBelow()
		if ok != (want != "") ||
			ok && (p.String() != want || !p.Sized() || !p.Holds(MustParse(key))) {
			t.Errorf("%s: %v %s, want %s", key, ok, p, want)
		}
	}
	for _, text := range []string{"/", "/session", "/session/a/x", "/session/a-b"} {
		if p, err := ParsePrefix(text); err != nil || p.Sized() {
			t.Errorf("%s: %v, sized %v", text, err, p.Sized())
		}
	}
	if _, ok := (Key{}).SizedBelow(); ok {
		t.Error("no key is below a conversation")
	}
}

// longID is an id of the greatest length, but for one character that is given.
func longID(last string) string { return strings.Repeat("i", MaxSessionID-1) + last }

package main

import (
	"fmt"
	"strings"
)

const (
	spokenText  = 1312                          // bytes of a text, for lines of sessionLine bytes
	spokenAt    = "2026-01-02T10:00:00.000000Z" // relevant for as long as nothing decays
	forgottenAt = "2020-01-02T10:00:00.000000Z" // long irrelevant
)

// spoken returns what is said in record i of a session, in spokenText bytes.
func spoken(i int) string {
	var said strings.Builder
	for n := 8 * i; said.Len() < spokenText; n++ {
		said.WriteString(recordAt(n).text + " ")
	}
	text := strings.ToValidUTF8(said.String()[:spokenText], "")
	return text + strings.Repeat(".", spokenText-len(text))
}

// spokenContent returns record i of a session as JSON.
func spokenContent(i int, at string) string {
	return fmt.Sprintf(`{"type":"conversation","session_id":%q,"timestamp":%q,"role":"user",`+
		`"message":%q,"importance":0.5,"tags":[%q],"schema_version":1}`,
		sessionID, at, spoken(i), tags[i%len(tags)])
}

// spokenLine returns record i of a session as `mem import` takes it.
func spokenLine(i int, at string) string {
	return fmt.Sprintf(`{"key":"/session/%s/%s","ts":%q,"content":%s,"source":%s}`,
		sessionID, spokenID(i), spokenAt, spokenContent(i, at), recordAt(i).source)
}

// spokenID is that of record i of a session.
func spokenID(i int) string { return fmt.Sprintf("mem_01KE00000000000000%08d", i) }

package secret

import (
	"strings"
	"testing"
)

// A token of a bot is known by its form, behind any word, in a URL and in notes.
func TestBotTokens(t *testing.T) {
	t.Parallel()
	d := newDraw()
	bot := func() string { return d.of("123456789", 10) + ":AA" + d.of(base58+"_-", 33) }
	for _, around := range []string{"telegram bot %", "%", "https://api.telegram.org/bot%/getMe",
		"alerts: %.", `{"bot":"%"}`, "BOT=%", "bot%", "the bot is at %, ask Ada", "(%)"} {
		for range 20 {
			text := strings.ReplaceAll(around, "%", bot())
			if ScanNote("content", quoted(text)) == nil || Scan("content", quoted(text)) == nil {
				t.Errorf("passes: %s", text)
			}
		}
	}
	for _, text := range []string{"1700000000:aa" + d.hex(16)[1:], "ratio 1431262778:1000000000",
		"sha256:aa" + d.hex(31), "10:AA", "123456:AA" + strings.Repeat("x", 33)} {
		if found := Scan("content", quoted(text)); found != nil {
			t.Errorf("refused: %s", text)
		}
	}
}

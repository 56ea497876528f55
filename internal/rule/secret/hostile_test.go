package secret

import (
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/test/testkit"
)

// A text made to be slow takes four times as long when it is four times as long, not sixteen times:
// each part of a scan passes over it a bounded number of times. The time is that of the processor
// (testkit.CPUTime): a long judgement loses its turn to other work more often than a short one.
func TestHostileTextsStayLinear(t *testing.T) {
	blob := strings.Repeat("aB3", 14)
	for name, piece := range map[string]string{
		"keywords": "key", "assignments": "key=", "odd assignments": "key=a1b2c3d4e5f6g7h8,",
		"quoted assignments": "token\":\"abc1,", "prefixes": "sk-", "ghp": "ghp_0",
		"markers": "token:", "bearers": "bearer ", "sentences": "password for ",
		"links": "token is ",
		"names": "password", "quoted markers": "password:'", "wide markers": "password：",
		"headers": "authorization: basic ", "users": "://a:", "commands": "sshpass -p",
		"elements": "<password>", "checksums": "h1:" + blob, "sums": "token: sha512-" + blob,
		"blobs":          blob + "-",
		"blobs in words": blob + ".", "base64": blob + "_", "urls": "://" + blob + "?",
		"blocks": "-----BEGIN " +
			blob, "curl": "curl -u ", "generic": "primary_key=\"abcd1234efgh5678\" ",
		"allowed": "api_key = youtube12345zip-67\n",
		"near":    "key a1b2 ", "lines": "token\n1\n", "earlier": "a1 is the password ",
		"pairs": "login / a1 ", "accounts": "root:a1", "codes": "pin 1,", "seeds": "seed word ",
		"pgpass": ":5432:a", "issued": "re_a1-", "cyrillic": "пароль от 1 ",
		"forms": "pat1/", "parts": "a1b2c3.a1b2c3d4e5f6g7h8_", "cut keys": "-----BEGIN PRIVATE " +
			"KEY-----\na:", "key headers": "a: -----BEGIN PRIVATE KEY-----\n",
		"ey": "eyJ", "digits": "4b1d0", "facebook": "facebook1234567890123456|",
	} {
		t.Run(name, func(t *testing.T) {
			staysLinear(t, piece, func(text []byte) { ScanNote("content", text) })
		})
	}
}

// So does the replacement of what such texts are full of.
func TestHostileTextsAreRedactedInLinearTime(t *testing.T) {
	blob := strings.Repeat("aB3", 14)
	for name, piece := range map[string]string{
		"passwords": "password=hunter2 ", "tokens": madeUp() + "\n", "in one word": madeUp() + "/",
		"prefixes": "-sk-a1b2c3", "long values": "token=x1y2z3w4,", "blobs": blob + " ",
		"generic": "api_key = abcd1234efgh5678 ", "in quotes": "\"password\":\"hunter2\",",
		"users": "https://ada:hunter2@x ", "escapes": "\n\"\\password=hunter2\t",
		"wide": "password：hunter２，", "marks": "[redacted: url-password]: abcd1234 ",
		"chains": "password is password is x1y2z3 ", "keys": "-----BEGIN PRIVATE KEY-----\n" +
			strings.Repeat(blob, 2) + "\n-----END PRIVATE KEY-----\n",
	} {
		t.Run(name, func(t *testing.T) {
			staysLinear(t, piece, func(text []byte) { Redact("content", text) })
		})
	}
}

// staysLinear judges a JSON string of many pieces, and one of four times as many.
func staysLinear(t *testing.T, piece string, judge func([]byte)) {
	t.Helper()
	timeOf := func(size int) time.Duration {
		text := quoted(strings.Repeat(piece, size/len(piece)))
		start := testkit.CPUTime()
		judge(text)
		return testkit.CPUTime() - start
	}
	short, long := time.Hour, time.Hour
	for range 20 {
		short, long = min(short, timeOf(1<<15)), min(long, timeOf(1<<17))
		if long < 20*time.Millisecond || long < 9*short {
			return
		}
	}
	t.Errorf("32 KiB of %q take %v, 128 KiB %v", piece, short, long)
}

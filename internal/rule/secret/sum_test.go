package secret

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"os"
	"strings"
	"testing"
)

// The checksums of go.sum and of lock files pass, whatever the module is called; a text of the same
// form but another length does not.
func TestChecksumsPass(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"../../../go.sum", "../../../tools/go.sum",
		"../../../tools/gitleaks/go.sum"} {
		sums, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(sums)) {
			if found := Scan("content", quoted(line)); found != nil {
				t.Errorf("%s: %v", line, found)
			}
		}
	}
	for range 200 {
		sum, long := sha256.Sum256([]byte(rand.Text())), sha512.Sum512([]byte(rand.Text()))
		mid := sha512.Sum384([]byte(rand.Text()))
		short, whole := base64.StdEncoding.EncodeToString(sum[:]),
			base64.StdEncoding.EncodeToString(long[:])
		for _, text := range []string{
			"golang.org/x/oauth2 v0.1.0 h1:" + short, "auth-token v1.2.3 h1:" + short,
			"api_key.go: h1:" + short + "\n", "token: h1:" + short,
			"integrity sha256-" + short, "\"integrity\": \"sha512-" + whole + "\"",
			"integrity: sha384-" + base64.StdEncoding.EncodeToString(mid[:]),
		} {
			if found := Scan("content", quoted(text)); found != nil {
				t.Errorf("%s: %v", text, found)
			}
		}
	}
	blob := strings.Repeat("aB3", 15)
	for _, text := range []string{"h1:" + blob, "sha512-" + blob[:43] + "=",
		"xh1:" + blob[:43] + "="} {
		if found := Scan("content", quoted(text)); found == nil {
			t.Errorf("%s passes", text)
		}
	}
}

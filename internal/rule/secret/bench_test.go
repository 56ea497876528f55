package secret

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/set-memory/mem/internal/base/jsontext"
)

// clean is ordinary content of 1 KB, with words that open rules.
var clean = jsontext.AppendString(nil, strings.Repeat("The API key rotation is done by the auth "+
	"service: it asks the vault for access, "+
	"authentication, authorization and a token that lasts an hour. 用户喜欢中文、偏好简洁。", 7)[:1020])

func BenchmarkClean1KB(b *testing.B) {
	b.SetBytes(int64(len(clean)))
	for b.Loop() {
		if found := Scan("content", clean); found != nil {
			b.Fatal(found)
		}
	}
}

// BenchmarkFirstCall is the first scan of a process, as every mem set makes it: index, pages and
// caches are cold.
func BenchmarkFirstCall(b *testing.B) {
	var took []float64
	for b.Loop() {
		cmd := exec.Command(os.Args[0], "-test.run=^$")
		cmd.Env = append(os.Environ(), firstCall+"=1")
		out, err := cmd.Output()
		if err != nil {
			b.Fatal(err)
		}
		ns, err := strconv.ParseFloat(string(out), 64)
		if err != nil {
			b.Fatal(err)
		}
		took = append(took, ns)
	}
	slices.Sort(took)
	b.ReportMetric(took[len(took)/2], "ns/first")
	b.ReportMetric(took[len(took)*9/10], "ns/first-p90")
}

const firstCall = "MEM_SECRET_FIRST_CALL"

func TestMain(m *testing.M) {
	if os.Getenv(firstCall) != "" {
		start := time.Now()
		Scan("content", clean)
		fmt.Print(time.Since(start).Nanoseconds())
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// short is ordinary content of 1 KB with short words, each of which could be of a wallet.
var short = jsontext.AppendString(nil, strings.Repeat("the men went there and they said nothing "+
	"when some more output came with short lines ", 12)[:1020])

func BenchmarkShortWords1KB(b *testing.B) {
	b.SetBytes(int64(len(short)))
	for b.Loop() {
		if found := Scan("content", short); found != nil {
			b.Fatal(found)
		}
	}
}

package readout

import (
	"bufio"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"go/build"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// corpus is texts of one class, each as long as a memory's text may be.
type corpus struct {
	class string
	texts []string
}

// corpora returns what the estimate is checked against: the samples in testdata, hashes, and the
// sources of the Go distribution, if it has them.
var corpora = sync.OnceValue(func() []corpus {
	classes := map[string][]string{}
	readSamples(classes)
	readHashes(classes)
	readGoSources(classes)
	return sortedCorpora(classes)
})

// recallCorpora returns the records that MEM_RECALL names, a directory of *.corpus.jsonl, for
// measuring only.
func recallCorpora(t *testing.T) []corpus {
	dir := os.Getenv("MEM_RECALL")
	if dir == "" {
		return nil
	}
	classes := map[string][]string{}
	files, _ := filepath.Glob(filepath.Join(dir, "*.corpus.jsonl"))
	for _, file := range files {
		language := "recall english"
		if strings.Contains(file, "zh") {
			language = "recall chinese"
		}
		readRecall(t, file, language, classes)
	}
	return sortedCorpora(classes)
}

func sortedCorpora(classes map[string][]string) (all []corpus) {
	for _, class := range slices.Sorted(maps.Keys(classes)) {
		all = append(all, corpus{class, classes[class]})
	}
	return all
}

func addText(classes map[string][]string, class, text string) {
	if text = Flatten(text, MaxShort); text != "" {
		classes[class] = append(classes[class], text)
	}
}

func readSamples(classes map[string][]string) {
	files, _ := filepath.Glob("testdata/samples/*.txt")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			panic(err)
		}
		for line := range strings.Lines(string(data)) {
			addText(classes, strings.TrimSuffix(filepath.Base(file), ".txt"), line)
		}
	}
}

func readHashes(classes map[string][]string) {
	for i := range 100 {
		sum := sha256.Sum256([]byte{byte(i)})
		digits := hex.EncodeToString(sum[:])
		addText(classes, "hex", digits)
		addText(classes, "base64", base64.StdEncoding.EncodeToString(sum[:]))
		addText(classes, "uuid", strings.Join([]string{digits[:8], digits[8:12], digits[12:16],
			digits[16:20], digits[20:32]}, "-"))
	}
}

// readGoSources takes one Go file in forty and every JSON file, in pieces of four lines.
func readGoSources(classes map[string][]string) {
	n := 0
	_ = filepath.WalkDir(filepath.Join(build.Default.GOROOT, "src"),
		func(path string, _ fs.DirEntry, err error) error {
			switch ext := filepath.Ext(path); {
			case err != nil:
				return nil
			case ext == ".json":
				addFile(classes, "go json", path)
			case ext == ".go":
				if n++; n%40 == 0 {
					addFile(classes, "go source", path)
				}
			}
			return nil
		})
}

func addFile(classes map[string][]string, class, path string) {
	data, err := os.ReadFile(path)
	if err != nil || !utf8.Valid(data) {
		return
	}
	all := strings.Split(string(data), "\n")
	for lines := range slices.Chunk(all[:min(400, len(all)-1)], 4) {
		addText(classes, class, strings.Join(lines, "\n"))
	}
}

func readRecall(t *testing.T, file, language string, classes map[string][]string) {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var record struct {
			Key     string
			Content struct{ Text string }
		}
		if err := json.Unmarshal(lines.Bytes(), &record); err != nil {
			t.Fatal(err)
		}
		addText(classes, language, record.Content.Text)
		addText(classes, language+" json", lines.Text())
	}
}

// realTokens counts with both tokenizers, and remembers: they are slow.
var realTokens = func() func(string) [2]int {
	known := map[string][2]int{}
	var mu sync.Mutex
	return func(s string) [2]int {
		mu.Lock()
		defer mu.Unlock()
		if n, ok := known[s]; ok {
			return n
		}
		var n [2]int
		for i, codec := range realTokenizers() {
			n[i], _ = codec.Count(s)
		}
		known[s] = n
		return n
	}
}()

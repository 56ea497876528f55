package log_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/test/testkit"
	"github.com/set-memory/mem/log"
)

// marks are watermarks with extreme values.
func marks() []log.Watermark {
	sum := log.Sum([]byte("x"))
	return []log.Watermark{
		{},
		{MaxTS: log.MinStamp},
		{Gen: 1, Applied: 493, MaxTS: log.StampOf(now), Ino: 1234567,
			Boot: "0d4bd7a5-3a3b-4f0e-9d4a-0f6a54a5e1ab", Last: sum},
		{Gen: math.MaxUint64, Applied: math.MaxInt64, MaxTS: log.MaxStamp, Ino: math.MaxUint64,
			Boot: strings.Repeat("~", disk.MaxBootID), Last: strings.Repeat("f", 64)},
	}
}

func drawMark(t *rapid.T) log.Watermark {
	w := log.Watermark{
		Gen: rapid.Uint64().Draw(t, "gen"), Applied: rapid.Int64Min(0).Draw(t, "applied"),
		MaxTS: drawStamp(t, "max_ts"), Ino: rapid.Uint64().Draw(t, "ino"),
		Boot: rapid.StringMatching(`[!#-\[\]-~]{0,64}`).Draw(t, "boot"),
	}
	if rapid.Bool().Draw(t, "has lines") {
		w.Last = log.Sum([]byte(rapid.String().Draw(t, "last")))
	}
	return w
}

func TestWatermarkRoundTrip(t *testing.T) {
	t.Parallel()
	size := len(log.Encode(log.Watermark{}))
	check := func(t tb, w log.Watermark) {
		t.Helper()
		text := log.Encode(w)
		if got, err := log.ParseWatermark(text); err != nil || got != w || len(text) != size {
			t.Fatalf("%s%+v, %v; want %+v", text, got, err, w)
		}
	}
	for _, w := range marks() {
		check(t, w)
	}
	rapid.Check(t, func(rt *rapid.T) { check(rt, drawMark(rt)) })
}

// What no store hands over does not break the fixed width either; it is not believed when it is
// read.
func TestWatermarkWidthIsFixed(t *testing.T) {
	t.Parallel()
	size := len(log.Encode(log.Watermark{}))
	for _, w := range []log.Watermark{
		{Applied: math.MinInt64}, {MaxTS: math.MaxInt64}, {MaxTS: math.MinInt64},
		{Boot: strings.Repeat("牙", 64)}, {Boot: "\"\\\n"}, {Boot: "\xff"},
		{Last: "short"}, {Last: strings.Repeat("x", 200)},
	} {
		if text := log.Encode(w); len(text) != size || !log.Sealed(text) {
			t.Errorf("%d bytes, want %d: %s", len(text), size, text)
		}
	}
}

func TestWatermarkIsReadByJq(t *testing.T) {
	t.Parallel()
	jq := testkit.Program(t, "jq")
	for _, w := range marks() {
		text := log.Encode(w)
		var got map[string]any
		if err := json.Unmarshal(text, &got); err != nil ||
			got["v"] != float64(log.FormatVersion) || got["max_ts"] != w.MaxTS.String() {
			t.Errorf("%s: %v", text, err)
		}
		cmd := exec.Command(jq, "-r", ".max_ts")
		cmd.Stdin = bytes.NewReader(text)
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != w.MaxTS.String()+"\n" {
			t.Errorf("jq: %s, %v", out, err)
		}
	}
}

func TestWatermarkDamaged(t *testing.T) {
	t.Parallel()
	for _, w := range marks() {
		text := log.Encode(w)
		refuse := func(how string, damaged []byte) {
			t.Helper()
			if got, err := log.ParseWatermark(damaged); !errors.Is(err, log.ErrWatermark) ||
				got != (log.Watermark{}) {
				t.Errorf("%s: %+v, %v\n%q", how, got, err, damaged)
			}
		}
		for at := range text {
			refuse("cut", text[:at])
			for _, b := range []byte{text[at] ^ 1, text[at] ^ 0x20, text[at] ^ 0x80, 0, ' ', '0',
				'9', '"', '\n'} {
				if b != text[at] {
					damaged := bytes.Clone(text)
					damaged[at] = b
					refuse("one byte", damaged)
				}
			}
			zeroed := bytes.Clone(text)
			clear(zeroed[at:])
			refuse("zeros behind", zeroed)
			zeroed = bytes.Clone(text)
			clear(zeroed[:at+1])
			refuse("zeros in front", zeroed)
		}
		for _, more := range []string{"\n", " ", "\x00", "{}", "\r\n", string(text)} {
			refuse("extended", append(bytes.Clone(text), more...))
			refuse("something in front", append([]byte(more), text...))
		}
	}
}

func TestWatermarkMalformed(t *testing.T) {
	t.Parallel()
	good := string(log.Encode(marks()[2]))
	object, _, _ := strings.Cut(good, `,"checksum"`)
	for _, change := range [][2]string{
		{`"v":1`, `"v":0`}, {`"v":1,`, ``}, {`"v":1`, `"v":"1"`}, {`"gen":  `, `"gen":`}, {`493`, `-93`}, {`493`, `4.3`}, {`493`, `1e3`}, {`493`, `"4"`},
		{`"max_ts":"2026`, `"max_ts":"9026-`}, {`2026-02-22`, `2026-02-31`}, {`.000000Z`, `+00:00 `}, {`"ino"`, `"inO"`}, {`"sha256:`, `"sha255:`},
		{`"gen"`, `"v"`}, {`"boot":"`, `"boot":" `}, {`"last"`, `"more":1,"last"`}, {`493`, `99999999999999999999`},
	} {
		changed := strings.Replace(object, change[0], change[1], 1) + "}"
		if changed == object+"}" {
			t.Fatalf("%q is not in %s", change[0], object)
		}
		got, err := log.ParseWatermark(append(log.Seal([]byte(changed)), '\n'))
		if !errors.Is(err, log.ErrWatermark) {
			t.Errorf("%s: %+v, %v", changed, got, err)
		}
	}
}

func TestWatermarkNewer(t *testing.T) {
	t.Parallel()
	like, _, _ := strings.Cut(strings.Replace(string(log.Encode(marks()[2])), `"v":1`, `"v":2`, 1), `,"checksum"`)
	for _, object := range []string{`{"v":2}`, `{"v":2,"gen":{"of":"another kind"},"more":[1]}`, like + "}"} {
		text := append(log.Seal([]byte(object)), '\n')
		_, err := log.ParseWatermark(text)
		if !errors.Is(err, log.ErrNewer) || errors.Is(err, log.ErrWatermark) ||
			!strings.Contains(err.Error(), "format 2, this mem reads up to 1") {
			t.Errorf("%s: %v", object, err)
		}
		dir := openDir(t)
		put(t, dir, log.WatermarkFile, text)
		if _, err := log.ReadWatermark(dir); !errors.Is(err, log.ErrNewer) {
			t.Errorf("ReadWatermark: %v", err)
		}
		if _, _, _, err := log.OpenWatermark(dir); !errors.Is(err, log.ErrNewer) {
			t.Errorf("OpenMark: %v", err)
		}
		if got := read(t, dir, log.WatermarkFile); !bytes.Equal(got, text) {
			t.Errorf("changed into %s", got)
		}
	}
}

func TestReadWatermark(t *testing.T) {
	t.Parallel()
	dir := openDir(t)
	if _, err := log.ReadWatermark(dir); !errors.Is(err, log.ErrWatermark) {
		t.Errorf("absent: %v", err)
	}
	if _, err := os.Stat(dir.Join(log.WatermarkFile)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a reader made it: %v", err)
	}
	must(t, dir.Mkdir(log.WatermarkFile))
	if _, err := log.ReadWatermark(dir); !errors.Is(err, disk.ErrIrregular) {
		t.Errorf("a directory: %v", err)
	}
}

func TestWatermarkWriterWritesInPlace(t *testing.T) {
	t.Parallel()
	good := marks()[2]
	for _, c := range []struct {
		name, before string
		trusted      bool
	}{
		{"absent", "", false},
		{"sound", string(log.Encode(good)), true},
		{"torn", string(log.Encode(good)[:100]), false},
		{"zeros", strings.Repeat("\x00", 512), false},
		{"a little more", string(log.Encode(good)) + "x", false},
		{"twice", strings.Repeat(string(log.Encode(good)), 2), false},
		{"much more", strings.Repeat("x", 1<<20), false},
	} {
		dir := openDir(t)
		if c.before != "" {
			put(t, dir, log.WatermarkFile, []byte(c.before))
		}
		m, w, trusted, err := log.OpenWatermark(dir)
		if err != nil || trusted != c.trusted || trusted && w != good || !trusted &&
			w != (log.Watermark{}) {
			t.Fatalf("%s: %+v, %v, %v", c.name, w, trusted, err)
		}
		inode := stat(t, dir, log.WatermarkFile)
		for _, w := range slices.Backward(marks()) {
			must(t, m.Write(w))
			if got := read(t, dir, log.WatermarkFile); !bytes.Equal(got, log.Encode(w)) {
				t.Errorf("%s: %q", c.name, got)
			}
			if got, err := log.ReadWatermark(dir); err != nil || got != w {
				t.Errorf("%s: %+v, %v", c.name, got, err)
			}
		}
		must(t, m.Close())
		if fi := stat(t, dir, log.WatermarkFile); !os.SameFile(fi, inode) ||
			fi.Mode() != disk.FileMode {
			t.Errorf("%s: not in place, or mode %v", c.name, fi.Mode())
		}
	}
}

func stat(t testing.TB, dir *disk.Dir, name string) os.FileInfo {
	t.Helper()
	fi, err := os.Lstat(dir.Join(name))
	must(t, err)
	return fi
}

func TestWatermarkWriterFaults(t *testing.T) {
	dir := openDir(t)
	m, _, _, err := log.OpenWatermark(dir)
	must(t, err)
	defer m.Close()
	must(t, m.Write(marks()[2]))
	heal := inject(t, errDisk, disk.OpWrite)
	if err := m.Write(marks()[3]); !errors.Is(err, errDisk) {
		t.Error(err)
	}
	heal()
	if w, err := log.ReadWatermark(dir); err != nil || w != marks()[2] {
		t.Errorf("%+v, %v", w, err)
	}
	for _, op := range []disk.Op{disk.OpOpen, disk.OpRead} {
		heal := inject(t, errDisk, op)
		if _, err := log.ReadWatermark(dir); !errors.Is(err, errDisk) ||
			errors.Is(err, log.ErrWatermark) {
			t.Errorf("%s: %v", op, err)
		}
		heal()
	}
	heal = inject(t, errDisk, disk.OpRead)
	if _, _, trusted, err := log.OpenWatermark(dir); !errors.Is(err, errDisk) || trusted {
		t.Errorf("OpenMark: %v, %v", trusted, err)
	}
	heal()
}

//go:build linux

package e2e

import (
	"bytes"
	"io/fs"
	"math/rand/v2"
	"os"
	"syscall"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/store/purge"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
)

// without removes files.
func without(names ...string) func(p *patient) {
	return func(p *patient) {
		for _, name := range names {
			p.Must(os.RemoveAll(p.file(name)))
		}
	}
}

// edited changes a file.
func edited(name string, fn func([]byte) []byte) func(p *patient) {
	return func(p *patient) { p.edit(name, fn) }
}

// cutTo keeps a part of a file.
func cutTo(parts float64) func([]byte) []byte {
	return func(b []byte) []byte { return b[:int(parts*float64(len(b)))] }
}

// lineEdit changes the line of a log that holds a text.
func lineEdit(has string, fn func(line []byte) []byte) func([]byte) []byte {
	return func(b []byte) (out []byte) {
		for line := range bytes.Lines(b) {
			if bytes.Contains(line, []byte(has)) {
				line = fn(bytes.Clone(line))
			}
			out = append(out, line...)
		}
		return out
	}
}

func blankTombstone(line []byte) []byte {
	if bytes.Contains(line, []byte(`"valid":false`)) {
		return blank(line)
	}
	return line
}

func blank(line []byte) []byte { return append(bytes.Repeat([]byte("#"), len(line)-1), '\n') }

// replacing replaces a text, once.
func replacing(old, with string) func([]byte) []byte {
	return func(b []byte) []byte { return bytes.Replace(b, []byte(old), []byte(with), 1) }
}

// linked puts a link in place of a file.
func linked(name string) func(p *patient) {
	return func(p *patient) {
		p.Must(os.RemoveAll(p.file(name)))
		p.Must(os.Symlink("/etc/hostname", p.file(name)))
	}
}

func mode(name string, mode fs.FileMode) func(p *patient) {
	return func(p *patient) { p.Must(os.Chmod(p.file(name), mode)) }
}

func planted(name, text string) func(p *patient) {
	return func(p *patient) { p.Must(os.WriteFile(p.file(name), []byte(text), 0o600)) }
}

func all(list ...func(p *patient)) func(p *patient) {
	return func(p *patient) {
		for _, do := range list {
			do(p)
		}
	}
}

// ills are the damages, each with its name.
var ills = map[string]func(p *patient){
	"no log":                      without(log.File),
	"no log and no watermark":     without(log.File, log.WatermarkFile),
	"no log and no state":         without(log.File, "state.jsonl", "checkpoint.json"),
	"no log and no index":         without(log.File, "index"),
	"log alone":                   without("index", "state.jsonl", "checkpoint.json", log.WatermarkFile, "cache"),
	"empty log":                   edited(log.File, cutTo(0)),
	"empty log and no state":      all(edited(log.File, cutTo(0)), without("state.jsonl")),
	"half a log":                  edited(log.File, cutTo(0.5)),
	"most of a log":               edited(log.File, cutTo(0.9)),
	"log without last newline":    edited(log.File, func(b []byte) []byte { return b[:len(b)-1] }),
	"older log":                   edited(log.File, lineEdit(`"/last"`, func([]byte) []byte { return nil })),
	"torn tail":                   edited(log.File, func(b []byte) []byte { return append(b, `{"key":"/torn","ts":"20`...) }),
	"log is a link":               linked(log.File),
	"log open to others":          mode(log.File, 0o644),
	"no state":                    without("state.jsonl"),
	"cut state":                   edited("state.jsonl", cutTo(0.5)),
	"state with a wrong letter":   edited("state.jsonl", replacing("in the state", "in the stage")),
	"state is a link":             linked("state.jsonl"),
	"no checkpoint":               without("checkpoint.json"),
	"damaged checkpoint":          edited("checkpoint.json", replacing(`"v":1`, `"v":0`)),
	"empty checkpoint":            edited("checkpoint.json", cutTo(0)),
	"no watermark":                without(log.WatermarkFile),
	"damaged watermark":           edited(log.WatermarkFile, func(b []byte) []byte { b[20] = '7'; return b }),
	"watermark is a link":         linked(log.WatermarkFile),
	"no index":                    without("index"),
	"an index file missing":       without(indexFile("/tail")),
	"an index file empty":         edited(indexFile("/tail"), cutTo(0)),
	"an index file edited":        edited(indexFile("/tail"), replacing("in the tail", "in my tail")),
	"index file of another key":   func(p *patient) { p.Must(os.Rename(p.file(indexFile("/tail")), p.file(indexFile("/other")))) },
	"an older index file":         func(p *patient) { older(p) },
	"a foreign file in the index": planted("index/notes.txt", "hello"),
	"a memory added by hand":      planted("index/hand.json", `{"key":"/hand","content":{"text":"by hand"}}`),
	"a link in the index":         func(p *patient) { p.Must(os.Symlink("/etc", p.file("index/link"))) },
	"no archive":                  func(p *patient) { without(p.archive())(p) },
	"half an archive":             func(p *patient) { p.edit(p.archive(), cutTo(0.5)) },
	"damaged archive":             func(p *patient) { p.edit(p.archive(), replacing("in the archive", "in the archiwe")) },
	"a future line":               func(p *patient) { future(p) },
	"a line without checksum":     edited(log.File, replacing(`"checksum"`, `"checksul"`)),
	"purge that was killed":       func(p *patient) { killedPurge(p, true) },
	"purge of another copy":       func(p *patient) { killedPurge(p, false) },
	"purge.json that is no plan":  planted("purge.json", `{"v":1}`),
	"purge.json is a directory":   func(p *patient) { p.Must(os.Mkdir(p.file("purge.json"), 0o700)) },
	"copy of a folder sync": func(p *patient) {
		p.Must(os.WriteFile(p.file("log.sync-conflict-20261123-120000-ABCDEFG.jsonl"), line(p, "/synced"), 0o600))
	},
	"config that is no JSON": planted(mem.ConfigFile, `{"rotat`),
	"root open to others":    mode(".", 0o755),
	"lock is a directory":    all(without(log.LockFile), func(p *patient) { p.Must(os.Mkdir(p.file(log.LockFile), 0o700)) }),
	"a fifo in the root": func(p *patient) {
		p.Must(os.Remove(p.file("checkpoint.json")))
		p.Must(syscall.Mkfifo(p.file("checkpoint.json"), 0o600))
	},
	"a draft of yesterday":          func(p *patient) { draft(p) },
	"a damaged tombstone":           edited(log.File, lineEdit(`"key":"/gone/tail"`, replacing(`"valid":false`, `"valid":falsf`))),
	"a damaged tombstone, no state": all(edited(log.File, lineEdit(`"valid":false`, replacing(`null,"checksum`, `nulk,"checksum`))), without("state.jsonl")),
	"an unreadable tombstone":       edited(log.File, lineEdit(`"key":"/gone/tail"`, blankTombstone)),
	"unreadable tombstones, no state": all(edited(log.File, lineEdit(`"valid":false`, blank)),
		without("state.jsonl")),
}

// drawn flips a bit of a file of the store: which, the number says.
func drawn(n uint64) func(p *patient) {
	return func(p *patient) {
		draw := rand.New(rand.NewPCG(n, 7))
		files := []string{log.File, log.File, log.File, p.archive(), "state.jsonl", "checkpoint.json",
			log.WatermarkFile, indexFile("/tail")}
		p.edit(files[draw.IntN(len(files))], func(b []byte) []byte {
			b[draw.IntN(len(b))] ^= 1 << draw.IntN(8)
			return b
		})
	}
}

// line returns a sealed line of the time of now.
func line(p *patient, key string) []byte {
	e := log.Envelope{Key: keypath.MustParse(key), TS: log.StampOf(p.Clock.Add(time.Minute)),
		Source: []byte(`"chat"`), Content: []byte(`{"text":"elsewhere"}`)}
	return append(e.Line(), '\n')
}

// newestLine returns the newest line of a key in the log.
func newestLine(p *patient, key string) (newest log.Envelope) {
	text, err := os.ReadFile(p.file(log.File))
	p.Must(err)
	for line := range bytes.Lines(text) {
		if e, err := log.Decode(bytes.TrimSpace(line)); err == nil && e.Key.String() == key {
			newest = e.Clone()
		}
	}
	return newest
}

func older(p *patient) {
	e := newestLine(p, "/tail")
	e.TS, e.Content = e.TS-5, []byte(`{"text":"older"}`)
	text, err := log.Indent(e.Line())
	p.Must(err)
	p.edit(indexFile("/tail"), func([]byte) []byte { return text })
}

func future(p *patient) {
	p.Clock = noon.AddDate(5, 0, 0)
	p.Open()
	p.Put("/tail", p.was["/tail"])
	p.Close()
	p.Clock = noon
}

// killedPurge leaves the plan of a purge, which was made in this store or not.
func killedPurge(p *patient, here bool) {
	lock := uint64(1)
	if fi, err := os.Stat(p.file(log.LockFile)); err == nil && here {
		lock = disk.Ino(fi)
	}
	dir, err := disk.Open(p.Root)
	p.Must(err)
	defer dir.Close()
	p.Must(purge.Write(dir, &purge.Plan{Keys: []keypath.Key{keypath.MustParse("/none")},
		Horizon: log.MinStamp + 1, Source: []byte("{}"), Lock: lock}))
}

func draft(p *patient) {
	name := p.file("index/.tmp-0123456789abcdef")
	planted("index/.tmp-0123456789abcdef", "half")(p)
	p.Must(os.Chtimes(name, noon.AddDate(0, 0, -1), noon.AddDate(0, 0, -1)))
}

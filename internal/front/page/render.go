package page

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/text"
	"github.com/set-memory/mem/internal/rule/inbox"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

//go:embed templates/*.html style.css script.js icon.svg
var files embed.FS

// looks are the templates by name, each within the frame, and the sum of the assets.
var looks = sync.OnceValue(func() (l struct {
	pages map[string]*template.Template
	sum   string
}) {
	frame := template.Must(template.New("").Funcs(template.FuncMap{
		"query": query, "date": date, "day": day, "shown": keypath.Show, "plural": plural,
		"thousands": thousands, "json": indented, "title": title, "source": mem.SourceSummary,
		"author": content.AuthorName, "join": strings.Join,
		"plain": plain,
		"one":   func(l listed) []listed { return []listed{l} },
		"tab":   func(f frame, at, name string) tab { return tab{f, at, name, f.Section(at)} },
		"part":  func(f frame, what string, list any) part { return part{f, what, list} },
	}).ParseFS(files, "templates/frame.html", "templates/parts.html"))
	names, _ := files.ReadDir("templates")
	l.pages = map[string]*template.Template{}
	for _, file := range names {
		name := strings.TrimSuffix(file.Name(), ".html")
		page := template.Must(frame.Clone())
		l.pages[name] = template.Must(page.ParseFS(files, "templates/"+file.Name()))
	}
	style, _ := files.ReadFile("style.css") // they are part of the program
	script, _ := files.ReadFile("script.js")
	sum := sha256.Sum256(append(style, script...))
	l.sum = hex.EncodeToString(sum[:6])
	return l
})

// frame is what surrounds every page, and is the dot of its templates.
type frame struct {
	Title        string
	Files, Style string // where the assets are, and their version
	Path, Base   string // Path is that of the request, below Base; nobody else learns Base
	IsServed     bool   // by a server, to which no verb of this machine's stores applies
	// Token is that of forms; "": nobody came in. Undo names the action that the notice is about.
	Token, Notice, Undo string
	Now                 time.Time
	Proposals           []waiting
	Facts               []inbox.Proposal
	Data                any
}

// Waiting counts what waits for a decision.
func (f frame) Waiting() int { return len(f.Proposals) + len(f.Facts) }

// Typed returns the rules that were typed.
func (f frame) Typed() []inbox.Proposal { return ofClass(f.Facts, true) }

// Found returns the facts that are proposed.
func (f frame) Found() []inbox.Proposal { return ofClass(f.Facts, false) }

func ofClass(list []inbox.Proposal, isRule bool) []inbox.Proposal {
	return slices.DeleteFunc(slices.Clone(list), func(p inbox.Proposal) bool {
		return (p.Class == inbox.Rule) != isRule
	})
}

// Ago returns how long ago something was, for people.
func (f frame) Ago(at log.Stamp) string { return text.Ago(f.Now.Sub(at.Time())) }

// Section reports whether the page is of a section.
func (f frame) Section(path string) bool {
	return f.Path == path || path != "/" && strings.HasPrefix(f.Path, path+"/") ||
		path == "/memories" && strings.HasPrefix(f.Path, "/memory")
}

// tab is a link of the frame.
type tab struct {
	frame
	Path, Name string
	Here       bool
}

// part is a list that a template shows, with what it is called.
type part struct {
	Frame frame
	What  string
	List  any
}

func (v *visit) show(name, title string, data any) error {
	v.send(http.StatusOK, name, title, data)
	return nil
}

// send answers with a page, whole or not at all.
func (v *visit) send(status int, name, title string, data any) {
	l := looks()
	f := frame{Title: title, Path: v.r.URL.Path, Files: v.o.Base, Style: l.sum,
		IsServed: v.o.Base != "", Now: v.o.Now(), Proposals: v.asked, Facts: v.facts, Data: data}
	if v.guest != nil {
		f.Base = v.base
		f.Token = v.guest.token
		f.Notice, f.Undo = v.guest.takeNotice()
	}
	var doc bytes.Buffer
	if err := l.pages[name].ExecuteTemplate(&doc, "frame", f); err != nil {
		v.o.Log.Error("page failed", "template", name, "error", err.Error())
		http.Error(v.w, "this page cannot be shown", http.StatusInternalServerError)
		return
	}
	v.w.Header().Set("Content-Type", "text/html; charset=utf-8")
	v.write(status, doc.Bytes())
}

// assets are the files of the program that a browser may load, with their types.
var assets = map[string]string{"style.css": "text/css; charset=utf-8",
	"script.js": "text/javascript; charset=utf-8", "icon.svg": "image/svg+xml"}

// sendAsset answers with a file of the program. Its URL changes with the files.
func (v *visit) sendAsset(name string) {
	text, _ := files.ReadFile(name) // they are part of the program
	v.w.Header().Set("Content-Type", assets[name])
	if v.r.URL.Query().Get("v") == looks().sum {
		v.w.Header().Set("Cache-Control", "max-age=31536000, immutable")
	}
	v.write(http.StatusOK, text)
}

// write sends an answer, compressed if the browser takes that.
func (v *visit) write(status int, body []byte) {
	h := v.w.Header()
	h.Set("Vary", "Accept-Encoding, Cookie")
	if strings.Contains(v.r.Header.Get("Accept-Encoding"), "gzip") {
		var small bytes.Buffer
		zip := gzip.NewWriter(&small)
		_, _ = zip.Write(body)
		_ = zip.Close() // a buffer takes everything
		h.Set("Content-Encoding", "gzip")
		body = small.Bytes()
	}
	h.Set("Content-Length", fmt.Sprint(len(body)))
	v.w.WriteHeader(status)
	_, _ = v.w.Write(body) // the browser has gone
}

// query returns names and values as they stand in a URL, without those that are "".
func query(pairs ...string) template.URL {
	values := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			values.Set(pairs[i], pairs[i+1])
		}
	}
	return template.URL(values.Encode()) // it has no character that means something
}

// plain returns a text with escapes for hidden characters.
func plain(text string) string { return strings.Join(readout.Lines(text), "\n") }

// title returns a memory in a line.
func title(rec log.Record) string {
	return readout.Short(rec.Content, content.Parse(rec.Content))
}

// date and day return a time for people, in UTC.
func date(at log.Stamp) string { return at.Time().Format("2006-01-02 15:04 UTC") }
func day(at log.Stamp) string  { return at.Time().Format(time.DateOnly) }

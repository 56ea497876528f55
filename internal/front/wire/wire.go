// Package wire defines the requests and answers by which a command line runs on the memory of a
// server. It has no state, and links no HTTP: see package remote.
package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"github.com/set-memory/mem/internal/rule/policy"
	"github.com/set-memory/mem/log"
)

// Path is where a server takes command lines.
const Path = "/api/v1/verbs"

// Limits of a command line and its answer, in bytes.
const (
	MaxWords  = 2 << 20              // of its words: no system starts a program with more
	MaxInput  = 16 << 20             // of all its files and of standard input together
	MaxBody   = MaxInput/3*4 + 1<<20 // of the request
	MaxAnswer = 64 << 20
)

// MaxPieces is how many pieces an answer has at most.
const MaxPieces = 10_000

// MaxRun is how long a command line may run. A caller hears meanwhile that it does, see
// serve.Working.
const MaxRun = 5 * time.Minute

// ErrTooLong is returned for files that are longer than a request may be.
var ErrTooLong = errors.New("it is longer than 16 MiB, which is the most that a request takes")

// Stdin is the name of standard input among the files of a request.
const Stdin = "-"

// Request is a command line, and what it has asked of its caller so far.
type Request struct {
	Args [][]byte `json:"args" max:"10000"` // which need not be UTF-8
	Root string   `json:"root"`             // the URL, as hints have it
	// Project is the name of the project that this is the memory of; "": the caller has named it.
	Project string            `json:"project,omitempty"`
	Env     map[string]string `json:"env,omitempty"` // the variables of Variables that are set
	// Columns of the terminals that standard output and standard error are; 0 for none.
	Out int `json:"out,omitempty"`
	Err int `json:"err,omitempty"`
	// Attended is whether a person can be asked: standard input is a terminal.
	Attended bool              `json:"attended,omitempty"`
	Yes      bool              `json:"yes,omitempty"`    // the answer to the question that was asked
	About    string            `json:"about,omitempty"`  // of this question
	Files    map[string][]byte `json:"files,omitempty"`  // by the names that the command line has
	Unread   map[string]string `json:"unread,omitempty"` // why a file could not be read
	Draft    *Draft            `json:"draft,omitempty"`  // the text that was edited
}

// Draft is a text for an editor, or from one.
type Draft struct {
	Text []byte    `json:"text"`
	Of   log.Stamp `json:"of"` // the version that was edited
}

// Reply is what a verb printed, and its exit code; or what it wants first.
type Reply struct {
	Exit    int    `json:"exit"`
	Printed Pieces `json:"printed,omitempty"`
	Want    *Want  `json:"want,omitempty"`
}

// Pieces are those of an answer, in the order in which they were printed.
type Pieces []Piece

// Add adds text that was printed. Of more than MaxPieces the order of both outputs is lost.
func (p *Pieces) Add(isErr bool, text []byte) {
	list := *p
	last := len(list) - 1
	switch {
	case last >= 0 && list[last].IsErr == isErr:
	case len(list) == MaxPieces:
		last--
	default:
		list, last = append(list, Piece{IsErr: isErr}), last+1
	}
	list[last].Text = append(list[last].Text, text...)
	*p = list
}

var errPieces = fmt.Errorf("more than %d pieces", MaxPieces)

// UnmarshalJSON refuses many more than MaxPieces before it makes them: empty ones, a server's three
// bytes each, take forty here. Each has two members at most, and no text in base64 has a comma.
func (p *Pieces) UnmarshalJSON(text []byte) error {
	if bytes.Count(text, []byte(",")) > 2*MaxPieces {
		return errPieces
	}
	return json.Unmarshal(text, (*[]Piece)(p))
}

// Piece is what went to one of the outputs before the other one had more.
type Piece struct {
	IsErr bool   `json:"is_err,omitempty"` // to standard error
	Text  []byte `json:"text"`
}

// Want is what only the caller's machine has. The command line is sent again with it; nothing was
// written before.
type Want struct {
	File     string `json:"file,omitempty"`     // a file that the command line names, or Stdin
	Question string `json:"question,omitempty"` // a question to a person; yes is the answer
	About    string `json:"about,omitempty"`    // identifies what the question is about
	Person   bool   `json:"person,omitempty"`   // the token of a person
	Draft    *Draft `json:"draft,omitempty"`    // this text edited
}

// Whoami is the caller that a token stands for.
type Whoami struct {
	Tenant string   `json:"tenant"`
	Agents []string `json:"agents,omitempty"`
	Person bool     `json:"person,omitempty"`
	Member string   `json:"member,omitempty"` // of the team
}

// Check refuses a command line that is longer than one may be.
func (r *Request) Check() error {
	length := 0
	for _, word := range r.Args {
		length += len(word)
	}
	return policy.CheckLength("the command line", length, MaxWords, "bytes")
}

// Fail notes why a file could not be read.
func (r *Request) Fail(file string, err error) {
	if of := (*fs.PathError)(nil); errors.As(err, &of) {
		err = of.Err
	}
	if r.Unread == nil {
		r.Unread = map[string]string{}
	}
	r.Unread[file] = err.Error()
	delete(r.Files, file)
}

// Bytes returns words as the bytes that they are.
func Bytes(words []string) (list [][]byte) {
	for _, word := range words {
		list = append(list, []byte(word))
	}
	return list
}

// Words returns the command line.
func (r *Request) Words() (list []string) {
	for _, arg := range r.Args {
		list = append(list, string(arg))
	}
	return list
}

// Add adds a file to a request. The error is that of the reader, or ErrTooLong.
func (r *Request) Add(file string, in io.Reader) error {
	left := MaxInput
	for _, text := range r.Files {
		left -= len(text)
	}
	text, err := io.ReadAll(io.LimitReader(in, int64(left)+1))
	if len(text) > left {
		err = cmp.Or(err, ErrTooLong)
	}
	if r.Files == nil {
		r.Files = map[string][]byte{}
	}
	r.Files[file] = text
	return err
}

package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/set-memory/mem"
)

// Post sends a message to a server elsewhere, and returns its answer; nothing where it has none.
type Post func(ctx context.Context, header http.Header, message []byte) ([]byte, error)

// Relay lets a server elsewhere serve one client, as [Run] does: each message is a request of its
// own, so that a server out of reach fails a call and not the session. A call is never sent twice.
func Relay(ctx context.Context, in io.Reader, out io.Writer, post Post) error {
	near, revision := newConn(in, out), ""
	for {
		message, err := near.Read(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		request, ok := message.(*jsonrpc.Request)
		if !ok || request.Method == listening {
			continue // such a server asks nothing, and has no news
		}
		body, err := jsonrpc.EncodeMessage(request)
		if err != nil {
			return err
		}
		header := headerOf(request, revision)
		run := func() *jsonrpc.Response {
			answer, err := post(ctx, header, body)
			if !request.IsCall() {
				return nil // nobody hears what became of it
			}
			reply := replyTo(request, answer, err)
			_ = near.Write(ctx, reply) // the client is gone: so is its input
			return reply
		}
		if request.Method == "initialize" {
			revision = revisionOf(run())
			continue
		}
		go run()
	}
}

// about is what the header of a message says of it.
type about struct {
	Name string `json:"name"`
	URI  string `json:"uri"`
	Meta struct {
		Revision string `json:"io.modelcontextprotocol/protocolVersion"`
	} `json:"_meta"`
	Revision string `json:"protocolVersion"` // of an answer to initialize
}

// headerOf returns the header that the protocol wants of a message: its revision, its method and
// the name of the tool or resource that is called.
func headerOf(r *jsonrpc.Request, revision string) http.Header {
	var of about
	_ = json.Unmarshal(r.Params, &of) // the server refuses wrong ones
	header := http.Header{"Accept": {"application/json, text/event-stream"},
		"Mcp-Method": {r.Method}}
	if name := cmp.Or(of.URI, of.Name); name != "" {
		header.Set("Mcp-Name", name)
	}
	if revision = cmp.Or(of.Meta.Revision, revision); revision != "" {
		header.Set("Mcp-Protocol-Version", revision)
	}
	return header
}

func revisionOf(reply *jsonrpc.Response) string {
	var of about
	if reply != nil {
		_ = json.Unmarshal(reply.Result, &of)
	}
	return of.Revision
}

// replyTo returns the answer to a call. Where the server gave none, a tool answers with the reason,
// which its model reads.
func replyTo(r *jsonrpc.Request, answer []byte, err error) *jsonrpc.Response {
	if err == nil {
		message, _ := jsonrpc.DecodeMessage(answer)
		if reply, ok := message.(*jsonrpc.Response); ok && reply.ID == r.ID {
			return reply
		}
		err = errAnswer
	}
	reply := &jsonrpc.Response{ID: r.ID}
	if r.Method != "tools/call" {
		reply.Error = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: mem.Message(err)}
		return reply
	}
	text := mem.Message(err)
	if do := mem.AdviceOf(err).String(); do != "" && err != errAnswer { // which is no fault of mem
		text += "; " + do
	}
	reply.Result, _ = json.Marshal(map[string]any{"isError": true,
		"content": []map[string]string{{"type": "text", "text": text}}})
	return reply
}

// errAnswer is the error of a server that answers another call, or nothing.
var errAnswer = errors.New("the server gave no answer to this call")

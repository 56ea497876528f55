package mcp

import (
	"context"
	"errors"
	"net/url"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/set-memory/mem"
	"github.com/set-memory/mem/content"
	"github.com/set-memory/mem/keypath"
	"github.com/set-memory/mem/log"
	"github.com/set-memory/mem/readout"
)

// scheme is that of the addresses of memories: mem:// and the key.
const scheme = "mem"

// keyTemplate is how such an address is made.
var keyTemplate = &sdk.ResourceTemplate{Name: "memory", Title: "A memory by its key",
	URITemplate: scheme + "://{+key}", MIMEType: "application/json",
	Description: "What is stored under a key, as JSON"}

// Bounds of what is listed.
const (
	listed    = 100 // resources on a page
	completed = 100 // keys that a completion offers, as many as the protocol lets it
)

// addressOf returns the address of a key.
func addressOf(key keypath.Key) string {
	return (&url.URL{Scheme: scheme, Path: key.String()}).String()
}

// keyOf returns the key of an address. Letters that an address should not have are taken, too.
func keyOf(address string) (key keypath.Key, ok bool) {
	path, ok := strings.CutPrefix(address, scheme+"://")
	if !ok {
		return key, false
	}
	path, err := url.PathUnescape(path)
	if err == nil {
		key, err = keypath.Parse(path)
	}
	return key, err == nil
}

// listResources returns a page of the live memories by key.
func (s *server) listResources(ctx context.Context, r *sdk.ListResourcesRequest) (
	sdk.Result, error) {
	result := &sdk.ListResourcesResult{Resources: []*sdk.Resource{}, Cacheable: uncached}
	after := ""
	if r.Params != nil {
		after = r.Params.Cursor
	}
	err := s.walk(ctx, keypath.Prefix{}, func(rec log.Record) error {
		switch {
		case rec.Key.String() <= after:
			return nil
		case len(result.Resources) == listed:
			result.NextCursor = after
			return errEnough
		}
		after = rec.Key.String()
		result.Resources = append(result.Resources, resourceOf(rec))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

func resourceOf(rec log.Record) *sdk.Resource {
	fields := content.Parse(rec.Content)
	return &sdk.Resource{URI: addressOf(rec.Key), Name: rec.Key.Shown(),
		Description: readout.Short(rec.Content, fields), MIMEType: keyTemplate.MIMEType,
		Size: int64(len(rec.Content))}
}

// walk calls fn for the live memories below a prefix by key, as somebody is shown them who looks
// around.
func (s *server) walk(ctx context.Context, below keypath.Prefix,
	fn func(log.Record) error) error {
	m, err := s.o.Open(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := m.within(ctx)
	defer cancel()
	if m.Turn != nil {
		done, err := m.Turn(ctx)
		if err != nil {
			return err
		}
		defer done()
	}
	filter := mem.Filter{Prefix: below, Browse: true, Trusted: true}
	err = m.Reads.List(ctx, m.Caller, filter, func(rec log.Record) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return fn(rec)
	})
	if errors.Is(err, errEnough) {
		return nil
	}
	return err
}

// readResource returns a memory by its address.
func (s *server) readResource(ctx context.Context, r *sdk.ReadResourceRequest) (
	*sdk.ReadResourceResult, error) {
	key, ok := keyOf(r.Params.URI)
	if !ok {
		return nil, sdk.ResourceNotFoundError(r.Params.URI)
	}
	m, err := s.o.Open(ctx)
	if err != nil {
		return nil, err
	}
	rec, err := m.Reads.Get(ctx, m.Caller, key, false)
	if errors.Is(err, mem.ErrNotFound) {
		return nil, sdk.ResourceNotFoundError(r.Params.URI)
	}
	if err != nil {
		return nil, err
	}
	return &sdk.ReadResourceResult{Cacheable: uncached, Contents: []*sdk.ResourceContents{{
		URI: r.Params.URI, MIMEType: keyTemplate.MIMEType, Text: string(rec.Content)}}}, nil
}

// complete offers the keys that begin as one does.
func (s *server) complete(ctx context.Context, r *sdk.CompleteRequest) (
	*sdk.CompleteResult, error) {
	result := &sdk.CompleteResult{}
	result.Completion.Values = []string{}
	if r.Params.Ref.Type != "ref/resource" || r.Params.Ref.URI != keyTemplate.URITemplate {
		return result, nil
	}
	begun := r.Params.Argument.Value
	if !strings.HasPrefix(begun, "/") {
		begun = "/" + begun
	}
	below, err := keypath.ParsePrefix(begun[:strings.LastIndexByte(begun, '/')+1])
	if err != nil {
		return result, nil // no key begins so
	}
	err = s.walk(ctx, below, func(rec log.Record) error {
		key := rec.Key.String()
		switch {
		case !strings.HasPrefix(key, begun):
			return nil
		case len(result.Completion.Values) == completed:
			result.Completion.HasMore = true
			return errEnough
		}
		result.Completion.Values = append(result.Completion.Values, key)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return result, nil
}

// addPrompts adds what tells a model how to use its memory.
func addPrompts(protocol *sdk.Server) {
	const name, text = "memory", "When to note something down, and when not, how to search, and " +
		"how to forget"
	protocol.AddPrompt(&sdk.Prompt{Name: name, Title: "Use your memory", Description: text},
		func(context.Context, *sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
			return &sdk.GetPromptResult{Description: text, Messages: []*sdk.PromptMessage{{
				Role: "user", Content: &sdk.TextContent{Text: readout.Prompt + forTools}}}}, nil
		})
}

// forTools says how the prompt, which is for a shell, is to be read.
const forTools = "\nWhere you have no shell, the tools mem_note, mem_search and mem_forget do the same.\n"

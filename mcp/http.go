package mcp

import (
	"context"
	"net/http"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

type memoryKey struct{} // the memory of a request

// Handler answers over HTTP, each request for itself.
type Handler struct{ protocol http.Handler }

// NewHandler returns what answers over HTTP. Who may come in, and by which names and from which
// pages, is its caller's business.
func NewHandler(o Options) (*Handler, error) {
	o.Open = func(ctx context.Context) (*Memory, error) {
		return ctx.Value(memoryKey{}).(*Memory), nil
	}
	protocol, err := newServer(o)
	if err != nil {
		return nil, err
	}
	return &Handler{sdk.NewStreamableHTTPHandler(
		func(*http.Request) *sdk.Server { return protocol },
		&sdk.StreamableHTTPOptions{Stateless: true, JSONResponse: true,
			PropagateRequestCancellation: true, DisableLocalhostProtection: true},
	)}, nil
}

// Serve answers a request with a memory.
func (h *Handler) Serve(w http.ResponseWriter, r *http.Request, m *Memory) {
	h.protocol.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), memoryKey{}, m)))
}

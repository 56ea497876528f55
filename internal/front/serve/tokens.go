package serve

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/set-memory/mem"
	"github.com/set-memory/mem/internal/base/advice"
	"github.com/set-memory/mem/internal/base/content"
	"github.com/set-memory/mem/internal/base/disk"
	"github.com/set-memory/mem/internal/base/fault"
	"github.com/set-memory/mem/internal/base/jsonfile"
	"github.com/set-memory/mem/internal/base/ulid"
	"github.com/set-memory/mem/internal/store/pgstore"
	"github.com/set-memory/mem/internal/view/journal"
	"github.com/set-memory/mem/log"
)

const (
	TokensFile = "tokens.json"

	maxTokens = 16 << 20 // bytes of the file

	// tokenPrefix begins every token, so that a finder can tell its purpose.
	tokenPrefix = "mem_"
	tokenDigits = 43 // of base 62: 256 bits
	idPrefix    = "tok_"
)

// ErrNoToken is returned where there is no such token.
var ErrNoToken error = newFault(mem.KindNo, http.StatusNotFound, "no such token",
	advice.RunAlone("token list", "--root", "DIR").Then(" shows the ids"))

// Token is one entry of tokens.json without its sum.
type Token = pgstore.Token

// tokenList is the whole file.
type tokenList struct {
	Version int                   `json:"version"`
	Tokens  []pgstore.StoredToken `json:"tokens"`
}

// Tokens admit requests over the network. Goroutines and processes may share them.
type Tokens struct {
	root *Root
	now  func() time.Time
	wait time.Duration

	mu     sync.Mutex
	read   *os.File // the file that bySum is from; open, so that no other gets its inode
	info   fs.FileInfo
	bySum  map[string]Token
	failed error
}

// NewTokens returns the tokens of a root. A change waits so long for another one.
func NewTokens(r *Root, now func() time.Time, wait time.Duration) *Tokens {
	return &Tokens{root: r, now: now, wait: wait}
}

// Add makes a token as it is wanted, and returns it with its secret, which is not stored. The error
// wraps mem.ErrInput or log.ErrLocked, or is the file system's. A token of a person may name no
// agent.
func (t *Tokens) Add(ctx context.Context, token Token) (_ Token, secret string, err error) {
	if err := checkWanted(token); err != nil {
		return token, "", err
	}
	at := t.now()
	id, err := ulid.New(at, nil)
	if err != nil {
		return token, "", err
	}
	if secret, err = newSecret(rand.Reader); err != nil {
		return token, "", err
	}
	slices.Sort(token.Agents)
	token.ID, token.Created = idPrefix+id, log.StampOf(at)
	token.Agents = slices.Compact(token.Agents)
	token.Member = token.Name()
	if server := t.root.server; server != nil {
		return token, secret, tenantError(
			server.AddToken(ctx, pgstore.StoredToken{Token: token, Sum: sumOf(secret)}))
	}
	err = t.change(ctx, func(list *tokenList) error {
		list.Tokens = append(list.Tokens, pgstore.StoredToken{Token: token, Sum: sumOf(secret)})
		return nil
	})
	return token, secret, err
}

// checkWanted refuses a token that cannot be made.
func checkWanted(token Token) error {
	if err := CheckTenant(token.Tenant); err != nil {
		return err
	}
	if len(token.Agents) == 0 && !token.Person {
		return fault.Input("token", "it is for no agent",
			advice.Shell("--agent ID names one, --person makes one for yourself"))
	}
	for _, agent := range token.Agents {
		if err := journal.CheckAgent(agent); err != nil {
			return err
		}
	}
	if token.Member != "" && !content.IsMember(token.Member) {
		return fault.Input(fmt.Sprintf("member %.80q", token.Member),
			"want 1 to 64 letters, digits and _ . -", nil)
	}
	return nil
}

// Revoke takes a token out, by its id or by itself, and returns it. From then on nobody comes in
// with it. The error wraps ErrNoToken or log.ErrLocked, or is the file system's.
func (t *Tokens) Revoke(ctx context.Context, name string) (token Token, err error) {
	sum := sumOf(name)
	if server := t.root.server; server != nil {
		token, found, err := server.RemoveToken(ctx, name, sum)
		if err == nil && !found {
			err = ErrNoToken
		}
		return token, err
	}
	err = t.change(ctx, func(list *tokenList) error {
		at := slices.IndexFunc(list.Tokens, func(s pgstore.StoredToken) bool {
			return s.ID == name || s.Sum == sum
		})
		if at < 0 {
			return ErrNoToken
		}
		token = list.Tokens[at].Token
		list.Tokens = slices.Delete(list.Tokens, at, at+1)
		return nil
	})
	return token, err
}

// List returns all tokens, the oldest first, without what lets in.
func (t *Tokens) List() ([]Token, error) {
	list, err := t.load()
	tokens := make([]Token, len(list.Tokens))
	for i, s := range list.Tokens {
		tokens[i] = s.Token
	}
	return tokens, err
}

// Check returns the token that somebody brings, as of now; not ok where there is none, or no
// longer. On an error nobody comes in.
func (t *Tokens) Check(secret string) (token Token, ok bool, err error) {
	if server := t.root.server; server != nil {
		return server.Token(sumOf(secret))
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.refresh(); err != nil {
		return token, false, err
	}
	// The time of a lookup reveals at most the sum, which does not lead to the token.
	token, ok = t.bySum[sumOf(secret)]
	return token, ok, nil
}

// refresh reads the file again if it has changed.
func (t *Tokens) refresh() error {
	path := filepath.Join(t.root.path, TokensFile)
	now, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		t.forget()
		return nil
	}
	if err != nil {
		return err
	}
	if t.info != nil && os.SameFile(now, t.info) && now.Size() == t.info.Size() &&
		now.ModTime().Equal(t.info.ModTime()) {
		return t.failed
	}
	t.forget()
	if t.read, err = os.Open(path); err != nil {
		return err
	}
	if t.info, err = t.read.Stat(); err != nil {
		return err
	}
	var list tokenList
	if list, t.failed = decodeTokens(t.read); t.failed != nil {
		return t.failed
	}
	t.bySum = make(map[string]Token, len(list.Tokens))
	for _, s := range list.Tokens {
		t.bySum[s.Sum] = s.Token
	}
	return nil
}

// forget drops the tokens that were read.
func (t *Tokens) forget() {
	if t.read != nil {
		t.read.Close()
	}
	t.read, t.info, t.bySum, t.failed = nil, nil, nil, nil
}

// Close releases the file.
func (t *Tokens) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.forget()
}

func (t *Tokens) load() (list tokenList, err error) {
	if server := t.root.server; server != nil {
		list.Tokens, err = server.Tokens(context.Background())
		return list, err
	}
	f, err := os.Open(filepath.Join(t.root.path, TokensFile))
	if errors.Is(err, fs.ErrNotExist) {
		return list, nil
	}
	if err != nil {
		return list, err
	}
	defer f.Close()
	return decodeTokens(f)
}

func decodeTokens(r io.Reader) (list tokenList, err error) {
	d := json.NewDecoder(io.LimitReader(r, maxTokens))
	if err = d.Decode(&list); err == nil && list.Version > 1 {
		err = log.ErrNewer
	}
	if err != nil {
		err = &fs.PathError{Op: "read", Path: TokensFile, Err: err}
	}
	return list, err
}

// change replaces the file by what fn makes of it, while nobody else does.
func (t *Tokens) change(ctx context.Context, fn func(*tokenList) error) error {
	dir, err := disk.Open(t.root.path)
	if err != nil {
		return err
	}
	defer dir.Close()
	file := jsonfile.File{Name: TokensFile, Lock: "tokens.lock", Op: "token", Since: t.now(),
		Wait: t.wait, Indent: "  "}
	return file.Update(ctx, dir, func() (any, error) {
		list, err := t.load()
		if err == nil {
			err = fn(&list)
		}
		list.Version = 1
		return list, err
	})
}

// sumOf returns the SHA-256 of a token in hex.
func sumOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// newSecret returns a token of 256 random bits.
func newSecret(random io.Reader) (string, error) {
	var bits [32]byte
	if _, err := io.ReadFull(random, bits[:]); err != nil {
		return "", err
	}
	digits := new(big.Int).SetBytes(bits[:]).Text(62)
	return tokenPrefix + strings.Repeat("0", tokenDigits-len(digits)) + digits, nil
}

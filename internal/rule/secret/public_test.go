package secret

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// draw makes texts of characters that are drawn from a set, the same ones in every run.
type draw struct{ *rand.Rand }

func newDraw() draw { return draw{rand.New(rand.NewPCG(7, 7))} }

func (d draw) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(d.IntN(256))
	}
	return b
}

func (d draw) base64(n int) string { return base64.StdEncoding.EncodeToString(d.bytes(n)) }

func (d draw) raw64(n int) string { return base64.RawStdEncoding.EncodeToString(d.bytes(n)) }

func (d draw) hex(n int) string { return hex.EncodeToString(d.bytes(n)) }

func (d draw) of(set string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = set[d.IntN(len(set))]
	}
	return string(b)
}

const (
	base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
	base32 = "abcdefghijklmnopqrstuvwxyz234567"
	bech32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7l"
)

// publicForms make what looks drawn and is public: keys, their fingerprints, and hashes.
var publicForms = map[string]func(draw) string{
	"ssh fingerprint": func(d draw) string { return "SHA256:" + d.raw64(32) },
	"ssh listing": func(d draw) string {
		return "256 SHA256:" + d.raw64(32) + " ada@laptop (ED25519)"
	},
	"ssh md5": func(d draw) string {
		return "MD5:" + strings.Trim(strings.ReplaceAll(fmt.Sprintf("% x", d.bytes(16)), " ",
			":"), ":")
	},
	"ssh key": func(d draw) string {
		return "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + d.of(base58, 43) + " ada@acme.io"
	},
	"ssh key, old": func(d draw) string {
		return "AAAAB3NzaC1yc2EAAAADAQABAAABgQ" + d.base64(384) + " deploy@ci"
	},
	"known host": func(d draw) string {
		return "|1|" + d.base64(20) + "|" + d.base64(20) +
			" ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" +
			d.of(base58, 43)
	},
	"extended key":    func(d draw) string { return "xpub" + d.of(base58, 107) },
	"extended key, z": func(d draw) string { return "zpub" + d.of(base58, 107) },
	"descriptor": func(d draw) string {
		return "wpkh([" + d.hex(4) + "/84h/0h/0h]tpub" + d.of(base58, 107) + "/0/*)"
	},
	"commit":        func(d draw) string { return "commit " + d.hex(20) },
	"image":         func(d draw) string { return "sha256:" + d.hex(32) },
	"image by name": func(d draw) string { return "ghcr.io/acme/api@sha256:" + d.hex(32) },
	"pgp":           func(d draw) string { return strings.ToUpper(d.hex(20)) },
	"age":           func(d draw) string { return "age1" + d.of(bech32, 58) },
	"minisign":      func(d draw) string { return "RW" + d.of(base58, 54) },
	"nix": func(d draw) string {
		return "/nix/store/" + d.of(bech32, 32) +
			"-zlib-1.3"
	},
	"npm":              func(d draw) string { return "sha512-" + d.base64(64) },
	"sri":              func(d draw) string { return "sha384-" + d.base64(48) },
	"pin":              func(d draw) string { return "sha256//" + d.base64(32) },
	"go":               func(d draw) string { return "h1:" + d.base64(32) },
	"bitcoin":          func(d draw) string { return "bc1q" + d.of(bech32, 38) },
	"ethereum":         func(d draw) string { return "0x" + d.hex(20) },
	"solana":           func(d draw) string { return "address " + d.of(base58, 44) },
	"nostr":            func(d draw) string { return "npub1" + d.of(bech32, 58) },
	"cid":              func(d draw) string { return "Qm" + d.of(base58, 44) },
	"cid 1":            func(d draw) string { return "bafybei" + d.of(base32, 52) },
	"did":              func(d draw) string { return "did:key:z6Mk" + d.of(base58, 44) },
	"peer":             func(d draw) string { return "12D3KooW" + d.of(base58, 44) },
	"tor":              func(d draw) string { return "http://" + d.of(base32, 56) + ".onion" },
	"wireguard":        func(d draw) string { return "PublicKey = " + d.base64(32) },
	"wireguard, named": func(d draw) string { return "public key: " + d.base64(32) },
	"raw public key":   func(d draw) string { return `"public_key": "` + d.base64(32) + `"` },
	"raw pubkey":       func(d draw) string { return `{"pubkey": "` + d.base64(32) + `"}` },
	"jwk": func(d draw) string {
		return `{"kty":"EC","crv":"P-256","x":"` + base64.RawURLEncoding.EncodeToString(d.bytes(32)) +
			`","y":"` + base64.RawURLEncoding.EncodeToString(d.bytes(32)) + `"}`
	},
	"fingerprint": func(d draw) string { return "fingerprint " + d.raw64(32) },
}

// What is public may be written anywhere.
func TestPublicKeysPass(t *testing.T) {
	t.Parallel()
	for name, form := range publicForms {
		d := newDraw()
		wrong, last := 0, ""
		for _, around := range []string{"%", "the host key of build-3 is %", "key: %", "host key %",
			"see % for it", "fingerprint: %", "the deploy key's fingerprint: %\nand more", "(%)",
			"| laptop | % |", "Ada: %", "deploy key %", "release signing key: %", "key=%", `"id":"%"`,
			"trusted keys:\n  - %\n  - %", "the signing key of the auth service is %",
			"pinned to %", "token service image %", "checksum %", "public key: %", "recipient %",
			"verified with %"} {
			for range 20 {
				text := strings.ReplaceAll(around, "%", form(d))
				if ScanNote("content", quoted(text)) != nil || Scan("content",
					quoted(text)) != nil {
					wrong++
					last = text
				}
			}
		}
		if wrong > 0 {
			t.Errorf("%s: %d of 440 refused, as %s", name, wrong, last)
		}
	}
}

// A secret beside what is public, or of its form but not of its length, is one.
func TestPrivateKeysAreFound(t *testing.T) {
	t.Parallel()
	d := newDraw()
	for _, text := range []string{
		"wallet xp^rv9s21ZrQH143K" + d.of(base58, 96), "PrivateKey = " + d.base64(32),
		"PublicKey = " + d.base64(32) + "\nPresharedKey = " + d.base64(32),
		`{"kty":"OKP","crv":"Ed25519","x":"` + d.raw64(32) + `","d":"` + d.of(base58, 43) + `"}`,
		"age1" + d.of(bech32, 58) + "\nAGE-SEC^RET-KEY-1" + d.of(strings.ToUpper(bech32), 58),
		"bearer AA^AAAAAAAAAAAAAAAAAAAAAA" + d.of(base58, 90), "sha512-" + d.of(base58, 44),
		"nsec1 key " + d.of(bech32, 58), "token: " + strings.ToUpper(d.hex(20)),
		"fingerprint of the host, password: Tr0mbone-41", "public repository " + d.of(base58, 60),
	} {
		text = strings.ReplaceAll(text, "^", "")
		if Scan("content", quoted(text)) == nil {
			t.Errorf("passes: %s", text)
		}
	}
}

package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	_ "embed"
	"encoding/pem"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/set-memory/mem/scripts/harness"
)

//go:embed install.sh
var installer string

var errKey = errors.New("want a private key of ECDSA P-256 in PEM: " +
	"openssl ecparam -name prime256v1 -genkey -noout -out FILE")

// readKey reads the private key of a file, in SEC 1 or PKCS #8.
func readKey(file string) *ecdsa.PrivateKey {
	text := harness.Must(os.ReadFile(file))
	block, _ := pem.Decode(text)
	if block == nil {
		harness.Failf("%s: %w", file, errKey)
	}
	key, err := x509.ParseECPrivateKey(block.Bytes)
	if err != nil {
		var any any
		if any, err = x509.ParsePKCS8PrivateKey(block.Bytes); err == nil {
			key, _ = any.(*ecdsa.PrivateKey)
		}
	}
	if err != nil || key == nil || key.Curve != elliptic.P256() {
		harness.Failf("%s: %w", file, errKey)
	}
	return key
}

// writeInstaller writes install.sh for this version, with the public key of a signed one.
func (r release) writeInstaller() {
	public := ""
	if r.key != nil {
		der := harness.Must(x509.MarshalPKIXPublicKey(&r.key.PublicKey))
		public = string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
	}
	text := strings.NewReplacer("@VERSION@", r.version,
		"@PUBLIC_KEY@", strings.TrimSuffix(public, "\n")).Replace(installer)
	harness.Check(os.WriteFile(filepath.Join(r.out, "install.sh"), []byte(text), 0o755))
}

// sign writes the signature of checksums.txt, as openssl dgst -sha256 -sign would.
func (r release) sign() {
	if r.key == nil {
		return
	}
	text := harness.Must(os.ReadFile(filepath.Join(r.out, checksums)))
	sum := sha256.Sum256(text)
	signature := harness.Must(ecdsa.SignASN1(rand.Reader, r.key, sum[:]))
	harness.Check(os.WriteFile(filepath.Join(r.out, checksums+".sig"), signature, 0o644))
}

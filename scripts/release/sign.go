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
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

//go:embed install.sh
var installer string

var errKey = errors.New("want a private key of ECDSA P-256 in PEM: " +
	"openssl ecparam -name prime256v1 -genkey -noout -out FILE")

// readKey reads the private key of a file, in SEC 1 or PKCS #8.
func readKey(file string) (*ecdsa.PrivateKey, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, fmt.Errorf("%s: %w", file, errKey)
	}
	key, err := x509.ParseECPrivateKey(block.Bytes)
	if err != nil {
		var any any
		if any, err = x509.ParsePKCS8PrivateKey(block.Bytes); err == nil {
			key, _ = any.(*ecdsa.PrivateKey)
		}
	}
	if err != nil || key == nil || key.Curve != elliptic.P256() {
		return nil, fmt.Errorf("%s: %w", file, errKey)
	}
	return key, nil
}

// writeInstaller writes install.sh for this version, with the public key of a signed one.
func (r release) writeInstaller() error {
	public := ""
	if r.key != nil {
		der, err := x509.MarshalPKIXPublicKey(&r.key.PublicKey)
		if err != nil {
			return err
		}
		public = string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
	}
	text := strings.NewReplacer("@VERSION@", r.version,
		"@PUBLIC_KEY@", strings.TrimSuffix(public, "\n")).Replace(installer)
	return os.WriteFile(filepath.Join(r.out, "install.sh"), []byte(text), 0o755)
}

// sign writes the signature of checksums.txt, as openssl dgst -sha256 -sign would.
func (r release) sign() error {
	if r.key == nil {
		return nil
	}
	text, err := os.ReadFile(filepath.Join(r.out, checksums))
	if err != nil {
		return err
	}
	sum := sha256.Sum256(text)
	signature, err := ecdsa.SignASN1(rand.Reader, r.key, sum[:])
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.out, checksums+".sig"), signature, 0o644)
}

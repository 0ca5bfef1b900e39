package npm

import (
	"bytes"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// digests are the hash functions that registries use, the strongest first. Packuments of
// versions from before 2017 have only SHA-1.
var digests = [...]struct {
	name string
	make func() hash.Hash
}{
	{"sha512", sha512.New},
	{"sha384", sha512.New384},
	{"sha256", sha256.New},
	{"sha1", sha1.New},
}

// integrityOf returns the strongest digest of a version as Subresource Integrity. A
// version without a digest cannot be installed.
func integrityOf(m *manifest) (string, error) {
	for _, digest := range digests {
		for candidate := range strings.FieldsSeq(m.Dist.Integrity) {
			candidate, _, _ = strings.Cut(candidate, "?")
			if name, sum, _ := strings.Cut(candidate, "-"); name == digest.name && sum != "" {
				return candidate, nil
			}
		}
	}
	if sum, err := hex.DecodeString(m.Dist.Shasum); err == nil && len(sum) == sha1.Size {
		return "sha1-" + base64.StdEncoding.EncodeToString(sum), nil
	}
	return "", core.Errorf(core.CodeUnavailable, "the registry gives no digest for %s@%s", m.Name, m.Version)
}

// digestOf returns a digest's hash function and the expected sum.
func digestOf(integrity string) (hash.Hash, []byte, error) {
	name, text, _ := strings.Cut(integrity, "-")
	sum, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, nil, err
	}
	for _, digest := range digests {
		if function := digest.make(); digest.name == name && function.Size() == len(sum) {
			return function, sum, nil
		}
	}
	return nil, nil, errors.New("the digest " + integrity + " has an unknown algorithm")
}

// verify verifies content against a package's digest.
func verify(content io.Reader, pkg *lockedPackage) error {
	sum, want, err := digestOf(pkg.Integrity)
	if err != nil {
		return core.Wrap(core.CodeUnavailable, err, "the digest of %s cannot be read", pkg.key())
	}
	if _, err := io.Copy(sum, content); err != nil {
		return err
	}
	if !bytes.Equal(sum.Sum(nil), want) {
		return core.Errorf(core.CodeUnavailable, "the content of %s does not match its integrity", pkg.key())
	}
	return nil
}

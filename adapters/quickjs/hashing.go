package quickjs

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"hash"

	"github.com/atelierhq/atelier/core"
)

// maxRandom bounds the random bytes of one call.
const maxRandom = 65536

// compute performs an operation of crypto.subtle.
func compute(name string, given arguments) (any, error) {
	switch name {
	case "random":
		content := make([]byte, max(0, min(given.number(0), maxRandom)))
		_, _ = rand.Read(content) // it never fails
		return base64.StdEncoding.EncodeToString(content), nil
	case "equal":
		a, err := given.bytes(0)
		if err != nil {
			return nil, err
		}
		b, err := given.bytes(1)
		return hmac.Equal(a, b), err
	}
	algorithm, err := hashOf(given.text(0))
	if err != nil {
		return nil, err
	}
	first, err := given.bytes(1)
	if err != nil {
		return nil, err
	}
	sum := algorithm()
	if name == "hmac" {
		sum = hmac.New(algorithm, first)
		if first, err = given.bytes(2); err != nil {
			return nil, err
		}
	}
	sum.Write(first)
	return base64.StdEncoding.EncodeToString(sum.Sum(nil)), nil
}

func hashOf(name string) (func() hash.Hash, error) {
	switch name {
	case "SHA-1":
		return sha1.New, nil
	case "SHA-256":
		return sha256.New, nil
	case "SHA-384":
		return sha512.New384, nil
	case "SHA-512":
		return sha512.New, nil
	}
	return nil, core.Errorf(core.CodeValidationFailed, "unknown hash")
}

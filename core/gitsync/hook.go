package gitsync

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"io"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// maxCallBytes is the largest request to a webhook: that of GitHub.
const maxCallBytes = 25 << 20

// Call is a request to a webhook.
type Call struct {
	// Token is that of the address.
	Token string
	// Body is read only once the token is known, and at most maxCallBytes of it.
	Body io.Reader
	// Signatures are the headers with an HMAC-SHA256 of the body in hexadecimal, as GitHub, Gitea and
	// Forgejo send it, some behind "sha256=". Secret is the header in which GitLab sends the secret
	// itself. "" is a header that is not there.
	Signatures []string
	Secret     string
}

// hookSecret is the secret that the requests to a webhook must prove.
func (s *Service) hookSecret(remote core.ID) string {
	return s.deps.Sealer.Token("remote hook", string(remote))
}

// Call takes a request to the webhook of a connection, and has the host asked at once. The request's
// body is not believed. It returns core.CodeNotFound for an unknown token, and
// core.CodeUnauthenticated for a request that does not prove the secret, and
// core.CodePayloadTooLarge.
func (s *Service) Call(ctx context.Context, call Call) error {
	remote, err := s.deps.Store.Tables().ProjectRemotes.ByHook(ctx, core.HashSecret(call.Token))
	if err != nil {
		return err
	}
	proven, err := call.proves(s.hookSecret(remote.ID))
	if err != nil {
		return err
	}
	if !proven {
		return core.Errorf(core.CodeUnauthenticated, "the request does not prove the secret of the webhook")
	}
	_, err = s.hasten(ctx, remote.ID)
	return err
}

// proves reports whether a request proves the secret.
func (c Call) proves(secret string) (bool, error) {
	if c.Secret != "" && subtle.ConstantTimeCompare([]byte(c.Secret), []byte(secret)) == 1 {
		return true, nil
	}
	mac := hmac.New(sha256.New, []byte(secret))
	read, err := io.Copy(mac, io.LimitReader(c.Body, maxCallBytes+1))
	switch {
	case err != nil:
		return false, core.Wrap(core.CodeInvalidRequest, err, "the request broke off")
	case read > maxCallBytes:
		return false, core.Errorf(core.CodePayloadTooLarge, "the request has more than %d bytes", maxCallBytes)
	}
	want := mac.Sum(nil)
	for _, signature := range c.Signatures {
		got, err := hex.DecodeString(strings.TrimPrefix(signature, "sha256="))
		if err == nil && hmac.Equal(got, want) {
			return true, nil
		}
	}
	return false, nil
}

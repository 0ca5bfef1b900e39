package functions

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/functions"
)

// maxRedirects bounds the redirects that a fetch follows.
const maxRedirects = 5

// Fetch implements functions.Host. It reaches the hosts that the workspace lists at the
// moment, also after redirects.
func (h *host) Fetch(ctx context.Context, request functions.Request) (functions.Response, error) {
	workspace, err := h.deps.Store.Tables().Workspaces.ByID(ctx, h.tenant)
	if err != nil {
		return functions.Response{}, err
	}
	at, err := url.Parse(request.URL)
	if err != nil {
		return functions.Response{}, core.Errorf(core.CodeValidationFailed, "the address is not valid")
	}
	header := endToEnd(request.Header)
	if header.Get("User-Agent") == "" {
		header.Set("User-Agent", "atelier-function")
	}
	for range maxRedirects + 1 {
		answer, err := h.send(ctx, workspace.CommandHosts, request.Method, at, header, request.Body)
		if err != nil {
			return functions.Response{}, err
		}
		next := redirected(at, answer)
		if next == nil {
			return answer, nil
		}
		if next.Host != at.Host || next.Scheme != at.Scheme {
			header.Del("Authorization")
			header.Del("Cookie")
		}
		if answer.Status < http.StatusTemporaryRedirect && request.Method != http.MethodGet && request.Method != http.MethodHead {
			request.Method, request.Body = http.MethodGet, nil
			header.Del("Content-Type")
		}
		at = next
	}
	return functions.Response{}, core.Errorf(core.CodeValidationFailed, "the address redirects more than %d times", maxRedirects)
}

// redirected returns the target of a redirect, or nil.
func redirected(from *url.URL, answer functions.Response) *url.URL {
	switch answer.Status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil
	}
	location := answer.Header.Get("Location")
	next, err := from.Parse(location)
	if location == "" || err != nil {
		return nil
	}
	return next
}

// send sends one request to an allowed host.
func (h *host) send(ctx context.Context, allowed core.HostPatterns, method string, at *url.URL, header http.Header, body []byte) (functions.Response, error) {
	if !allowed.Allow(at.Hostname()) {
		return functions.Response{}, core.Errorf(core.CodeForbidden, "functions may not reach %q: an admin of the workspace can allow the host", at.Hostname())
	}
	if err := h.deps.Guard.Check(at.String()); err != nil {
		return functions.Response{}, err
	}
	r, err := http.NewRequestWithContext(ctx, method, at.String(), bytes.NewReader(body))
	if err != nil {
		return functions.Response{}, core.Errorf(core.CodeValidationFailed, "the request is not valid")
	}
	r.Header = header.Clone()
	r.Header.Del("Host")
	answer, err := h.deps.Guard.Client().Do(r)
	if err != nil {
		return functions.Response{}, unreachable(at, err)
	}
	defer answer.Body.Close()
	content, err := io.ReadAll(io.LimitReader(answer.Body, functions.MaxAnswerBytes+1))
	if err != nil {
		return functions.Response{}, unreachable(at, err)
	}
	if len(content) > functions.MaxAnswerBytes {
		return functions.Response{}, core.Errorf(core.CodePayloadTooLarge, "the answer has more than %d MiB", functions.MaxAnswerBytes>>20)
	}
	kept := endToEnd(answer.Header)
	if answer.Uncompressed {
		kept.Del("Content-Encoding")
	}
	return functions.Response{Status: answer.StatusCode, Header: kept, Body: content}, nil
}

// unreachable tells a function that a host did not answer. It omits the reason, which may
// contain addresses of the service's network.
func unreachable(at *url.URL, err error) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var known *core.Error
	if errors.As(err, &known) && known.Code == core.CodeForbiddenAddress {
		return known
	}
	return core.Wrap(core.CodeUnavailable, err, "%s did not answer", at.Hostname())
}

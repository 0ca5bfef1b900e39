package attachments

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/atelierhq/atelier/core"
)

// Limits of fetching one image.
const (
	fetchTime    = 10 * time.Second
	maxRedirects = 5
)

// fetch returns the content at an address, at most one byte more than an image may
// have. The guard checks every address of a redirect like the first.
func (l *Loader) fetch(ctx context.Context, address string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	for range maxRedirects + 1 {
		response, err := l.get(ctx, address)
		if err != nil {
			return nil, unreachable(ctx, err)
		}
		next, redirected := redirect(response)
		if !redirected {
			return read(ctx, response)
		}
		_ = response.Body.Close()
		if address = next; address == "" {
			return nil, refuse("url cannot be fetched: its server sent a redirect without a target")
		}
	}
	return nil, refuse("url cannot be fetched: its server redirects more than %d times", maxRedirects)
}

func (l *Loader) get(ctx context.Context, address string) (*http.Response, error) {
	if err := l.guard.Check(address); err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "image/png, image/jpeg, image/webp, image/gif")
	request.Header.Set("User-Agent", "Atelier")
	return l.guard.Client().Do(request)
}

// redirect returns the address to which an answer redirects, "" for an invalid one.
func redirect(response *http.Response) (address string, redirected bool) {
	switch response.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return "", false
	}
	location, err := response.Location()
	if err != nil {
		return "", true
	}
	return location.String(), true
}

func read(ctx context.Context, response *http.Response) ([]byte, error) {
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, refuse("url cannot be fetched: its server answered with the status %d", response.StatusCode)
	}
	if response.ContentLength > core.MaxImageBytes {
		return nil, tooLarge()
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, core.MaxImageBytes+1))
	// A server may end its answer while the connection is closed.
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, unreachable(ctx, err)
	}
	return data, nil
}

// unreachable keeps the guard's error, and hides the details of any other failure:
// callers must not learn the answers of servers that they cannot reach themselves.
func unreachable(ctx context.Context, err error) error {
	var known *core.Error
	if errors.As(err, &known) && (known.Code == core.CodeForbiddenAddress || known.Code == core.CodeValidationFailed) {
		return core.Wrap(known.Code, known.Cause, "url: %s", known.Message)
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return refuse("url cannot be fetched: its server took longer than %s", fetchTime)
	}
	return core.Wrap(core.CodeValidationFailed, err, "url cannot be fetched: its server cannot be reached")
}

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

// fetch returns what stands at an address, at most one byte more than an image may
// have. The guard judges every address that a redirect leads to as it does the
// first.
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
			return nil, refuse("url cannot be fetched: its server redirects to nowhere")
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

// redirect returns where an answer sends its reader, "" for an address that cannot
// be read.
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
	// A server that is left may end its answer at that very moment.
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, unreachable(ctx, err)
	}
	return data, nil
}

// unreachable keeps the guard's judgement of an address, and no more than that of
// any other failure: what a server says is for nobody who cannot reach it.
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

package npm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/ctxsync"
)

// registry is a client of the registries' HTTP interface. Requests only read, so they are
// retried after transient failures.
type registry struct {
	upstreams upstreams
	client    *http.Client
	// backoff is the pause before the second attempt.
	backoff time.Duration
	// stallTimeout is how long a registry may take for the next stallBytes.
	stallTimeout time.Duration
	limits       limits
}

const (
	// maxAttempts is how often a request is made in total.
	maxAttempts = 4
	// maxRetryAfter bounds how long a registry's Retry-After is obeyed.
	maxRetryAfter = 10 * time.Second
	// requestTimeout bounds one request with its body.
	requestTimeout = 5 * time.Minute
	// defaultStallTimeout and stallBytes together mean that a connection below one kilobyte a
	// second has failed.
	defaultStallTimeout = 20 * time.Second
	stallBytes          = 16 << 10

	abbreviated = "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8"
)

// errTooLarge reports that a body exceeds its limit.
var errTooLarge = errors.New("the answer is larger than its limit")

// statusError is an answer other than 200.
type statusError struct {
	status     int
	retryAfter time.Duration
}

// Error implements error.
func (e *statusError) Error() string { return "the registry answered " + strconv.Itoa(e.status) }

// hasStatus reports whether err is an answer with the status.
func hasStatus(err error, status int) bool {
	var answer *statusError
	return errors.As(err, &answer) && answer.status == status
}

// request is one request to a registry.
type request struct {
	from    *upstream
	address string
	accept  string
	// etag, if not empty, makes the registry answer with a statusError of 304 if the tag
	// is still current.
	etag string
}

// packument fetches the packument of a package. If the package does not exist, the error
// has code core.CodeValidationFailed.
func (r *registry) packument(ctx context.Context, name string) (*packument, error) {
	from := r.upstreams.of(name)
	var result *packument
	err := r.get(ctx, request{from: from, address: from.packumentURL(name), accept: abbreviated}, func(answer *http.Response) error {
		text, err := io.ReadAll(&limitedReader{answer.Body, r.limits.packumentBytes})
		if err != nil {
			return err
		}
		result = new(packument)
		return json.Unmarshal(text, result)
	})
	return result, explainPackument(ctx, err, name)
}

// explainPackument gives a failure to read a packument its code.
func explainPackument(ctx context.Context, err error, name string) error {
	switch {
	case hasStatus(err, http.StatusNotFound):
		return core.Errorf(core.CodeValidationFailed, "there is no package %q", name)
	case errors.Is(err, errTransient):
		return explain(ctx, err, "the package registry cannot be reached for "+name)
	}
	return explain(ctx, err, "the package registry cannot be read for "+name)
}

// tarball streams an archive. open returns a new writer for every attempt.
func (r *registry) tarball(ctx context.Context, pkg *lockedPackage, open func() (io.Writer, error)) error {
	from := r.upstreams.of(pkg.Name)
	address, err := from.tarballURL(pkg.Tarball)
	if err != nil {
		return err
	}
	err = r.get(ctx, request{from: from, address: address, accept: "*/*"}, func(answer *http.Response) error {
		writer, err := open()
		if err != nil {
			return err
		}
		_, err = io.Copy(writer, &limitedReader{answer.Body, r.limits.tarballBytes})
		return err
	})
	if errors.Is(err, errTransient) {
		return explain(ctx, err, "the package registry cannot be reached for the archive of "+pkg.key())
	}
	return explain(ctx, err, "the package registry cannot be read for the archive of "+pkg.key())
}

// get requests an address, at most maxAttempts times, with back-off.
func (r *registry) get(ctx context.Context, asked request, read func(*http.Response) error) error {
	var err error
	for attempt := range maxAttempts {
		if attempt > 0 {
			if err := ctxsync.Sleep(ctx, r.pause(attempt, err)); err != nil {
				return err
			}
		}
		if err = r.getOnce(ctx, asked, read); err == nil || !isTransient(err) || ctx.Err() != nil {
			return err
		}
	}
	return err
}

func (r *registry) getOnce(ctx context.Context, asked request, read func(*http.Response) error) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, asked.address, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", asked.accept)
	if asked.etag != "" {
		req.Header.Set("If-None-Match", asked.etag)
	}
	if asked.from.token != "" && asked.from.owns(req.URL) {
		req.Header.Set("Authorization", "Bearer "+asked.from.token)
	}
	timer := time.AfterFunc(r.stallTimeout, cancel)
	defer timer.Stop()
	res, err := r.client.Do(req)
	if core.IsCode(err, core.CodeForbiddenAddress) {
		return core.Errorf(core.CodeUnavailable, "the package registry gave an address that is not allowed")
	}
	if err != nil {
		return fmt.Errorf("%w: %w", errTransient, err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return &statusError{res.StatusCode, retryAfter(res.Header)}
	}
	res.Body = &stallBody{ReadCloser: res.Body, timer: timer, timeout: r.stallTimeout}
	return read(res)
}

// errTransient marks a failure of the network.
var errTransient = errors.New("the connection failed")

// isTransient reports whether the same request may succeed later.
func isTransient(err error) bool {
	var status *statusError
	if errors.As(err, &status) {
		return status.status == http.StatusTooManyRequests || status.status >= 500
	}
	return errors.Is(err, errTransient)
}

// stallBody resets the timeout after every stallBytes. Its errors distinguish a truncated
// body from wrong content.
type stallBody struct {
	io.ReadCloser
	timer   *time.Timer
	timeout time.Duration
	bytes   int
}

// Read implements io.Reader.
func (b *stallBody) Read(buffer []byte) (int, error) {
	n, err := b.ReadCloser.Read(buffer)
	if b.bytes += n; b.bytes >= stallBytes {
		b.bytes = 0
		b.timer.Reset(b.timeout)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("%w: %w", errTransient, err)
	}
	return n, err
}

// limitedReader fails with errTooLarge after more than left bytes.
type limitedReader struct {
	body io.Reader
	left int64
}

// Read implements io.Reader.
func (r *limitedReader) Read(buffer []byte) (int, error) {
	n, err := r.body.Read(buffer)
	r.left -= int64(n)
	if r.left < 0 {
		return 0, errTooLarge
	}
	return n, err
}

// pause is the back-off before the next attempt. It doubles with every attempt and has
// jitter, so that many callers do not return together. A registry's Retry-After overrides
// it, within bounds.
func (r *registry) pause(attempt int, err error) time.Duration {
	var status *statusError
	if errors.As(err, &status) && status.retryAfter > 0 {
		return min(status.retryAfter, maxRetryAfter)
	}
	backoff := r.backoff << (attempt - 1)
	return backoff/2 + rand.N(backoff)
}

func retryAfter(header http.Header) time.Duration {
	seconds, err := strconv.ParseUint(header.Get("Retry-After"), 10, 16)
	if err != nil {
		return 0
	}
	return time.Duration(seconds) * time.Second
}

// explain gives a failure its code. An error that has one keeps it.
func explain(ctx context.Context, err error, message string) error {
	_, coded := asCoded(err)
	switch {
	case err == nil || coded:
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return core.Wrap(core.CodeUnavailable, err, "%s", message)
}

// asCoded returns the part of an error that has a code.
func asCoded(err error) (*core.Error, bool) {
	var coded *core.Error
	return coded, errors.As(err, &coded)
}

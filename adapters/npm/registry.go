package npm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
)

// registry speaks the registry's HTTP interface. Requests only read, so they are
// repeated when they fail for a passing reason.
type registry struct {
	base       *url.URL
	client     *http.Client
	retryAfter time.Duration
	limits     limits
}

const (
	// attempts is how often a request is made in all.
	attempts = 4
	// maxRetryAfter bounds how long a registry's Retry-After is waited for.
	maxRetryAfter = 10 * time.Second
	// requestTimeout bounds one request with its body.
	requestTimeout = 5 * time.Minute

	abbreviated = "application/vnd.npm.install-v1+json; q=1.0, application/json; q=0.8"
)

// errTooLarge says that a body is larger than its limit.
var errTooLarge = errors.New("the answer is larger than its limit")

// statusError is an answer other than 200.
type statusError struct {
	status     int
	retryAfter time.Duration
}

func (e *statusError) Error() string { return "the registry answered " + strconv.Itoa(e.status) }

// newClient bounds what a request may wait for, and lets many run side by side
// over few connections.
func newClient() *http.Client {
	transport := &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		ForceAttemptHTTP2:     true,
		MaxIdleConnsPerHost:   parallelRequests,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   15 * time.Second,
		ResponseHeaderTimeout: 30 * time.Second,
	}
	return &http.Client{Transport: transport}
}

// packument fetches what the registry knows about a package. A package that does
// not exist has code core.CodeValidationFailed.
func (r *registry) packument(ctx context.Context, name string) (*packument, error) {
	address := r.base.String() + "/" + strings.Replace(name, "/", "%2f", 1)
	var result *packument
	err := r.get(ctx, address, func(body io.Reader) error {
		text, err := io.ReadAll(&limitedReader{body, r.limits.packumentBytes})
		if err != nil {
			return err
		}
		result = new(packument)
		return json.Unmarshal(text, result)
	})
	if err == nil {
		return result, nil
	}
	var status *statusError
	if errors.As(err, &status) && status.status == http.StatusNotFound {
		return nil, core.Errorf(core.CodeValidationFailed, "there is no package %q", name)
	}
	return nil, explain(ctx, err, "the package registry cannot be read for "+name)
}

// tarball streams an archive into each new writer that open gives: one for every
// attempt.
func (r *registry) tarball(ctx context.Context, address string, open func() (io.Writer, error)) error {
	target, err := r.tarballURL(address)
	if err != nil {
		return err
	}
	err = r.get(ctx, target, func(body io.Reader) error {
		writer, err := open()
		if err != nil {
			return err
		}
		_, err = io.Copy(writer, &limitedReader{body, r.limits.tarballBytes})
		return err
	})
	return explain(ctx, err, "the package registry cannot be read for "+address)
}

// tarballURL sends requests for the public registry's archives to the registry
// in use, as npm does: mirrors hand on packuments as they are.
func (r *registry) tarballURL(address string) (string, error) {
	target, err := url.Parse(address)
	if err != nil || target.Scheme != "http" && target.Scheme != "https" || target.Host == "" {
		return "", core.Errorf(core.CodeUnavailable, "the package registry gave an archive address that is none: %q", address)
	}
	if target.Host == "registry.npmjs.org" && r.base.Host != target.Host {
		target.Scheme, target.Host = r.base.Scheme, r.base.Host
		target.Path = strings.TrimSuffix(r.base.Path, "/") + target.Path
	}
	return target.String(), nil
}

// get reads an address, as often as attempts allows.
func (r *registry) get(ctx context.Context, address string, read func(io.Reader) error) error {
	var err error
	for attempt := range attempts {
		if attempt > 0 {
			if err := sleep(ctx, r.pause(attempt, err)); err != nil {
				return err
			}
		}
		if err = r.getOnce(ctx, address, read); err == nil || !passing(err) || ctx.Err() != nil {
			return err
		}
	}
	return err
}

func (r *registry) getOnce(ctx context.Context, address string, read func(io.Reader) error) error {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", abbreviated)
	res, err := r.client.Do(req)
	if err != nil {
		return fmt.Errorf("%w: %w", errPassing, err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return &statusError{res.StatusCode, retryAfter(res.Header)}
	}
	return read(passingReader{res.Body})
}

// errPassing marks a failure of the network.
var errPassing = errors.New("the connection failed")

// passing reports whether the same request may succeed later.
func passing(err error) bool {
	var status *statusError
	if errors.As(err, &status) {
		return status.status == http.StatusTooManyRequests || status.status >= 500
	}
	return errors.Is(err, errPassing)
}

// passingReader tells a body that breaks off from content that is wrong.
type passingReader struct{ body io.Reader }

func (r passingReader) Read(buffer []byte) (int, error) {
	n, err := r.body.Read(buffer)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("%w: %w", errPassing, err)
	}
	return n, err
}

// limitedReader fails with errTooLarge once more than left bytes have come.
type limitedReader struct {
	body io.Reader
	left int64
}

func (r *limitedReader) Read(buffer []byte) (int, error) {
	n, err := r.body.Read(buffer)
	r.left -= int64(n)
	if r.left < 0 {
		return 0, errTooLarge
	}
	return n, err
}

// pause doubles with every attempt, with a spread so that many callers do not
// come back together. A registry's own word counts, within bounds.
func (r *registry) pause(attempt int, err error) time.Duration {
	var status *statusError
	if errors.As(err, &status) && status.retryAfter > 0 {
		return min(status.retryAfter, maxRetryAfter)
	}
	backoff := r.retryAfter << (attempt - 1)
	return backoff/2 + rand.N(backoff)
}

func retryAfter(header http.Header) time.Duration {
	seconds, err := strconv.ParseUint(header.Get("Retry-After"), 10, 16)
	if err != nil {
		return 0
	}
	return time.Duration(seconds) * time.Second
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// explain gives a failure its code. What has one keeps it.
func explain(ctx context.Context, err error, message string) error {
	var coded *core.Error
	switch {
	case err == nil || errors.As(err, &coded):
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return core.Wrap(core.CodeUnavailable, err, "%s", message)
}

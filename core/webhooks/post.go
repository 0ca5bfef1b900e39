package webhooks

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
)

// Bounds of one attempt.
const (
	// postTime bounds the whole of it.
	postTime = 10 * time.Second
	// maxResponseBytes is how much of an answer is read, keptResponseBytes how much of it is kept.
	maxResponseBytes  = 16 << 10
	keptResponseBytes = 1 << 10
)

// attempt is the result of one attempt. It is successful if problem is "". Without at nothing was sent.
type attempt struct {
	at      core.Time
	millis  int64
	status  int
	body    string
	problem core.DeliveryProblem
	// notBefore is how long the receiver asks to wait before the next attempt.
	notBefore time.Duration
}

// post sends a delivery once.
func (w *Worker) post(ctx context.Context, webhook core.Webhook, delivery core.WebhookDelivery) attempt {
	began := w.Now()
	done := attempt{at: core.At(began)}
	bounded, cancel := context.WithTimeout(ctx, postTime)
	defer cancel()
	response, err := w.request(bounded, webhook, delivery, began)
	if err == nil {
		defer response.Body.Close()
		done.status, done.notBefore = response.StatusCode, retryAfter(response.Header, began)
		// A body that ends with the time is not whole.
		if done.body, err = kept(response.Body); err == nil {
			err = bounded.Err()
		}
	}
	done.millis = w.Now().Sub(began).Milliseconds()
	switch {
	case err != nil:
		done.problem = describe(bounded, err)
	case done.status >= 300 && done.status < 400:
		done.problem = core.DeliveryRedirected
	case done.status < 200 || done.status > 299:
		done.problem = core.DeliveryRefused
	}
	return done
}

// request makes the signed request, with the time of this attempt.
func (w *Worker) request(ctx context.Context, webhook core.Webhook, delivery core.WebhookDelivery, at time.Time) (*http.Response, error) {
	keys, err := keysOf(w.Sealer, webhook, core.At(at))
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, webhook.URL, strings.NewReader(delivery.Payload))
	if err != nil {
		return nil, err
	}
	id := messageName(delivery.MessageID)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "Atelier-Webhooks/1")
	request.Header.Set("webhook-id", id)
	request.Header.Set("webhook-timestamp", strconv.FormatInt(at.Unix(), 10))
	request.Header.Set("webhook-signature", Sign(keys, id, at, delivery.Payload))
	return w.Guard.Client().Do(request)
}

// kept reads a bounded part of an answer, and returns the beginning as text. An answer that breaks off
// within that part is an error.
func kept(body io.Reader) (string, error) {
	content, err := io.ReadAll(io.LimitReader(body, maxResponseBytes))
	text := strings.ToValidUTF8(string(content[:min(len(content), keptResponseBytes)]), "\ufffd")
	return strings.ReplaceAll(text, "\x00", "\ufffd"), err
}

// retryAfter returns the wait that an answer asks for with Retry-After, in seconds or as a date (RFC
// 9110, section 10.2.3): at most maxWait, and 0 for what is invalid or past.
func retryAfter(header http.Header, now time.Time) time.Duration {
	text := header.Get("Retry-After")
	if seconds, err := strconv.ParseUint(text, 10, 32); err == nil {
		return min(time.Duration(seconds)*time.Second, maxWait)
	}
	date, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	return min(max(date.Sub(now), 0), maxWait)
}

// describe says why there was no whole answer. It leaves out what would tell of networks that only the
// service sees.
func describe(ctx context.Context, err error) core.DeliveryProblem {
	var name *net.DNSError
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	switch {
	case core.IsCode(err, core.CodeForbiddenAddress):
		return core.DeliveryForbidden
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return core.DeliveryTimeout
	case errors.As(err, &certificate):
		return core.DeliveryCertificate
	case errors.As(err, &record), errors.As(err, &alert):
		return core.DeliveryTLS
	case errors.As(err, &name):
		return core.DeliveryNoHost
	case errors.Is(err, io.ErrUnexpectedEOF):
		return core.DeliveryBrokenOff
	}
	return core.DeliveryUnreachable
}

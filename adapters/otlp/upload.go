package otlp

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"

	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

var _ otlptrace.Client = (*uploader)(nil)

const (
	// uploadTime bounds one batch with its repetitions, postTime one attempt.
	uploadTime = 20 * time.Second
	postTime   = 5 * time.Second
	// firstWait is the first back-off; it doubles with every attempt.
	firstWait = 500 * time.Millisecond
	// complainEvery is how often the log hears of failures.
	complainEvery = time.Minute
	// maxAnswerBytes is how much of an answer is read, so that the connection can be used again.
	maxAnswerBytes = 64 << 10
)

// uploader posts batches to the collector.
type uploader struct {
	endpoint *url.URL
	headers  map[string]string
	client   *http.Client
	log      *slog.Logger

	mu         sync.Mutex
	complained time.Time
}

// newUploader returns a client without the environment's proxies, which follows no redirects: the
// headers may hold a key.
func newUploader(config Config) *uploader {
	transport := &http.Transport{MaxIdleConnsPerHost: 1, IdleConnTimeout: time.Minute, TLSHandshakeTimeout: postTime, ForceAttemptHTTP2: true}
	return &uploader{
		endpoint: config.Endpoint, headers: config.Headers, log: config.Log,
		client: &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
}

// Start implements otlptrace.Client.
func (*uploader) Start(context.Context) error { return nil }

// Stop implements otlptrace.Client.
func (u *uploader) Stop(context.Context) error {
	u.client.CloseIdleConnections()
	return nil
}

// UploadTraces implements otlptrace.Client. It repeats what the protocol allows to repeat. The error
// is for the log alone, which hears of one in complainEvery.
func (u *uploader) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	body, err := encode(spans)
	if err == nil {
		err = u.send(ctx, body)
	}
	if err != nil {
		u.complain(err)
	}
	return nil
}

// encode writes the request. An ExportTraceServiceRequest is, byte by byte, a TracesData.
func encode(spans []*tracepb.ResourceSpans) ([]byte, error) {
	message, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: spans})
	if err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	_, err = writer.Write(message)
	err = errors.Join(err, writer.Close())
	return packed.Bytes(), err
}

func (u *uploader) send(ctx context.Context, body []byte) error {
	for wait := firstWait; ; wait *= 2 {
		asked, again, err := u.post(ctx, body)
		if !again {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(max(wait, asked)):
		}
	}
}

// post makes one attempt. again says that another may follow, and asked how long the collector wants
// to have rest before.
func (u *uploader) post(ctx context.Context, body []byte) (asked time.Duration, again bool, err error) {
	bounded, cancel := context.WithTimeout(ctx, postTime)
	defer cancel()
	request, err := http.NewRequestWithContext(bounded, http.MethodPost, u.endpoint.String(), bytes.NewReader(body))
	if err != nil {
		return 0, false, err
	}
	for name, value := range u.headers {
		request.Header.Set(name, value)
	}
	request.Header.Set("Content-Type", "application/x-protobuf")
	request.Header.Set("Content-Encoding", "gzip")
	request.Header.Set("User-Agent", "Atelier-OTLP/1")
	answer, err := u.client.Do(request)
	if err != nil {
		return 0, true, err
	}
	defer func() { _ = answer.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, maxAnswerBytes))
	switch answer.StatusCode {
	case http.StatusOK, http.StatusAccepted, http.StatusNoContent:
		return 0, false, nil
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		again = true
	}
	seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
	return time.Duration(min(max(seconds, 0), int(uploadTime/time.Second))) * time.Second, again, fmt.Errorf("the collector answered %d", answer.StatusCode)
}

// complain logs that traces are lost.
func (u *uploader) complain(err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if now := time.Now(); now.Sub(u.complained) >= complainEvery {
		u.complained = now
		u.log.Warn("could not send traces to OTEL_EXPORTER_OTLP_ENDPOINT", "error", err)
	}
}

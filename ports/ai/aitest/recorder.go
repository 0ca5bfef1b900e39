package aitest

import (
	"encoding/json"
	"io"
	"net/http"
	"reflect"
	"strings"
	"sync"
	"testing"
)

// Recorder answers requests without a network and keeps them.
type Recorder struct {
	// Answer returns the answer to a request by its path with the query and its
	// body.
	Answer func(target, body string) (status int, answer string)

	mu   sync.Mutex
	sent []VendorRequest
}

// VendorRequest is a request that reached a vendor.
type VendorRequest struct {
	Target string
	Header http.Header
	Body   string
}

// Client returns an http.Client whose requests the recorder answers.
func (r *Recorder) Client() *http.Client { return &http.Client{Transport: r} }

// RoundTrip implements http.RoundTripper.
func (r *Recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	sent := VendorRequest{Target: request.URL.RequestURI(), Header: request.Header}
	if request.Body != nil {
		data, err := io.ReadAll(request.Body)
		if err != nil {
			return nil, err
		}
		sent.Body = string(data)
	}
	r.mu.Lock()
	r.sent = append(r.sent, sent)
	r.mu.Unlock()
	status, answer := r.Answer(sent.Target, sent.Body)
	return &http.Response{
		StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(answer)), Request: request,
	}, nil
}

// Last returns the newest request. It fails the test if there is none.
func (r *Recorder) Last(t *testing.T) VendorRequest {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.sent) == 0 {
		t.Fatal("no request was sent")
	}
	return r.sent[len(r.sent)-1]
}

// SameJSON fails the test when two JSON texts differ in more than white space
// and the order of members.
func SameJSON(t *testing.T, got, want string) {
	t.Helper()
	var gotValue, wantValue any
	if err := json.Unmarshal([]byte(got), &gotValue); err != nil {
		t.Fatalf("got %q: %v", got, err)
	}
	if err := json.Unmarshal([]byte(want), &wantValue); err != nil {
		t.Fatalf("want %q: %v", want, err)
	}
	if !reflect.DeepEqual(gotValue, wantValue) {
		t.Errorf("got %s, want %s", got, want)
	}
}

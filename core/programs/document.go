package programs

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
)

// Bounds of documents.
const (
	documentTime     = 5 * time.Second
	maxDocumentBytes = 16 << 10
	// documentLife is how long a document is kept in memory.
	documentLife  = 10 * time.Minute
	documentCount = 500
)

// document is a client ID metadata document, as far as it matters here.
type document struct {
	ClientID   string   `json:"client_id"`
	Name       string   `json:"client_name"`
	Redirects  []string `json:"redirect_uris"`
	AuthMethod string   `json:"token_endpoint_auth_method"`
}

// cachedDocument is a document that was read.
type cachedDocument struct {
	client Client
	until  core.Time
}

// isDocument reports whether a client's id is the address of its document.
func isDocument(clientID string) bool { return strings.HasPrefix(clientID, "https://") }

// checkDocumentAddress refuses addresses that could be written in several ways.
func checkDocumentAddress(address string) (*url.URL, error) {
	parsed, err := url.Parse(address)
	if err != nil || len(address) > maxAddressBytes || parsed.Host == "" || parsed.User != nil || strings.ContainsAny(address, "#\\") ||
		len(parsed.Path) < 2 || path.Clean(parsed.Path) != strings.TrimSuffix(parsed.Path, "/") || parsed.String() != address {
		return nil, core.Errorf(core.CodeValidationFailed, "client_id must be the id of a registered program or an https address with a path")
	}
	return parsed, nil
}

// described returns the program whose document is at an address. The error has code
// core.CodeValidationFailed for a document that cannot be fetched or read, and
// core.CodeForbiddenAddress for an address that may not be reached.
func (s *Service) described(ctx context.Context, address string) (Client, error) {
	parsed, err := checkDocumentAddress(address)
	if err != nil {
		return Client{}, err
	}
	now := core.At(s.Now())
	if known, found := s.documents.Get(address); found && now < known.until {
		return known.client, nil
	}
	text, err := s.fetch(ctx, address)
	if err != nil {
		return Client{}, err
	}
	client, err := read(text, address)
	if err != nil {
		return Client{}, err
	}
	client.Host = parsed.Host
	s.documents.Put(address, cachedDocument{client, now.Add(documentLife)})
	return client, nil
}

// fetch reads a document. No redirect is followed.
func (s *Service) fetch(ctx context.Context, address string) ([]byte, error) {
	if err := s.Guard.Check(address); err != nil {
		return nil, err
	}
	bounded, cancel := context.WithTimeout(ctx, documentTime)
	defer cancel()
	request, err := http.NewRequestWithContext(bounded, http.MethodGet, address, nil)
	if err != nil {
		return nil, noDocument("its address is malformed")
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", "Atelier")
	response, err := s.Guard.Client().Do(request)
	if core.IsCode(err, core.CodeForbiddenAddress) {
		return nil, core.Errorf(core.CodeForbiddenAddress, "the program's document is at an address that may not be reached")
	}
	if err != nil {
		return nil, errors.Join(noDocument("the server does not answer"), ctx.Err())
	}
	defer response.Body.Close()
	kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if response.StatusCode != http.StatusOK || kind != "application/json" && !strings.HasSuffix(kind, "+json") {
		return nil, noDocument("the server does not answer with JSON")
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxDocumentBytes+1))
	if err != nil || len(text) > maxDocumentBytes {
		return nil, noDocument("it is too large or incomplete")
	}
	return text, nil
}

// read checks a document.
func read(text []byte, address string) (Client, error) {
	var found document
	if err := json.Unmarshal(text, &found); err != nil {
		return Client{}, noDocument("it is not valid")
	}
	if found.ClientID != address {
		return Client{}, noDocument("its client_id is not its address")
	}
	if found.AuthMethod != "" && found.AuthMethod != authMethodNone {
		return Client{}, noDocument("it has another token_endpoint_auth_method than none")
	}
	name, redirects, err := checkClient(found.Name, found.Redirects)
	return Client{ID: address, Name: name, redirects: redirects}, err
}

func noDocument(why string) error {
	return core.Errorf(core.CodeValidationFailed, "the program's document cannot be used: %s", why)
}

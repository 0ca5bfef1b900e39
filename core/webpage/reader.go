// Package webpage reads pages of the web for the agent, as text.
//
// An address is fetched with GET through the guarded client (ports/netguard), which refuses
// private addresses at every redirect, where the caller's own rule is asked again, too. Nothing
// of the person's goes along. What comes back is bounded, and only text is taken. text.go makes readable text of HTML in one pass, without a
// tree: nothing nests, so no page costs more than its length. charset.go decodes the character
// sets that the web mostly has.
package webpage

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/netguard"
)

// Bounds of one page.
const (
	fetchTime       = 20 * time.Second
	maxRedirects    = 5
	maxBytes        = 2 << 20
	maxAddressBytes = 2048
)

// Reader reads pages. It may be used by many goroutines.
type Reader struct {
	guard          netguard.Guard
	open           bool
	isPublicSuffix func(host string) bool
}

// NewReader returns a reader. open says that the operator lets the agent read any public page,
// and not only those of hosts that people named. isPublicSuffix knows the names below which
// anybody can have one, such as co.uk.
func NewReader(guard netguard.Guard, open bool, isPublicSuffix func(host string) bool) *Reader {
	return &Reader{guard, open, isPublicSuffix}
}

// Rule returns an error for an address that may not be read.
type Rule func(address string) error

// IsOpen reports whether the agent may read any public page.
func (r *Reader) IsOpen() bool { return r.open }

// IsPublicSuffix reports whether the names below a host belong to anybody.
func (r *Reader) IsPublicSuffix(host string) bool { return r.isPublicSuffix(host) }

// Page is a page as text.
type Page struct {
	// Address is where the redirects ended.
	Address, Title, Text string
	// Cut says that the page is larger than what was read.
	Cut bool
}

// Read fetches a page. It asks rule for the address, and again for that of every redirect: the
// server of a page must not choose where the next request goes. The error is rule's, has the code
//   - core.CodeValidationFailed for an address that is malformed or too long, and for a page
//     that cannot be fetched,
//   - core.CodeForbiddenAddress for one that may not be reached, or that redirects to one,
//   - core.CodeUnsupportedFile for one that is not text,
//
// or is ctx's.
func (r *Reader) Read(ctx context.Context, address string, rule Rule) (Page, error) {
	if err := rule(address); err != nil {
		return Page{}, err
	}
	if len(address) > maxAddressBytes {
		return Page{}, refuse("the address has more than %d bytes", maxAddressBytes)
	}
	bounded, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	for range maxRedirects + 1 {
		response, err := r.get(bounded, address)
		if err != nil {
			return Page{}, unreachable(ctx, bounded, err)
		}
		next, redirected := redirect(response)
		if !redirected {
			page, err := read(response)
			page.Address = address
			if err != nil {
				return Page{}, unreachable(ctx, bounded, err)
			}
			return page, nil
		}
		_ = response.Body.Close()
		if address = next; address == "" {
			return Page{}, refuse("the server sent a redirect without a target")
		}
		if err := rule(address); err != nil {
			return Page{}, elsewhere(err)
		}
	}
	return Page{}, refuse("the server redirects more than %d times", maxRedirects)
}

func (r *Reader) get(ctx context.Context, address string) (*http.Response, error) {
	if err := r.guard.Check(address); err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, refuse("the address is malformed")
	}
	request.Header.Set("Accept", "text/html, text/*;q=0.9, application/json;q=0.9, application/xml;q=0.8")
	request.Header.Set("User-Agent", "Atelier")
	return r.guard.Client().Do(request)
}

// redirect returns the address to which an answer redirects, "" for an invalid one.
func redirect(response *http.Response) (address string, redirected bool) {
	switch response.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return "", false
	}
	location, err := response.Location()
	if err != nil {
		return "", true
	}
	return location.String(), true
}

// read reads an answer up to maxBytes.
func read(response *http.Response) (Page, error) {
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return Page{}, refuse("the server answered with the status %d", response.StatusCode)
	}
	kind, parameters, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if err == nil && !isTextual(kind) {
		return Page{}, core.Errorf(core.CodeUnsupportedFile, "the page is %s, and only text can be read", kind)
	}
	content, err := io.ReadAll(io.LimitReader(response.Body, maxBytes+1))
	if err != nil {
		return Page{}, err
	}
	page := Page{Cut: len(content) > maxBytes}
	text, decoded := decode(content[:min(len(content), maxBytes)], parameters["charset"])
	if !decoded {
		return Page{}, core.Errorf(core.CodeUnsupportedFile, "the page is binary, or in an unknown character set")
	}
	if page.Text = text; isHTML(kind, text) {
		page.Title, page.Text = Text(text)
	}
	return page, nil
}

// isTextual reports whether a media type is that of a text.
func isTextual(kind string) bool {
	if strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "+json") || strings.HasSuffix(kind, "+xml") {
		return kind != "image/svg+xml"
	}
	switch kind {
	case "application/json", "application/xml", "application/javascript", "application/yaml", "application/x-yaml", "application/toml":
		return true
	}
	return false
}

func isHTML(kind, text string) bool {
	return kind == "text/html" || kind == "application/xhtml+xml" || kind == "" && strings.HasPrefix(http.DetectContentType([]byte(text)), "text/html")
}

// elsewhere says of a rule's error that a redirect met it.
func elsewhere(err error) error {
	if known, ok := errors.AsType[*core.Error](err); ok {
		return core.Wrap(known.Code, known.Cause, "the page redirects to another address, and that may not be read: %s", known.Message)
	}
	return err
}

func refuse(format string, args ...any) error {
	return core.Errorf(core.CodeValidationFailed, "the page cannot be read: "+format, args...)
}

// unreachable keeps errors with a code and the caller's end, and hides the details of any other
// failure: they would tell of networks that only the service sees.
func unreachable(caller, bounded context.Context, err error) error {
	var known *core.Error
	switch {
	case caller.Err() != nil:
		return caller.Err()
	case errors.As(err, &known) && (known.Code == core.CodeForbiddenAddress || known.Code == core.CodeValidationFailed || known.Code == core.CodeUnsupportedFile):
		return core.Wrap(known.Code, known.Cause, "%s", known.Message)
	case errors.Is(bounded.Err(), context.DeadlineExceeded):
		return refuse("its server took longer than %s", fetchTime)
	}
	return core.Wrap(core.CodeValidationFailed, err, "the page cannot be read: its server cannot be reached")
}

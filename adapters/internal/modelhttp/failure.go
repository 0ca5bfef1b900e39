package modelhttp

import (
	"bytes"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

// errNoLastWord reports that the stream ended before the vendor said that the answer is
// complete.
var errNoLastWord = errors.New("the stream ended early")

// unreachableError is a request that got no answer.
type unreachableError struct{ error }

// Unwrap lets errors.Is see the cause.
func (u unreachableError) Unwrap() error { return u.error }

// complaint returns the error that an event reports, in the shape of any vendor.
func (e Event) complaint() error {
	if e.Name != "error" && !bytes.Contains(e.Data, []byte(`"error"`)) {
		return nil
	}
	if said := parseVendorError(e.Data); said != nil {
		return said
	}
	if e.Name != "error" {
		return nil
	}
	said := &vendorError{}
	if json.Valid(e.Data) {
		said.read(e.Data)
	} else {
		said.hear(string(e.Data), 0)
	}
	said.settle()
	return said
}

// Complaint returns the error that an error object of a vendor reports, nil for none.
func Complaint(object json.RawMessage) error {
	if isNothing(object) {
		return nil
	}
	said := &vendorError{}
	said.read(object)
	said.settle()
	return said
}

// maxRefusalBytes bounds what is read of a refusal.
const maxRefusalBytes = 64 << 10

// refusal returns the Failure for an answer whose status is not 2xx.
func (c *Caller) refusal(x *exchange, call Call, response *http.Response) *ai.Failure {
	x.patience = min(x.patience, refusalPatience)
	// A body that breaks off says as much as it says.
	data, _ := io.ReadAll(io.LimitReader(x.reader, maxRefusalBytes))
	said := parseVendorError(data)
	if said == nil {
		said = &vendorError{}
		said.read(data)
		if said.text == "" && !bytes.HasPrefix(bytes.TrimSpace(data), []byte("<")) {
			said.hear(string(data), 0)
		}
	}
	said.status = response.StatusCode
	said.settle()
	failure := c.complaint(call, said)
	failure.Err.RetryAfter = retryAfter(response.Header, c.now())
	if location := response.Header.Get("Location"); location != "" && response.StatusCode/100 == 3 {
		failure.Err.Message += c.quote(location)
	}
	return failure
}

// complaint returns the Failure for a vendor's error.
func (c *Caller) complaint(call Call, said *vendorError) *ai.Failure {
	reason, temporary := c.reason(call, said)
	tooLong := said.isTooLong()
	if said.status != 0 {
		reason += fmt.Sprintf(" (%d)", said.status)
	}
	failure := &ai.Failure{
		Err:       core.Errorf(core.CodeModelUnavailable, "%s%s", reason, c.quote(said.text)),
		Temporary: temporary && !tooLong,
		Refused:   said.refusesKey(),
		Cause:     said.cause(call),
		NoTools:   call.Tools && !tooLong && said.refuses(toolWords) && !(call.Schema && said.contains(choiceWords)),
		NoSchema:  call.Schema && !tooLong && said.refuses(schemaWords),
		TooLong:   tooLong,
	}
	failure.BadThoughts = !tooLong && (said.status == http.StatusBadRequest || said.status == http.StatusNotFound) && said.contains(thoughtWords)
	if tooLong {
		failure.Window, failure.Counted = said.number(windowPatterns), said.number(countedPatterns)
	} else {
		failure.MaxAnswer = said.maxAnswer(call.MaxTokens)
	}
	return failure
}

// thoughtWords are in refusals of thoughts that are missing, changed or another's.
var thoughtWords = []string{"thinking", "reasoning_content", "reasoning_details", "signature", "encrypted_content", "encrypted content", "items are not persisted", "of type 'reasoning'"}

// Words with which vendors refuse a request. A refusal because of tools or a schema has
// one of the first list and one of refusalWords.
var (
	toolWords   = []string{"tool", "function call"}
	schemaWords = []string{"response_format", "json_schema", "structured output", "grammar", "format", "schema", "tool_choice", "forced tool"}
	// choiceWords are in refusals of a schema that is asked for as a tool that must be called.
	choiceWords  = []string{"tool_choice", "forced tool"}
	refusalWords = []string{"support", "require", "enable", "not allowed", "not permitted", "unknown", "unrecognized", "invalid", "unavailable", "failed to load"}
)

// refuses reports whether the vendor refuses a feature that the words name. An invalid
// tool call of the model is no such refusal.
func (e *vendorError) refuses(words []string) bool {
	return !e.refusesKey() && !e.lacksCredit() && e.status != http.StatusTooManyRequests &&
		!e.is("tool_use_failed") && e.contains(words) && e.contains(refusalWords)
}

// contains reports whether the vendor's text has one of the words.
func (e *vendorError) contains(words []string) bool {
	text := strings.ToLower(strings.Join(e.texts, " ") + " " + strings.Join(e.kinds, " "))
	return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
}

// reason says in our words why the vendor did not answer, and whether the same call may
// succeed later.
func (c *Caller) reason(call Call, said *vendorError) (reason string, temporary bool) {
	name := c.config.Name
	if said.vendor != "" {
		name += " (" + said.vendor + ")"
	}
	switch status := said.status; {
	case said.isFiltered():
		return "the content filter of " + name + " refused the request" + subjects(said.filtered), false
	case said.lacksCredit():
		return "the account at " + name + " has no credit left", false
	case said.refusesKey():
		if c.config.Key == "" {
			return name + " requires a key", false
		}
		return name + " refused the key", false
	case status == http.StatusForbidden, said.is("permission"):
		return name + " refused access", false
	case said.lacksModel(call.Model):
		return fmt.Sprintf("%s has no model %q", name, call.Model), false
	case said.contains(routeWords):
		return name + " refused the request", false
	case status == http.StatusNotFound, said.is("not_found"):
		return name + " has nothing at " + c.base.String() + ": check the base URL", false
	case status/100 == 3:
		return name + " redirects to another address: use that as the base URL", false
	case status == http.StatusRequestEntityTooLarge:
		return "the request is too large for " + name, false
	case status == http.StatusTooManyRequests, status == 0 && said.is("rate_limit"):
		return name + " limits the rate of requests", true
	case status == http.StatusRequestTimeout, status == http.StatusTooEarly:
		return name + " was not ready", true
	case status >= 500, status == 0 && said.is("overloaded"):
		return name + " failed", status != http.StatusNotImplemented
	case status != 0, said.is("invalid", "context_length", "unsupported"):
		return name + " refused the request", false
	}
	return name + " broke off the answer", true
}

// routeWords are OpenRouter's, with status 404, for a request that no vendor of the model takes.
var routeWords = []string{"no endpoints found", "no allowed providers"}

func subjects(filtered []string) string {
	if len(filtered) == 0 {
		return ""
	}
	return " because of " + strings.Join(filtered[:min(len(filtered), maxSiblings)], ", ")
}

// broken returns the Failure for a connection that failed or broke off, or for an
// unusable answer.
func (c *Caller) broken(x *exchange, err error) *ai.Failure {
	name := c.config.Name
	var syntax *json.SyntaxError
	var lookup *net.DNSError
	var certificate *tls.CertificateVerificationError
	failure := &ai.Failure{Temporary: true, Cause: core.FailureProvider}
	message := name + " broke off the answer"
	switch {
	case core.IsCode(err, core.CodeForbiddenAddress):
		message, failure.Temporary = "the address of "+name+" is not allowed", false
	case errors.Is(err, errStalled):
		message = fmt.Sprintf("%s sent nothing for %v", name, x.patience)
	case errors.Is(err, errEndless):
		message, failure.Temporary = fmt.Sprintf("the answer of %s took longer than %v", name, x.limits.Total), false
	case errors.Is(err, errTooLong):
		message, failure.Temporary = name+" sent an answer with a part that is too long", false
	case errors.Is(err, errWebPage):
		message, failure.Temporary = name+" answered with a web page: check the base URL", false
	case errors.As(err, &syntax):
		message = name + " sent an answer that is not JSON"
	case errors.As(err, &lookup) && lookup.IsNotFound:
		message, failure.Temporary = fmt.Sprintf("there is no host %q: check the base URL", c.base.Hostname()), false
	case errors.As(err, &certificate):
		message, failure.Temporary = "the certificate of "+name+" is not valid for "+c.base.Host, false
	case errors.As(err, &unreachableError{}):
		message = fmt.Sprintf("%s does not answer at %s", name, c.base)
	}
	if errors.As(err, &unreachableError{}) {
		failure.Cause = core.FailureUnreachable
	}
	failure.Err = core.Wrap(core.CodeModelUnavailable, err, "%s", message)
	return failure
}

// maxQuote bounds, in characters, how much of a vendor's text a message quotes.
const maxQuote = 300

// quote quotes the vendor's text, on one line and without the key.
func (c *Caller) quote(text string) string {
	if c.config.Key != "" {
		text = strings.ReplaceAll(text, c.config.Key, "[key]")
	}
	text = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, ""), func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r)
	}), " ")
	if text == "" {
		return ""
	}
	if runes := []rune(text); len(runes) > maxQuote {
		text = string(runes[:maxQuote]) + "…"
	}
	return ": " + text
}

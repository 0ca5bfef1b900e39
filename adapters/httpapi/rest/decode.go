package rest

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
)

// MaxBodyBytes bounds JSON bodies.
const MaxBodyBytes = 1 << 20

// bodyTime is how long a client may take to send a JSON body.
const bodyTime = 30 * time.Second

// Decode decodes the JSON body into a pointer to a struct. The struct defines everything
// that the route accepts. Unknown members are refused, names are case-sensitive, and a
// member is required unless its tag has omitempty. Only pointers and Optional accept
// null.
//
// The error has code core.CodePayloadTooLarge over 1 MiB, core.CodeUnsupportedMediaType
// for a content type other than application/json, and core.CodeInvalidRequest, which
// names the member, for everything else.
func (r *Request) Decode(into any) error { return r.DecodeUpTo(MaxBodyBytes, into) }

// DecodeUpTo is Decode with another limit, in bytes.
func (r *Request) DecodeUpTo(limit int64, into any) error {
	if err := CheckJSONHeaders(r.Header); err != nil {
		return err
	}
	body, err := r.readBody(limit)
	if err != nil {
		return err
	}
	return DecodeStrict(body, into)
}

// HasBody reports whether the client sent a body at all.
func (r *Request) HasBody() bool {
	return r.ContentLength != 0 && r.Body != nil && r.Body != http.NoBody
}

// CheckJSONHeaders refuses a body that is not declared as application/json, in UTF-8 and
// not compressed: core.CodeUnsupportedMediaType.
func CheckJSONHeaders(header http.Header) error {
	types := header.Values("Content-Type")
	if len(types) == 1 {
		kind, params, err := mime.ParseMediaType(types[0])
		charset := params["charset"]
		if err == nil && kind == "application/json" && (charset == "" || strings.EqualFold(charset, "utf-8")) {
			types = nil
		}
	} else if len(types) == 0 {
		types = []string{""}
	}
	if types != nil || len(header.Values("Content-Encoding")) > 0 {
		return core.Errorf(core.CodeUnsupportedMediaType, "the body must be application/json without Content-Encoding")
	}
	return nil
}

func (r *Request) readBody(limit int64) ([]byte, error) {
	if r.ContentLength > limit {
		return nil, TooLarge(limit)
	}
	// The deadline is removed again: otherwise a reader that waits for the client to
	// disconnect would mistake the deadline for that. Writers without deadlines, as in
	// tests, read without one.
	_ = r.Control().SetReadDeadline(time.Now().Add(bodyTime))
	body, err := io.ReadAll(io.LimitReader(r.Body, limit+1))
	_ = r.Control().SetReadDeadline(time.Time{})
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, core.Errorf(core.CodeInvalidRequest, "the body did not arrive within %s", bodyTime)
	case err != nil:
		return nil, core.Wrap(core.CodeInvalidRequest, err, "the body is incomplete")
	case int64(len(body)) > limit:
		return nil, TooLarge(limit)
	}
	return body, nil
}

// TooLarge returns the error for a body of more than limit bytes, with code
// core.CodePayloadTooLarge.
func TooLarge(limit int64) error {
	return core.Errorf(core.CodePayloadTooLarge, "the body has more than %d bytes", limit)
}

// DecodeStrict decodes a JSON body as Decode does. Every failure has code
// core.CodeInvalidRequest, unless a type with its own decoder returns another.
func DecodeStrict(body []byte, into any) error {
	if !utf8.Valid(body) {
		return core.Errorf(core.CodeInvalidRequest, "the body is not UTF-8")
	}
	if !json.Valid(body) {
		return core.Errorf(core.CodeInvalidRequest, "the body is not one JSON value")
	}
	if hasLoneSurrogate(body) {
		return core.Errorf(core.CodeInvalidRequest, "the body has an unpaired surrogate")
	}
	if err := checkShape(body, into); err != nil {
		return err
	}
	err := json.Unmarshal(body, into)
	if known := (*core.Error)(nil); err == nil || errors.As(err, &known) {
		return err
	}
	return core.Wrap(core.CodeInvalidRequest, err, "the body does not have the expected shape")
}

// hasLoneSurrogate finds an escape such as "\ud800" without its other half. encoding/json
// would replace it by a replacement character, and so store something other than what was
// sent.
func hasLoneSurrogate(body []byte) bool {
	for i := 0; i < len(body); i++ {
		if body[i] != '\\' {
			continue
		}
		if first := escaped(body[i:]); utf16.IsSurrogate(first) {
			if utf16.DecodeRune(first, escaped(body[min(i+6, len(body)):])) == utf8.RuneError {
				return true
			}
			i += 6
		}
		i++
	}
	return false
}

// escaped returns the code unit of a \\uXXXX at the start of text, else 0.
func escaped(text []byte) rune {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0
	}
	unit, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	if err != nil {
		return 0
	}
	return rune(unit)
}

// Optional is a member that may be absent, null or a value, if the three have different
// meanings. Its tag has omitempty.
type Optional[T any] struct {
	// Present means that the member is present; Value is nil if it is null.
	Present bool
	Value   *T
}

// UnmarshalJSON implements json.Unmarshaler.
func (o *Optional[T]) UnmarshalJSON(data []byte) error {
	o.Present = true
	return json.Unmarshal(data, &o.Value)
}

// OrAbsent returns nil for an absent member, otherwise a pointer to the value, which is
// nil for null.
func (o Optional[T]) OrAbsent() **T {
	if !o.Present {
		return nil
	}
	return &o.Value
}

// OrZero returns nil for an absent member, otherwise a pointer to the value, which is the
// zero value for null.
func (o Optional[T]) OrZero() *T {
	if !o.Present || o.Value != nil {
		return o.Value
	}
	return new(T)
}

// NotNull returns nil for an absent member. null has code core.CodeInvalidRequest.
func (o Optional[T]) NotNull(name string) (*T, error) {
	if o.Present && o.Value == nil {
		return nil, core.Errorf(core.CodeInvalidRequest, "%s cannot be null", name)
	}
	return o.Value, nil
}

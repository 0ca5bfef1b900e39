package quickjs

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/functions"
)

// arguments are those of one operation. Arguments of a wrong type read as empty.
type arguments []any

func (a arguments) text(i int) string {
	if i >= len(a) {
		return ""
	}
	text, _ := a[i].(string)
	return text
}

func (a arguments) number(i int) int {
	if i >= len(a) {
		return 0
	}
	switch n := a[i].(type) {
	case int:
		return n
	case int32:
		return int(n)
	case int64:
		return int(n)
	case float64:
		return int(n)
	}
	return 0
}

func (a arguments) truth(i int) bool {
	if i >= len(a) {
		return false
	}
	truth, _ := a[i].(bool)
	return truth
}

func (a arguments) bytes(i int) ([]byte, error) {
	return base64.StdEncoding.DecodeString(a.text(i))
}

// content decodes a body, given as whether it is text, and its content.
func (a arguments) content(i int) ([]byte, error) {
	if a.truth(i) {
		return []byte(a.text(i + 1)), nil
	}
	return a.bytes(i + 1)
}

// operate performs an operation for the scripts of web. Hostile code may call it, too.
func (i *isolate) operate(all []any) (any, error) {
	given := arguments(all)
	name := given.text(0)
	if len(given) > 0 {
		given = given[1:]
	}
	switch name {
	case "encode":
		return base64.StdEncoding.EncodeToString([]byte(given.text(0))), nil
	case "decode":
		return decodeText(given)
	case "unescape":
		return strings.ToValidUTF8(unescape(given.text(0)), "\uFFFD"), nil
	case "url":
		return parseURL(given.text(0), given.text(1)), nil
	case "urlset":
		return changeURL(given.text(0), given.text(1), given.text(2)), nil
	case "digest", "hmac", "equal", "random":
		return compute(name, given)
	case "log":
		i.console.add(given.text(0), given.text(1))
		return nil, nil
	case "timer":
		return nil, i.inbox.setTimer(given.number(0), time.Duration(given.number(1))*time.Millisecond)
	case "untimer":
		i.inbox.clearTimer(given.number(0))
		return nil, nil
	case "ask":
		return nil, i.ask(given)
	case "respond":
		return nil, i.respond(given)
	case "fail":
		i.settle(functions.Response{}, &functions.Failure{Kind: kindOf(given.text(0)), Message: given.text(1), Stack: namePlaces(excerpt(given.text(2)), i.before)})
		return nil, nil
	}
	return nil, fmt.Errorf("no operation %q", name)
}

func kindOf(text string) functions.FailureKind {
	if text == string(functions.Invalid) {
		return functions.Invalid
	}
	return functions.Thrown
}

// maxStackBytes bounds the text of a stack.
const maxStackBytes = 8 << 10

func excerpt(stack string) string {
	return strings.ToValidUTF8(strings.TrimRight(stack[:min(len(stack), maxStackBytes)], "\n"), "")
}

// decodeText decodes UTF-8, as TextDecoder does.
func decodeText(given arguments) (any, error) {
	content, err := given.bytes(0)
	if err != nil {
		return nil, err
	}
	if given.truth(1) && !utf8.Valid(content) {
		return nil, errors.New("the data is no UTF-8")
	}
	return string(content), nil // the engine replaces invalid UTF-8
}

// unescape decodes part of a query that may have invalid escapes.
func unescape(text string) string {
	if decoded, err := url.PathUnescape(text); err == nil {
		return decoded
	}
	var out strings.Builder
	for len(text) > 0 {
		size := 1
		part := text[:1]
		if len(text) >= 3 && text[0] == '%' {
			if decoded, err := url.PathUnescape(text[:3]); err == nil {
				part, size = decoded, 3
			}
		}
		out.WriteString(part)
		text = text[size:]
	}
	return out.String()
}

// respond ends the call with an answer.
func (i *isolate) respond(given arguments) error {
	body, err := given.content(2)
	if err != nil {
		return err
	}
	if len(body) > functions.MaxAnswerBytes {
		i.settle(functions.Response{}, &functions.Failure{Kind: functions.TooLarge, Message: fmt.Sprintf("the answer has more than %d MiB", functions.MaxAnswerBytes>>20)})
		return nil
	}
	header, err := headerOf(given.text(1))
	if err != nil {
		return err
	}
	status := given.number(0)
	if status < 200 || status > 599 {
		return core.Errorf(core.CodeValidationFailed, "a status is a number from 200 to 599")
	}
	i.settle(functions.Response{Status: status, Header: header, Body: body}, nil)
	return nil
}

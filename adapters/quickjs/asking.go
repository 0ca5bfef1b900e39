package quickjs

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/functions"
)

// question describes a call of the host.
type question struct {
	Method, URL       string
	Header            [][2]string
	Admin             bool
	To, Subject, Text string
	Prompt            string
	Options           functions.AIOptions
}

// answerHead is an answer without its body, as a function sees it.
type answerHead struct {
	Status int         `json:"status"`
	Header [][2]string `json:"header"`
}

// maxHeadBytes bounds the head of a request or an answer, maxPromptBytes a prompt or a mail.
const (
	maxHeadBytes   = 64 << 10
	maxPromptBytes = 256 << 10
)

// ask starts a call of the host. Its arguments are an id, the kind, the head and the body.
func (i *isolate) ask(given arguments) error {
	kind, head := given.text(1), given.text(2)
	if len(head) > maxPromptBytes || (kind == "fetch" || kind == "data") && len(head) > maxHeadBytes {
		return core.Errorf(core.CodePayloadTooLarge, "the request is too long")
	}
	var asked question
	if err := json.Unmarshal([]byte(head), &asked); err != nil {
		return err
	}
	body, err := given.content(3)
	if err != nil {
		return err
	}
	if len(body) > functions.MaxBodyBytes {
		return core.Errorf(core.CodePayloadTooLarge, "the body of a request has at most %d MiB", functions.MaxBodyBytes>>20)
	}
	carryOut, err := i.carryOut(kind, asked, body)
	if err != nil {
		return err
	}
	return i.inbox.ask(i.ctx, given.number(0), carryOut)
}

func (i *isolate) carryOut(kind string, asked question, body []byte) (func(ctx context.Context) (any, []byte, error), error) {
	header := http.Header{}
	for _, pair := range asked.Header {
		if !validField(pair) {
			return nil, core.Errorf(core.CodeValidationFailed, "the header is not valid")
		}
		header.Add(pair[0], pair[1])
	}
	request := functions.Request{Method: asked.Method, URL: asked.URL, Header: header, Body: body}
	switch kind {
	case "fetch":
		return func(ctx context.Context) (any, []byte, error) { return headOf(i.host.Fetch(ctx, request)) }, nil
	case "data":
		return func(ctx context.Context) (any, []byte, error) {
			return headOf(i.host.Data(ctx, request, asked.Admin))
		}, nil
	case "mail":
		return func(ctx context.Context) (any, []byte, error) {
			return nil, nil, i.host.Mail(ctx, asked.To, asked.Subject, asked.Text)
		}, nil
	case "ai":
		return func(ctx context.Context) (any, []byte, error) {
			text, err := i.host.AI(ctx, asked.Prompt, asked.Options)
			return text, nil, err
		}, nil
	}
	return nil, core.Errorf(core.CodeValidationFailed, "no such request")
}

func headOf(answer functions.Response, err error) (any, []byte, error) {
	if err == nil && len(answer.Body) > functions.MaxAnswerBytes {
		err = core.Errorf(core.CodePayloadTooLarge, "the answer has more than %d MiB", functions.MaxAnswerBytes>>20)
	}
	return answerHead{answer.Status, pairsOf(answer.Header)}, answer.Body, err
}

// faultOf returns the text of an error that a function may see.
func faultOf(err error) string {
	var known *core.Error
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return "the request took too long"
	case errors.As(err, &known) && known.Code != core.CodeInternal:
		return known.Message
	}
	return "internal error"
}

// pairsOf lists the header fields that a function can read.
func pairsOf(header http.Header) [][2]string {
	pairs := make([][2]string, 0, len(header))
	for name, values := range header {
		for _, value := range values {
			if pair := [2]string{name, latin1(value)}; validField(pair) {
				pairs = append(pairs, pair)
			}
		}
	}
	return pairs
}

// headerOf converts pairs of names and values to a header.
func headerOf(text string) (http.Header, error) {
	if len(text) > maxHeadBytes {
		return nil, core.Errorf(core.CodePayloadTooLarge, "the headers of an answer have at most %d KiB", maxHeadBytes>>10)
	}
	var pairs [][2]string
	if err := json.Unmarshal([]byte(text), &pairs); err != nil {
		return nil, err
	}
	header := http.Header{}
	for _, pair := range pairs {
		if !validField(pair) {
			return nil, core.Errorf(core.CodeValidationFailed, "the header is not valid")
		}
		header.Add(pair[0], pair[1])
	}
	return header, nil
}

// latin1 removes the bytes that a header's value cannot have in a function.
func latin1(value string) string {
	return strings.Map(func(r rune) rune {
		if r > 0xff {
			return '?'
		}
		return r
	}, value)
}

func validField(pair [2]string) bool {
	name, value := pair[0], pair[1]
	isToken := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	}
	rest := strings.TrimLeftFunc(name, isToken)
	return name != "" && rest == "" && !strings.ContainsAny(value, "\x00\r\n")
}

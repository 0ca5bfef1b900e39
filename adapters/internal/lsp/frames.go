package lsp

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// maxHeaderBytes bounds the header of a message.
const maxHeaderBytes = 4096

var errProtocol = errors.New("lsp: the language server broke the protocol")

// message is a request, a notification or an answer of JSON-RPC.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  any             `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *failure        `json:"error,omitempty"`
}

// failure is the error of an answer.
type failure struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Error implements error.
func (f *failure) Error() string { return fmt.Sprintf("lsp: %d %s", f.Code, f.Message) }

// frame encodes a message.
func frame(m message) ([]byte, error) {
	m.Version = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	return append(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n", len(body)), body...), nil
}

// frames cuts a stream into messages of at most most bytes.
type frames struct {
	most   int
	held   []byte
	length int
	inBody bool
}

// add appends a part of the stream and calls take with each message that is complete.
func (f *frames) add(part []byte, take func(body []byte) error) error {
	f.held = append(f.held, part...)
	for {
		if !f.inBody {
			header, rest, found := bytes.Cut(f.held, []byte("\r\n\r\n"))
			if !found && len(f.held) > maxHeaderBytes {
				return errProtocol
			}
			if !found {
				return nil
			}
			length, err := lengthOf(string(header))
			if err != nil || length > f.most {
				return errors.Join(errProtocol, err)
			}
			f.held, f.length, f.inBody = rest, length, true
		}
		if len(f.held) < f.length {
			return nil
		}
		body := f.held[:f.length]
		if err := take(body); err != nil {
			return err
		}
		// The rest is copied, so that a long message is not kept for a short one.
		f.held, f.inBody = bytes.Clone(f.held[f.length:]), false
	}
}

// lengthOf reads Content-Length.
func lengthOf(header string) (int, error) {
	for line := range strings.SplitSeq(header, "\r\n") {
		name, value, _ := strings.Cut(line, ":")
		if strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
			length, err := strconv.ParseUint(strings.TrimSpace(value), 10, 31)
			return int(length), err
		}
	}
	return 0, errProtocol
}

package websocket

import (
	"encoding/base64"
	"net/http"
	"slices"
	"strings"

	"github.com/atelierhq/atelier/core"
)

// The subprotocols of a room.
const (
	// eventProtocol is the subprotocol that carries events as JSON.
	eventProtocol = "atelier.v1"
	// bearerPrefix begins the pseudo-subprotocol that carries a token.
	bearerPrefix = "bearer."
)

// checkHandshake checks that a request opens a WebSocket (RFC 6455, section 4.2.1).
func checkHandshake(r *http.Request) error {
	refuse := func(format string, args ...any) error {
		return core.Errorf(core.CodeInvalidRequest, "this route requires a WebSocket: "+format, args...)
	}
	switch keys := r.Header.Values("Sec-WebSocket-Key"); {
	case r.Method != http.MethodGet || r.ProtoMajor != 1 || r.ProtoMinor < 1:
		return refuse("the request must be GET over HTTP/1.1")
	case !slices.ContainsFunc(tokens(r, "Connection"), is("upgrade")):
		return refuse("the header Connection must have Upgrade")
	case !slices.ContainsFunc(tokens(r, "Upgrade"), is("websocket")):
		return refuse("the header Upgrade must be websocket")
	case r.Header.Get("Sec-WebSocket-Version") != "13":
		return refuse("the header Sec-WebSocket-Version must be 13")
	case len(keys) != 1 || !isNonce(strings.TrimSpace(keys[0])):
		return refuse("the header Sec-WebSocket-Key must be 16 bytes in base64")
	case r.ContentLength != 0:
		return refuse("the request must have no body")
	}
	return nil
}

func is(name string) func(string) bool {
	return func(token string) bool { return strings.EqualFold(token, name) }
}

func isNonce(text string) bool {
	nonce, err := base64.StdEncoding.DecodeString(text)
	return err == nil && len(nonce) == 16
}

// chooseProtocol returns the subprotocol of the answer, "" for none. A browser accepts
// only one that it offered, so if it offered nothing but a token, that one is chosen.
func chooseProtocol(r *http.Request) (string, error) {
	offered := tokens(r, "Sec-WebSocket-Protocol")
	if len(offered) == 0 {
		return "", nil
	}
	if slices.Contains(offered, eventProtocol) {
		return eventProtocol, nil
	}
	for _, protocol := range offered {
		if strings.HasPrefix(protocol, bearerPrefix) {
			return protocol, nil
		}
	}
	return "", core.Errorf(core.CodeInvalidRequest, "Sec-WebSocket-Protocol must offer %s or nothing: no other subprotocol is supported", eventProtocol)
}

// tokens returns the elements of a list header.
func tokens(r *http.Request, name string) []string {
	var all []string
	for _, line := range r.Header.Values(name) {
		for token := range strings.SplitSeq(line, ",") {
			if token = strings.TrimSpace(token); token != "" {
				all = append(all, token)
			}
		}
	}
	return all
}

package websocket

import (
	"errors"
	"unicode/utf8"

	"github.com/coder/websocket"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/rooms"
)

// Close codes beside those of the protocol: HTTP statuses plus 4000.
const (
	closeMalformed       websocket.StatusCode = 4400
	closeUnauthenticated websocket.StatusCode = 4401
	closeForbidden       websocket.StatusCode = 4403
	closeTooSlow         websocket.StatusCode = 4408
	closeTooLarge        websocket.StatusCode = 4413
	closeTooMany         websocket.StatusCode = 4429
)

// maxCloseReasonBytes is the longest reason in a close frame.
const maxCloseReasonBytes = 123

// errKind ends the socket of a client that sends messages of the wrong kind (text or
// binary).
var errKind = errors.New("messages are binary without a subprotocol, and text with " + eventProtocol)

// errMistakes ends the socket of a client that makes too many mistakes.
var errMistakes = core.Errorf(core.CodeRateLimited, "too many invalid messages")

// closing returns the code and the reason with which a socket is closed. After
// StatusServiceRestart a client reconnects immediately. Clients of y-websocket never
// reconnect after 4400 to 4499, so they get StatusTryAgainLater if reconnecting helps.
func closing(why error, way rooms.Protocol) (websocket.StatusCode, string) {
	code, reason := reasonOf(why)
	switch code {
	case closeTooSlow, closeTooLarge, closeTooMany:
		if way == rooms.Documents {
			code = websocket.StatusTryAgainLater
		}
	}
	return code, reason
}

// reasonOf is closing for clients that know all codes.
func reasonOf(why error) (websocket.StatusCode, string) {
	switch {
	case errors.Is(why, rooms.ErrTooSlow):
		return closeTooSlow, shortened(rooms.ErrTooSlow.Message)
	case errors.Is(why, errKind):
		return websocket.StatusUnsupportedData, shortened(errKind.Error())
	}
	var known *core.Error
	if !errors.As(why, &known) {
		return websocket.StatusInternalError, "internal error"
	}
	switch known.Code {
	case core.CodeUnavailable:
		return websocket.StatusServiceRestart, shortened(known.Message)
	case core.CodeUnauthenticated, core.CodeTokenExpired:
		return closeUnauthenticated, shortened(known.Message)
	case core.CodeForbidden, core.CodeNotFound, core.CodeInsufficientScope, core.CodeMFASetupRequired:
		return closeForbidden, shortened(known.Message)
	case core.CodePayloadTooLarge:
		return closeTooLarge, shortened(known.Message)
	case core.CodeRateLimited:
		return closeTooMany, shortened(known.Message)
	case core.CodeInternal:
		return websocket.StatusInternalError, "internal error"
	}
	return closeMalformed, shortened(known.Message)
}

// shortened shortens a text to the length of a close frame.
func shortened(text string) string {
	if len(text) <= maxCloseReasonBytes {
		return text
	}
	end := maxCloseReasonBytes
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

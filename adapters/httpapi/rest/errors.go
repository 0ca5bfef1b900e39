package rest

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/atelierhq/atelier/adapters/internal/messages"
	"github.com/atelierhq/atelier/core"
)

// statuses maps codes to statuses, in one place.
var statuses = map[core.Code]int{
	core.CodeInvalidRequest:        http.StatusBadRequest,
	core.CodeValidationFailed:      http.StatusBadRequest,
	core.CodeInvalidPath:           http.StatusBadRequest,
	core.CodePathTraversal:         http.StatusBadRequest,
	core.CodeInvalidRegex:          http.StatusBadRequest,
	core.CodeInvalidCursor:         http.StatusBadRequest,
	core.CodeInvalidToken:          http.StatusBadRequest,
	core.CodeForbiddenAddress:      http.StatusBadRequest,
	core.CodeUnauthenticated:       http.StatusUnauthorized,
	core.CodeInvalidCredentials:    http.StatusUnauthorized,
	core.CodeTokenExpired:          http.StatusUnauthorized,
	core.CodeMFARequired:           http.StatusUnauthorized,
	core.CodeCreditExhausted:       http.StatusPaymentRequired,
	core.CodeForbidden:             http.StatusForbidden,
	core.CodeSignupClosed:          http.StatusForbidden,
	core.CodeAccountDisabled:       http.StatusForbidden,
	core.CodeMFASetupRequired:      http.StatusForbidden,
	core.CodeEmailUnverified:       http.StatusForbidden,
	core.CodeCompanySignIn:         http.StatusForbidden,
	core.CodePasswordSignInOff:     http.StatusForbidden,
	core.CodeSignInAgain:           http.StatusForbidden,
	core.CodeCrossOrigin:           http.StatusForbidden,
	core.CodeInsufficientScope:     http.StatusForbidden,
	core.CodeNotFound:              http.StatusNotFound,
	core.CodeProviderNotConfigured: http.StatusNotFound,
	core.CodeMethodNotAllowed:      http.StatusMethodNotAllowed,
	core.CodeConflict:              http.StatusConflict,
	core.CodeEmailTaken:            http.StatusConflict,
	core.CodeSlugTaken:             http.StatusConflict,
	core.CodeDomainTaken:           http.StatusConflict,
	core.CodeChatBusy:              http.StatusConflict,
	core.CodeNoProvider:            http.StatusConflict,
	core.CodePreconditionFailed:    http.StatusPreconditionFailed,
	core.CodePayloadTooLarge:       http.StatusRequestEntityTooLarge,
	core.CodeUnsupportedMediaType:  http.StatusUnsupportedMediaType,
	core.CodeInvalidRange:          http.StatusRequestedRangeNotSatisfiable,
	core.CodeBuildFailed:           http.StatusUnprocessableEntity,
	core.CodeDataLoss:              http.StatusConflict,
	core.CodeOpenData:              http.StatusConflict,
	core.CodeChecksFailed:          http.StatusConflict,
	core.CodeSelectorNotFound:      http.StatusUnprocessableEntity,
	core.CodeUnsupportedFile:       http.StatusUnprocessableEntity,
	core.CodeRateLimited:           http.StatusTooManyRequests,
	core.CodeInternal:              http.StatusInternalServerError,
	core.CodeModelUnavailable:      http.StatusBadGateway,
	core.CodeSandboxUnavailable:    http.StatusServiceUnavailable,
	core.CodeUnavailable:           http.StatusServiceUnavailable,
}

// StatusOf returns the HTTP status of a code of the contract, 0 for any other.
func StatusOf(code core.Code) int { return statuses[code] }

// Failure is the body of every error.
type Failure struct {
	Error       core.Code           `json:"error"`
	Message     string              `json:"message"`
	Diagnostics []core.Diagnostic   `json:"diagnostics,omitempty"`
	Plan        *core.SchemaPlan    `json:"plan,omitempty"`
	Findings    []core.Finding      `json:"findings,omitempty"`
	Checks      []core.CheckFailure `json:"checks,omitempty"`

	Conflicts []core.MergeConflict `json:"conflicts,omitempty"`
	Rows      *refusedRows         `json:"rows,omitempty"`
	MFAToken  string               `json:"mfaToken,omitempty"`

	MFAMethods []core.FactorMethod `json:"mfaMethods,omitempty"`
}

// refusedRows are the records of a file that an import refuses.
type refusedRows struct {
	Total int          `json:"total"`
	Items []refusedRow `json:"items"`
}

type refusedRow struct {
	Line  int    `json:"line"`
	Field string `json:"field,omitempty"`
	Rule  string `json:"rule"`
}

func rowsOf(refused *core.RefusedRows, language core.Language) *refusedRows {
	rows := &refusedRows{Total: refused.Total, Items: make([]refusedRow, len(refused.Items))}
	for i, row := range refused.Items {
		rule, _ := messages.Say(row.Rule, language)
		rows.Items[i] = refusedRow{row.Line, row.Field, rule}
	}
	return rows
}

// InWords returns phrases in a language, those without a translation in English.
func InWords(phrases []core.Phrase, language core.Language) []string {
	var texts []string
	for _, phrase := range phrases {
		text, _ := messages.Say(phrase, language)
		texts = append(texts, text)
	}
	return texts
}

// refusal is what a client is told of an error, and how.
type refusal struct {
	status int
	body   Failure
	// language is that of the message.
	language core.Language
	// retryAfter says when trying again may help; zero means unknown.
	retryAfter time.Duration
}

// refusalOf returns what a client may know of err, with the message in a language if there
// is a translation. An error without a code of the contract is internal, and the client
// learns only the request's id.
func refusalOf(err error, requestID string, language core.Language) refusal {
	var known *core.Error
	if !errors.As(err, &known) {
		known = core.Wrap(core.CodeInternal, err, "")
		if errors.Is(err, context.DeadlineExceeded) {
			known = core.Wrap(core.CodeUnavailable, err, "the request took too long: try again")
		}
	}
	status, listed := statuses[known.Code]
	if !listed || known.Code == core.CodeInternal {
		return refusal{http.StatusInternalServerError, Failure{Error: core.CodeInternal, Message: "internal error (request " + requestID + ")"}, core.LanguageEnglish, 0}
	}
	message, language := messages.Translate(known, language)
	body := Failure{Error: known.Code, Message: message}
	if known.Code == core.CodeBuildFailed {
		body.Diagnostics = known.Diagnostics
	}
	if known.Code == core.CodeDataLoss {
		body.Plan = known.Plan
	}
	if known.Code == core.CodeOpenData {
		body.Findings = known.Findings
	}
	if known.Code == core.CodeChecksFailed {
		body.Checks = known.Checks
	}
	if known.Code == core.CodeConflict {
		body.Conflicts = known.Conflicts
	}
	if known.Code == core.CodeValidationFailed && known.Rows != nil {
		body.Rows = rowsOf(known.Rows, language)
	}
	if known.Code == core.CodeMFARequired {
		body.MFAToken, body.MFAMethods = known.MFAToken, known.MFAMethods
	}
	return refusal{status, body, language, known.RetryAfter}
}

// WriteFailure renders err and logs what the client is not told.
func WriteFailure(w http.ResponseWriter, r *Request, log *slog.Logger, err error) {
	if refused := refusalOf(err, r.RequestID(), ""); refused.status >= http.StatusInternalServerError {
		log.ErrorContext(r.Context(), "request failed", "request_id", r.RequestID(), "code", refused.body.Error, "error", err)
	}
	RenderFailure(w, r, err)
}

// RenderFailure is WriteFailure without the log.
func RenderFailure(w http.ResponseWriter, r *Request, err error) {
	refused := refusalOf(err, r.RequestID(), core.PreferredLanguage(r.Header.Get("Accept-Language")))
	header := w.Header()
	for _, name := range []string{"Content-Encoding", "Content-Length", "Content-Disposition", "ETag", "Last-Modified"} {
		header.Del(name)
	}
	if refused.body.Error != core.CodeInvalidRange {
		header.Del("Content-Range")
	}
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Language", string(refused.language))
	switch refused.status {
	case http.StatusUnauthorized:
		header.Set("WWW-Authenticate", challenge(r, refused.body.Error))
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		if refused.retryAfter > 0 {
			header.Set("Retry-After", strconv.Itoa(int(math.Ceil(refused.retryAfter.Seconds()))))
		}
	}
	if IsGit(r.Route()) && isGitClient(r.Request) {
		writeGitFailure(w, refused.status, refused.body)
		return
	}
	// A failure can always be encoded as JSON.
	_ = WriteJSON(w, refused.status, refused.body)
}

// challenge returns the value of WWW-Authenticate (RFC 6750, section 3; RFC 9728,
// section 5.1). Git clients know only Basic (RFC 7617).
func challenge(r *Request, code core.Code) string {
	if IsGit(r.Route()) {
		return `Basic realm="Atelier"`
	}
	value := `Bearer realm="atelier"`
	if code == core.CodeTokenExpired {
		value += `, error="invalid_token", error_description="the token has expired"`
	}
	if r.exchange.metadata != "" {
		value += `, resource_metadata="` + r.exchange.metadata + `"`
	}
	return value
}

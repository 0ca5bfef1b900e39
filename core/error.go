package core

import (
	"errors"
	"fmt"
	"time"
)

// Code names a kind of failure for programs. The set is closed: Codes lists it.
type Code string

// The codes of the public contract, section 1.2.
const (
	CodeInvalidRequest        Code = "invalid_request"
	CodeValidationFailed      Code = "validation_failed"
	CodeInvalidPath           Code = "invalid_path"
	CodePathTraversal         Code = "path_traversal"
	CodeInvalidRegex          Code = "invalid_regex"
	CodeInvalidCursor         Code = "invalid_cursor"
	CodeInvalidToken          Code = "invalid_token"
	CodeForbiddenAddress      Code = "forbidden_address"
	CodeUnauthenticated       Code = "unauthenticated"
	CodeInvalidCredentials    Code = "invalid_credentials"
	CodeTokenExpired          Code = "token_expired"
	CodeCreditExhausted       Code = "credit_exhausted"
	CodeForbidden             Code = "forbidden"
	CodeSignupClosed          Code = "signup_closed"
	CodeAccountDisabled       Code = "account_disabled"
	CodeCrossOrigin           Code = "cross_origin"
	CodeInsufficientScope     Code = "insufficient_scope"
	CodeNotFound              Code = "not_found"
	CodeProviderNotConfigured Code = "provider_not_configured"
	CodeMethodNotAllowed      Code = "method_not_allowed"
	CodeConflict              Code = "conflict"
	CodeEmailTaken            Code = "email_taken"
	CodeSlugTaken             Code = "slug_taken"
	CodeDomainTaken           Code = "domain_taken"
	CodeChatBusy              Code = "chat_busy"
	CodeNoProvider            Code = "no_provider"
	CodePreconditionFailed    Code = "precondition_failed"
	CodePayloadTooLarge       Code = "payload_too_large"
	CodeUnsupportedMediaType  Code = "unsupported_media_type"
	CodeInvalidRange          Code = "invalid_range"
	CodeBuildFailed           Code = "build_failed"
	CodeDataLoss              Code = "data_loss"
	CodeOpenData              Code = "open_data"
	CodeChecksFailed          Code = "checks_failed"
	CodeSelectorNotFound      Code = "selector_not_found"
	CodeUnsupportedFile       Code = "unsupported_file"
	CodeRateLimited           Code = "rate_limited"
	CodeInternal              Code = "internal"
	CodeModelUnavailable      Code = "model_unavailable"
	CodeSandboxUnavailable    Code = "sandbox_unavailable"
	CodeUnavailable           Code = "unavailable"

	// CodeInterrupted ends a run that was interrupted by a crash or a stop of the
	// process. It appears only in session.error events.
	CodeInterrupted Code = "interrupted"

	// The codes below say why a sign-in at an identity provider failed: the person
	// refused there, the browser returned without the state that it left with, the
	// provider has not verified the person's address, or it does not tell one. They
	// appear only as the parameter error of the page to which the browser is then
	// sent.
	CodeAccessDenied    Code = "access_denied"
	CodeInvalidState    Code = "invalid_state"
	CodeEmailUnverified Code = "email_unverified"
	CodeNoEmail         Code = "no_email"
)

// Codes returns every code that a caller may meet as an HTTP error.
func Codes() []Code {
	return []Code{
		CodeInvalidRequest, CodeValidationFailed, CodeInvalidPath, CodePathTraversal, CodeInvalidRegex,
		CodeInvalidCursor, CodeInvalidToken, CodeForbiddenAddress, CodeUnauthenticated, CodeInvalidCredentials,
		CodeTokenExpired, CodeCreditExhausted, CodeForbidden, CodeSignupClosed, CodeAccountDisabled, CodeCrossOrigin, CodeInsufficientScope,
		CodeNotFound, CodeProviderNotConfigured, CodeMethodNotAllowed, CodeConflict, CodeEmailTaken,
		CodeSlugTaken, CodeDomainTaken, CodeChatBusy, CodeNoProvider, CodePreconditionFailed,
		CodePayloadTooLarge, CodeUnsupportedMediaType, CodeInvalidRange, CodeBuildFailed, CodeDataLoss, CodeOpenData, CodeChecksFailed,
		CodeSelectorNotFound, CodeUnsupportedFile, CodeRateLimited, CodeInternal, CodeModelUnavailable, CodeSandboxUnavailable,
		CodeUnavailable,
	}
}

// Error is a failure with a code for programs, a message for the person who
// reads it, and a cause for the log. The cause is never shown to a client.
type Error struct {
	Code    Code
	Message string
	Cause   error
	// RetryAfter says when trying again may help; zero means unknown.
	RetryAfter time.Duration
	// Diagnostics are the places in the sources that made a build fail. Only errors
	// with CodeBuildFailed, and those of ParseCheck, have them.
	Diagnostics []Diagnostic
	// Plan is the change of a schema that would lose data. Only errors with CodeDataLoss
	// have one.
	Plan *SchemaPlan
	// Findings are the ways to other people's data that a person has to accept. Only errors
	// with CodeOpenData have them.
	Findings []Finding
	// Checks are the checks that failed before a publish or a merge. Only errors with CodeChecksFailed have
	// them.
	Checks []CheckFailure
	// Conflicts are the files that both sides of a merge changed. Only errors with CodeConflict
	// of merges have them.
	Conflicts []MergeConflict
}

// Error returns the code, the message and the cause, for logs.
func (e *Error) Error() string {
	if e.Cause == nil {
		return string(e.Code) + ": " + e.Message
	}
	return string(e.Code) + ": " + e.Message + ": " + e.Cause.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// Errorf makes an Error without a cause.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Wrap makes an Error with a cause. The message is for the user, so it does not
// repeat the cause.
func Wrap(code Code, cause error, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Cause: cause}
}

// NotFound is the error for a record that does not exist, or that the caller may
// not know about.
func NotFound(what string) *Error { return Errorf(CodeNotFound, "no such %s", what) }

// CodeOf returns the code of err: the outermost Error's, CodeInternal for an
// error without one, and "" for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return CodeInternal
}

// IsCode reports whether err has the given code.
func IsCode(err error, code Code) bool { return err != nil && CodeOf(err) == code }

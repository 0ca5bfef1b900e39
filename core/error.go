package core

import (
	"errors"
	"fmt"
	"time"
)

// Code names a kind of failure for programs. The set is closed: Codes lists it.
type Code string

// The codes of errors. Clients may rely on them.
const (
	CodeInvalidRequest     Code = "invalid_request"
	CodeValidationFailed   Code = "validation_failed"
	CodeInvalidPath        Code = "invalid_path"
	CodePathTraversal      Code = "path_traversal"
	CodeInvalidRegex       Code = "invalid_regex"
	CodeInvalidCursor      Code = "invalid_cursor"
	CodeInvalidToken       Code = "invalid_token"
	CodeForbiddenAddress   Code = "forbidden_address"
	CodeUnauthenticated    Code = "unauthenticated"
	CodeInvalidCredentials Code = "invalid_credentials"
	CodeTokenExpired       Code = "token_expired"
	CodeMFARequired        Code = "mfa_required"
	CodeCreditExhausted    Code = "credit_exhausted"
	CodeForbidden          Code = "forbidden"
	CodeSignupClosed       Code = "signup_closed"
	CodeAccountDisabled    Code = "account_disabled"
	CodeMFASetupRequired   Code = "mfa_setup_required"
	// CodeCompanySignIn refuses a way to sign in to people whose company has its own.
	CodeCompanySignIn Code = "company_sign_in"
	// CodePasswordSignInOff refuses passwords in an installation in which people sign in otherwise.
	CodePasswordSignInOff Code = "password_sign_in_off"
	// CodeSignInAgain asks people without a password for a recent sign-in, in place of the password.
	CodeSignInAgain Code = "sign_in_again"
	// CodeEmailUnverified refuses everything but the account to people who have to verify their
	// address first. It also says that an identity provider has not verified an address.
	CodeEmailUnverified       Code = "email_unverified"
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
	// refused there, the browser returned without the state that it left with, the provider does
	// not tell an address, and so on. CodeEmailUnverified is one of them as well. They
	// appear only as the parameter error of the page to which the browser is then
	// sent.
	CodeAccessDenied Code = "access_denied"
	CodeInvalidState Code = "invalid_state"
	CodeNoEmail      Code = "no_email"
	// CodeEmailDomain: the provider is not believed about addresses at this domain.
	CodeEmailDomain Code = "email_domain"
	// CodeTooManyGroups: the provider leaves out the person's groups because there are too many.
	CodeTooManyGroups Code = "too_many_groups"
)

// Codes returns every code that a caller may meet as an HTTP error.
func Codes() []Code {
	return []Code{
		CodeInvalidRequest, CodeValidationFailed, CodeInvalidPath, CodePathTraversal, CodeInvalidRegex,
		CodeInvalidCursor, CodeInvalidToken, CodeForbiddenAddress, CodeUnauthenticated, CodeInvalidCredentials,
		CodeTokenExpired, CodeMFARequired, CodeCreditExhausted, CodeForbidden, CodeSignupClosed, CodeAccountDisabled, CodeMFASetupRequired, CodeEmailUnverified, CodeCompanySignIn, CodePasswordSignInOff, CodeSignInAgain, CodeCrossOrigin, CodeInsufficientScope,
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
	// Format and Args made the message (fmt), for its translation. A
	// message that was not formatted has none.
	Format string
	Args   []any
	Cause  error
	// RetryAfter says when trying again may help; zero means unknown.
	RetryAfter time.Duration
	// Reason says more exactly why, where pages say it in their own words. Only errors with
	// CodeSelectorNotFound have one.
	Reason Reason
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
	// Rows are the records of a file that an import refuses. Only errors with CodeValidationFailed
	// of imports have them.
	Rows *RefusedRows
	// MFAToken finishes a sign-in together with a second factor. Only errors with
	// CodeMFARequired have one. It is a secret, so Error does not return it.
	MFAToken string
	// MFAMethods are the ways in which the person can give it, beside MFAToken.
	MFAMethods []FactorMethod
}

// Reason is why an element cannot be moved, copied or deleted.
type Reason string

// The reasons.
const (
	// ReasonLoop: a loop repeats it. ReasonWhole: it is all that its component or page shows.
	ReasonLoop  Reason = "loop"
	ReasonWhole Reason = "whole"
	// ReasonExpression: another expression in the code decides whether it is there.
	ReasonExpression Reason = "expression"
)

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
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Format: format, Args: args}
}

// Wrap makes an Error with a cause. The message is for the user, so it does not
// repeat the cause.
func Wrap(code Code, cause error, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...), Format: format, Args: args, Cause: cause}
}

// NotFound is the error for a record that does not exist, or that the caller may
// not know about.
func NotFound(what string) *Error {
	message := "no such " + what
	return &Error{Code: CodeNotFound, Message: message, Format: message}
}

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

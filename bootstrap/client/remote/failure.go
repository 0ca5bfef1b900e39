package remote

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// Codes of failures that are found on this side. All others are those of the contract.
const (
	// CodeUnreachable says that no installation answered.
	CodeUnreachable = "unreachable"
	// CodeNoInstallation says that what answered is not an installation of Atelier.
	CodeNoInstallation = "no_installation"
)

// Failure is an answer that is not a success.
type Failure struct {
	// Status is that of the answer, 0 without one.
	Status int `json:"-"`
	// Code is that of the contract, or one of this package.
	Code    string `json:"error"`
	Message string `json:"message"`

	Diagnostics []Diagnostic      `json:"diagnostics,omitempty"`
	Plan        json.RawMessage   `json:"plan,omitempty"`
	Findings    json.RawMessage   `json:"findings,omitempty"`
	Checks      json.RawMessage   `json:"checks,omitempty"`
	Conflicts   []json.RawMessage `json:"conflicts,omitempty"`
	// MFAToken is what finishes a sign-in that needs a second factor. It is a secret.
	MFAToken string `json:"-"`
}

// Diagnostic is a mistake in a file of a project.
type Diagnostic struct {
	Path    string `json:"path"`
	Line    int    `json:"line"`
	Column  int    `json:"column"`
	Message string `json:"message"`
}

// String is the diagnostic on one line.
func (d Diagnostic) String() string {
	if d.Path == "" {
		return d.Message
	}
	return fmt.Sprintf("%s:%d:%d: %s", d.Path, d.Line, d.Column, d.Message)
}

// Error implements error.
func (f *Failure) Error() string { return f.Message }

// maxFailureBytes bounds how much of a failure is read.
const maxFailureBytes = 1 << 20

// failureOf reads an answer that is not a success. The address names it in the message.
func failureOf(response *http.Response, base string) *Failure {
	found := &Failure{Status: response.StatusCode}
	if target := response.Header.Get("Location"); response.StatusCode/100 == 3 {
		found.Code = CodeNoInstallation
		found.Message = fmt.Sprintf("%s redirects to %s: use the address that the installation itself has", base, target)
		return found
	}
	text, _ := io.ReadAll(io.LimitReader(response.Body, maxFailureBytes))
	var told struct {
		*Failure
		MFAToken string `json:"mfaToken"`
	}
	told.Failure = found
	if err := json.Unmarshal(text, &told); err == nil && found.Code != "" {
		found.MFAToken = told.MFAToken
		return found
	}
	if response.StatusCode >= http.StatusInternalServerError {
		found.Code, found.Message = CodeUnreachable, fmt.Sprintf("%s answers %s", base, response.Status)
		return found
	}
	if strings.HasPrefix(response.Header.Get("Content-Type"), "text/plain") && response.Header.Get("X-Request-Id") != "" {
		found.Code, found.Message = "refused", strings.TrimSpace(string(text))
		return found
	}
	found.Code = CodeNoInstallation
	found.Message = fmt.Sprintf("%s answers %s, and not as an installation of Atelier does", base, response.Status)
	return found
}

package files

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/vcs"
)

// Limits of a bulk. MaxMessageChars bounds the message of
// its version.
const (
	MaxOperations   = 500
	MaxMessageChars = 1000
)

// Batch is the request of a bulk.
type Batch struct {
	Operations []Operation
	// Message is the message of the version; if nil or blank, the service writes
	// one.
	Message *string
}

// Operation is one operation of a bulk as a client sends it. Which fields it
// takes depends on Op.
type Operation struct {
	Op       core.FileOp `json:"op"`
	Path     *string     `json:"path,omitempty"`
	Content  *string     `json:"content,omitempty"`
	Encoding *string     `json:"encoding,omitempty"`
	From     *string     `json:"from,omitempty"`
	To       *string     `json:"to,omitempty"`
	// IfMatch is the entity tag that a file must have to be written, "*" for any.
	IfMatch *string `json:"ifMatch,omitempty"`
}

// BulkResult is the answer of a bulk. Commit is the id of the version that it
// made, nil when nothing changed.
type BulkResult struct {
	Results []OperationResult `json:"results"`
	Commit  *string           `json:"commit"`
}

// OperationResult is the outcome of one operation. Path is the file's path after
// it: for a rename, its new path; From is its old one.
type OperationResult struct {
	Op      core.FileOp      `json:"op"`
	Path    core.ProjectPath `json:"path"`
	From    *string          `json:"from,omitempty"`
	Status  OperationStatus  `json:"status"`
	Error   core.Code        `json:"error,omitempty"`
	Message string           `json:"message,omitempty"`
}

// OperationStatus says whether an operation was carried out.
type OperationStatus string

// The states of an operation.
const (
	StatusOK    OperationStatus = "ok"
	StatusError OperationStatus = "error"
)

// Bulk carries out the operations in order, each atomic, and makes one version. A write
// whose IfMatch does not hold when the batch begins is left out, with the result
// CodePreconditionFailed. It refuses the whole batch if any operation is malformed or has an invalid path. The
// error then has CodeInvalidRequest, CodeValidationFailed, CodeInvalidPath,
// CodePathTraversal, or, for a content larger than a file may be,
// CodePayloadTooLarge.
func (s *Service) Bulk(ctx context.Context, by core.Actor, project core.ID, batch Batch) (BulkResult, error) {
	author, err := s.author(ctx, by, project)
	if err != nil {
		return BulkResult{}, err
	}
	changes, err := s.changes(batch.Operations)
	if err != nil {
		return BulkResult{}, err
	}
	message, err := messageOf(batch)
	if err != nil {
		return BulkResult{}, err
	}
	commit := vcs.Commit{Message: message, Author: author}
	results, version, err := s.writerAs(by).ApplyAndCommitIf(ctx, project, changes, guardsOf(batch.Operations), commit)
	if err != nil {
		return BulkResult{}, err
	}
	return bulkResult(batch.Operations, changes, results, version), nil
}

func (s *Service) changes(operations []Operation) ([]core.FileChange, error) {
	if operations == nil {
		return nil, core.Errorf(core.CodeInvalidRequest, "operations is missing")
	}
	if len(operations) > MaxOperations {
		return nil, core.Errorf(core.CodeValidationFailed, "operations has %d elements, at most %d are allowed", len(operations), MaxOperations)
	}
	changes := make([]core.FileChange, len(operations))
	for i, operation := range operations {
		change, err := operation.change()
		if err == nil {
			err = s.checkSize(change.Path, len(change.Content))
		}
		if err != nil {
			return nil, core.Errorf(core.CodeOf(err), "operations[%d]: %s", i, messageOfError(err))
		}
		changes[i] = change
	}
	return changes, nil
}

// change is the change that the operation asks for.
func (o Operation) change() (core.FileChange, error) {
	switch o.Op {
	case core.OpWrite:
		return o.write()
	case core.OpRename:
		return o.rename()
	case core.OpDelete:
		return o.delete()
	}
	return core.FileChange{}, core.Errorf(core.CodeInvalidRequest, "op must be write, rename or delete")
}

func (o Operation) write() (core.FileChange, error) {
	if o.Path == nil || o.Content == nil || o.From != nil || o.To != nil {
		return core.FileChange{}, core.Errorf(core.CodeInvalidRequest, "write takes path, content and optionally encoding and ifMatch")
	}
	path, err := core.ParsePath(*o.Path)
	if err != nil {
		return core.FileChange{}, err
	}
	if o.IfMatch != nil && !isTag(*o.IfMatch) {
		return core.FileChange{}, core.Errorf(core.CodeValidationFailed, "ifMatch must be the etag of a file, with its quotes, or *")
	}
	content, err := o.content()
	return core.FileChange{Op: core.OpWrite, Path: path, Content: content}, err
}

// isTag reports whether a text is a strong entity tag, or "*".
func isTag(text string) bool {
	opaque, quoted := strings.CutPrefix(text, `"`)
	opaque, closed := strings.CutSuffix(opaque, `"`)
	return text == "*" || quoted && closed && !strings.Contains(opaque, `"`)
}

// guardsOf returns the conditions of the operations, nil if they have none.
func guardsOf(operations []Operation) []Guard {
	var guards []Guard
	for i, operation := range operations {
		if operation.IfMatch == nil {
			continue
		}
		if guards == nil {
			guards = make([]Guard, len(operations))
		}
		guards[i] = IfMatch(*operation.IfMatch)
	}
	return guards
}

func (o Operation) content() ([]byte, error) {
	if o.Encoding == nil || *o.Encoding == "utf8" {
		return []byte(*o.Content), nil
	}
	if *o.Encoding != "base64" {
		return nil, core.Errorf(core.CodeValidationFailed, "encoding must be utf8 or base64")
	}
	content, err := base64.StdEncoding.Strict().DecodeString(*o.Content)
	if err != nil {
		return nil, core.Errorf(core.CodeInvalidRequest, "content is not base64")
	}
	return content, nil
}

func (o Operation) rename() (core.FileChange, error) {
	if o.From == nil || o.To == nil || o.Path != nil || o.Content != nil || o.Encoding != nil || o.IfMatch != nil {
		return core.FileChange{}, core.Errorf(core.CodeInvalidRequest, "rename takes from and to")
	}
	from, err := core.ParsePath(*o.From)
	if err != nil {
		return core.FileChange{}, err
	}
	to, err := core.ParsePath(*o.To)
	return core.FileChange{Op: core.OpRename, Path: from, To: to}, err
}

func (o Operation) delete() (core.FileChange, error) {
	if o.Path == nil || o.Content != nil || o.Encoding != nil || o.From != nil || o.To != nil || o.IfMatch != nil {
		return core.FileChange{}, core.Errorf(core.CodeInvalidRequest, "delete takes path")
	}
	path, err := core.ParsePath(*o.Path)
	return core.FileChange{Op: core.OpDelete, Path: path}, err
}

// messageOf is the message of the version that the batch makes.
func messageOf(batch Batch) (string, error) {
	if batch.Message != nil && strings.TrimSpace(*batch.Message) != "" {
		message := strings.TrimSpace(*batch.Message)
		if utf8.RuneCountInString(message) > MaxMessageChars || strings.ContainsRune(message, 0) {
			return "", core.Errorf(core.CodeValidationFailed, "message must have at most %d characters", MaxMessageChars)
		}
		return message, nil
	}
	if len(batch.Operations) == 1 {
		return "Change 1 file", nil
	}
	return fmt.Sprintf("Change %d files", len(batch.Operations)), nil
}

func bulkResult(operations []Operation, changes []core.FileChange, results []Result, version *core.Version) BulkResult {
	answer := BulkResult{Results: make([]OperationResult, len(changes))}
	for i, change := range changes {
		result := OperationResult{Op: change.Op, Path: change.Path, Status: StatusOK}
		if change.Op == core.OpRename {
			result.Path, result.From = change.To, operations[i].From
		}
		if err := results[i].Err; err != nil {
			result.Status, result.Error, result.Message = StatusError, core.CodeOf(err), messageOfError(err)
		}
		answer.Results[i] = result
	}
	if version != nil {
		answer.Commit = &version.ID
	}
	return answer
}

// messageOfError is the part of an error that a client may read: an internal one tells
// nothing.
func messageOfError(err error) string {
	var coded *core.Error
	if errors.As(err, &coded) {
		return coded.Message
	}
	return "internal error"
}

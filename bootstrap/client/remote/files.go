package remote

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/atelierhq/atelier/bootstrap/client/checkout"
)

// Files are the files of a project.
type Files struct {
	Client  *Client
	Project string
}

var _ checkout.Project = (*Files)(nil)

// path is the route of a file.
func (f *Files) path(name string) string {
	segments := strings.Split(name, "/")
	for i, segment := range segments {
		segments[i] = url.PathEscape(segment)
	}
	return "/projects/" + f.Project + "/files/" + strings.Join(segments, "/")
}

// List implements checkout.Project.
func (f *Files) List(ctx context.Context) (map[string]string, error) {
	var listed []struct{ Path, ETag string }
	if err := f.Client.Get(ctx, "/projects/"+f.Project+"/files", &listed); err != nil {
		return nil, err
	}
	tags := make(map[string]string, len(listed))
	for _, one := range listed {
		tags[one.Path] = one.ETag
	}
	return tags, nil
}

// Read implements checkout.Project.
func (f *Files) Read(ctx context.Context, name string) ([]byte, string, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	response, err := f.Client.open(ctx, request{method: http.MethodGet, path: f.path(name)})
	if err != nil {
		return nil, "", moved(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(io.LimitReader(response.Body, maxAnswerBytes))
	if err != nil {
		return nil, "", f.Client.unreachable(ctx, err)
	}
	return content, response.Header.Get("ETag"), nil
}

// Write implements checkout.Project.
func (f *Files) Write(ctx context.Context, name string, content []byte, tag string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	asked := request{http.MethodPut, f.path(name), content, []string{"Content-Type", "application/octet-stream", "If-Match", tag}}
	if tag == "" {
		asked.header = []string{"Content-Type", "application/octet-stream", "If-None-Match", "*"}
	}
	response, err := f.Client.open(ctx, asked)
	if err != nil {
		return "", moved(err)
	}
	return response.Header.Get("ETag"), response.Body.Close()
}

// Remove implements checkout.Project.
func (f *Files) Remove(ctx context.Context, name, tag string) error {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	response, err := f.Client.open(ctx, request{http.MethodDelete, f.path(name), nil, []string{"If-Match", tag}})
	if err != nil {
		return moved(err)
	}
	return response.Body.Close()
}

// moved turns the refusals that a mirror handles into those of checkout.Project.
func moved(err error) error {
	var failure *Failure
	if !errors.As(err, &failure) {
		return err
	}
	switch failure.Status {
	case http.StatusNotFound:
		return checkout.ErrMissing
	case http.StatusPreconditionFailed:
		return checkout.ErrMoved
	case http.StatusBadRequest, http.StatusConflict, http.StatusRequestEntityTooLarge:
		return &checkout.RefusedError{Message: failure.Message}
	}
	return err
}

package git

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/gitremote"
	"github.com/atelierhq/atelier/ports/vcs"
)

// Bounds on git's requests.
const (
	// maxNegotiationBytes bounds a client's wants and haves.
	maxNegotiationBytes = 8 << 20
	// maxPushBytes is what is read of a push. It exceeds the largest accepted pack,
	// because a client reads the reason only after it has sent everything.
	maxPushBytes = 4 * gitremote.MaxPackBytes
	// requestTime bounds the duration of one request.
	requestTime = 30 * time.Minute
)

// projectOf returns the project of a request: its id, with or without ".git".
func projectOf(r *rest.Request) (core.ID, error) {
	return core.ParseID(strings.TrimSuffix(r.Param("projectId"), ".git"))
}

// Advertise answers GET /git/:projectId/info/refs. A client that names neither service
// uses the dumb protocol, which is not supported.
func Advertise(service *gitremote.Service) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		query, err := r.Query()
		if err != nil {
			return err
		}
		asked := vcs.Service(query["service"])
		if asked != vcs.ServiceUpload && asked != vcs.ServiceReceive {
			return core.Errorf(core.CodeNotFound, "this requires git's smart protocol")
		}
		project, err := projectOf(r)
		if err != nil {
			return err
		}
		var refs bytes.Buffer
		if err := service.Advertise(r.Context(), r.Actor, project, asked, &refs); err != nil {
			return err
		}
		w.Header().Set("Content-Type", "application/x-"+string(asked)+"-advertisement")
		_, _ = w.Write(refs.Bytes())
		return nil
	}
}

// Upload answers POST /git/:projectId/git-upload-pack.
func Upload(service *gitremote.Service, semaphore *Semaphore) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		return semaphore.serve(w, r, service, vcs.ServiceUpload, func(ctx context.Context, project core.ID, to io.Writer) error {
			// Read the whole request before the answer begins: HTTP/1.1 cannot do both at
			// the same time.
			body, err := bodyOf(r, vcs.ServiceUpload, maxNegotiationBytes)
			if err != nil {
				return err
			}
			said, err := io.ReadAll(body)
			if err != nil {
				return err
			}
			return service.Upload(ctx, r.Actor, project, bytes.NewReader(said), to)
		})
	}
}

// Receive answers POST /git/:projectId/git-receive-pack.
func Receive(service *gitremote.Service, semaphore *Semaphore) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		return semaphore.serve(w, r, service, vcs.ServiceReceive, func(ctx context.Context, project core.ID, to io.Writer) error {
			body, err := bodyOf(r, vcs.ServiceReceive, maxPushBytes)
			if err != nil {
				return err
			}
			return service.Receive(ctx, r.Actor, project, body, to)
		})
	}
}

// bodyOf returns the body of a request, of at most limit bytes, plain or compressed.
func bodyOf(r *rest.Request, service vcs.Service, limit int64) (io.Reader, error) {
	kind := r.Header.Values("Content-Type")
	if len(kind) != 1 || kind[0] != "application/x-"+string(service)+"-request" {
		return nil, core.Errorf(core.CodeUnsupportedMediaType, "the body must be application/x-%s-request", service)
	}
	var body io.Reader = &reader{from: r.Body, request: r, end: time.Now().Add(requestTime)}
	switch encoding := r.Header.Get("Content-Encoding"); encoding {
	case "":
	case "gzip", "x-gzip":
		unzipped, err := gzip.NewReader(body)
		if err != nil {
			return nil, reading(err)
		}
		body = unzipped
	default:
		return nil, core.Errorf(core.CodeUnsupportedMediaType, "the body must be plain or gzip")
	}
	return &boundedReader{from: body, left: limit, limit: limit}, nil
}

// reader reads a body, with a timeout for clients that send nothing.
type reader struct {
	from    io.Reader
	request *rest.Request
	end     time.Time
}

// Read implements io.Reader.
func (g *reader) Read(into []byte) (int, error) {
	deadline := time.Now().Add(rest.UploadStall)
	if g.end.Before(deadline) {
		deadline = g.end
	}
	// Writers without deadlines, as in tests, read without one.
	_ = g.request.Control().SetReadDeadline(deadline)
	n, err := g.from.Read(into)
	_ = g.request.Control().SetReadDeadline(time.Time{})
	return n, err
}

// boundedReader fails after a number of bytes.
type boundedReader struct {
	from        io.Reader
	left, limit int64
}

// Read implements io.Reader.
func (b *boundedReader) Read(into []byte) (int, error) {
	n, err := b.from.Read(into)
	if b.left -= int64(n); b.left < 0 {
		return 0, rest.TooLarge(b.limit)
	}
	return n, reading(err)
}

// reading gives a failure to read a body its code. io.EOF stays unchanged.
func reading(err error) error {
	switch {
	case err == nil || errors.Is(err, io.EOF):
		return err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return core.Errorf(core.CodeInvalidRequest, "the body stalled for %s, or took longer than %s", rest.UploadStall, requestTime)
	}
	return core.Wrap(core.CodeInvalidRequest, err, "the body is incomplete")
}

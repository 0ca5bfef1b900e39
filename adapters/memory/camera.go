package memory

import (
	"bytes"
	"context"
	"hash/fnv"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"net/http"
	"sync"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/screenshot"
)

var _ screenshot.Camera = (*Camera)(nil)

// Camera makes pictures whose colour depends on a page's content: equal pages, equal
// pictures. It runs no scripts. It is safe for concurrent use.
type Camera struct {
	pages http.Handler

	mu     sync.Mutex
	broken bool
}

// NewCamera returns a camera for the pages that a handler serves by their hosts.
func NewCamera(pages http.Handler) *Camera { return &Camera{pages: pages} }

// SetAvailable says whether pictures can be taken.
func (c *Camera) SetAvailable(available bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.broken = !available
}

// Available implements screenshot.Camera.
func (c *Camera) Available(ctx context.Context) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broken {
		return core.Errorf(core.CodeSandboxUnavailable, "no browser is available to take pictures")
	}
	return ctx.Err()
}

// Take implements screenshot.Camera.
func (c *Camera) Take(ctx context.Context, address string) ([]byte, error) {
	if err := c.Available(ctx); err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, core.Wrap(core.CodeUnavailable, err, "the address is not valid")
	}
	answer := &page{header: make(http.Header), status: http.StatusOK}
	c.pages.ServeHTTP(answer, request)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if answer.status != http.StatusOK {
		return nil, core.Errorf(core.CodeUnavailable, "the page answered with status %d", answer.status)
	}
	return picture(answer.body.Bytes()), nil
}

// picture returns a PNG in a colour derived from a content.
func picture(content []byte) []byte {
	sum := fnv.New32()
	_, _ = sum.Write(content)
	mix := sum.Sum32()
	canvas := image.NewRGBA(image.Rect(0, 0, screenshot.Width, screenshot.Height))
	shade := color.RGBA{uint8(mix), uint8(mix >> 8), uint8(mix >> 16), 0xff}
	draw.Draw(canvas, canvas.Bounds(), image.NewUniform(shade), image.Point{}, draw.Src)
	var out bytes.Buffer
	// Writing to memory never fails.
	_ = png.Encode(&out, canvas)
	return out.Bytes()
}

// page records a handler's answer.
type page struct {
	header http.Header
	status int
	body   bytes.Buffer
}

var _ io.Writer = (*page)(nil)

// Header implements http.ResponseWriter.
func (p *page) Header() http.Header { return p.header }

// WriteHeader implements http.ResponseWriter.
func (p *page) WriteHeader(status int) { p.status = status }

// Write implements http.ResponseWriter.
func (p *page) Write(content []byte) (int, error) { return p.body.Write(content) }

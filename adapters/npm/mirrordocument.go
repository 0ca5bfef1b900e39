package npm

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/atelierhq/atelier/core"
)

const (
	// freshFor is how long a cached document is served without asking the registry again.
	freshFor = time.Minute
	// revalidateTimeout bounds that question, because the cached document can be served.
	revalidateTimeout = 10 * time.Second
	// downFor is how long a registry that could not be reached is not asked again
	// (circuit breaker).
	downFor = 30 * time.Second
	// maxChecked bounds the documents whose check times a mirror remembers.
	maxChecked = 10_000

	abbreviatedType = "application/vnd.npm.install-v1+json"
)

// A document is a packument, full or abbreviated, in the mirror's cache: a line with its
// head, and then JSON. The JSON has line breaks only where the mirror's own address must
// be inserted.
type documentHead struct {
	Name string `json:"name"`
	// ETag is the registry's.
	ETag string `json:"etag"`
	// Digest and Bytes are those of everything after the line.
	Digest string `json:"digest"`
	Bytes  int64  `json:"bytes"`
}

// documentFile returns the file name of a document, or of another kind of file that
// belongs to it. Each registry has its own.
func (m *Mirror) documentFile(name, kind string) string {
	sum := sha256.Sum256([]byte(name + " " + kind + " " + m.resolver.registry.upstreams.of(name).base.String()))
	return hex.EncodeToString(sum[:16])
}

// The kinds of files of a package.
const (
	kindFull        = "full"
	kindAbbreviated = "abbreviated"
	kindDists       = "dists"
)

func (m *Mirror) serveDocument(w http.ResponseWriter, r *http.Request, name string) error {
	address, ok := addressOf(r)
	if !ok {
		answerJSON(w, http.StatusBadRequest, mirrorError{"the Host of the request is not valid"})
		return nil
	}
	kind, contentType := kindFull, "application/json"
	if strings.Contains(r.Header.Get("Accept"), abbreviatedType) {
		kind, contentType = kindAbbreviated, abbreviatedType
	}
	if err := m.refresh(r.Context(), name, kind); err != nil {
		return err
	}
	head, content, err := m.openDocument(name, kind)
	if err != nil {
		return err
	}
	defer content.Close()
	etag := fmt.Sprintf(`"%s-%08x"`, head.Digest, crc32.ChecksumIEEE([]byte(address)))
	w.Header().Set("ETag", etag)
	w.Header().Set("Vary", "Accept")
	w.Header().Set("Cache-Control", "public, max-age=60")
	if strings.Contains(r.Header.Get("If-None-Match"), etag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	w.Header().Set("Content-Type", contentType)
	if r.Method == http.MethodGet {
		if err := copyWithAddress(w, content, address); err != nil {
			panic(http.ErrAbortHandler) // a truncated document must not look complete
		}
	}
	return nil
}

// refresh fetches a document, or checks that the cached one is current. A cached one
// suffices while the registry cannot be reached.
func (m *Mirror) refresh(ctx context.Context, name, kind string) error {
	file := m.documentFile(name, kind)
	if m.fresh(file) {
		return nil
	}
	_, err := m.writes.Do(ctx, "document "+file, func(ctx context.Context) (struct{}, error) {
		leave, err := m.fetches.acquire(ctx)
		if err != nil {
			return struct{}{}, err
		}
		defer leave()
		etag := m.cachedETag(name, kind)
		err = m.fetchDocument(ctx, name, kind, etag)
		switch {
		case ctx.Err() != nil:
			return struct{}{}, ctx.Err()
		case err == nil || hasStatus(err, http.StatusNotModified):
			m.markChecked(file, time.Now())
			return struct{}{}, m.resolver.store.touch(packumentsDir, file)
		case etag != "" && isRegistryFault(err):
			m.markDown(err)
			m.markChecked(file, time.Time{})
			return struct{}{}, m.resolver.store.touch(packumentsDir, file)
		}
		return struct{}{}, explainPackument(ctx, err, name)
	})
	return err
}

// fresh reports whether a document need not be checked now.
func (m *Mirror) fresh(file string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	checked, known := m.checked[file]
	now := time.Now()
	if !known || now.Sub(checked) > freshFor && now.After(m.downUntil) {
		return false
	}
	return m.resolver.store.has(packumentsDir, file)
}

// isRegistryFault reports whether a failure says something of the registry and nothing of
// the package.
func isRegistryFault(err error) bool {
	var answer *statusError
	return !errors.As(err, &answer) || isTransient(err)
}

func (m *Mirror) markChecked(file string, at time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.checked) >= maxChecked {
		clear(m.checked)
	}
	m.checked[file] = at
}

// errBreakerOpen reports that the registry was not asked, because it could not be reached
// shortly before (circuit breaker).
var errBreakerOpen = errors.New("the registry could not be reached a moment ago")

func (m *Mirror) markDown(err error) {
	if errors.Is(err, errBreakerOpen) {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.downUntil = time.Now().Add(downFor)
}

// noETag marks a document that came without an ETag.
const noETag = `""`

// cachedETag returns the tag of a cached document, "" if there is no complete one.
func (m *Mirror) cachedETag(name, kind string) string {
	head, content, err := m.openDocument(name, kind)
	if err != nil {
		return ""
	}
	defer content.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, content); err != nil || hex.EncodeToString(sum.Sum(nil)[:16]) != head.Digest {
		return ""
	}
	return head.ETag
}

// fetchDocument asks the registry once if the document is cached, else with all retries.
func (m *Mirror) fetchDocument(ctx context.Context, name, kind, etag string) error {
	registry := &m.resolver.registry
	from := registry.upstreams.of(name)
	asked := request{from: from, address: from.packumentURL(name), accept: "application/json", etag: etag}
	if kind == kindAbbreviated {
		asked.accept = abbreviated
	}
	read := func(answer *http.Response) error { return m.keepDocument(ctx, name, kind, answer) }
	if etag == "" {
		return registry.get(ctx, asked, read)
	}
	m.mu.Lock()
	down := time.Now().Before(m.downUntil)
	m.mu.Unlock()
	if down {
		return errBreakerOpen
	}
	ctx, cancel := context.WithTimeout(ctx, revalidateTimeout)
	defer cancel()
	return registry.getOnce(ctx, asked, read)
}

// keepDocument stores what a registry returned for a package.
func (m *Mirror) keepDocument(ctx context.Context, name, kind string, answer *http.Response) error {
	leave, err := m.rewrites.acquire(ctx)
	if err != nil {
		return err
	}
	defer leave()
	text, err := io.ReadAll(&limitedReader{answer.Body, m.resolver.limits.packumentBytes})
	if err != nil {
		return err
	}
	body, dists, err := rewrite(name, text)
	if err != nil {
		return err
	}
	etag := answer.Header.Get("ETag")
	if etag == "" || strings.ContainsAny(etag, "\r\n") {
		etag = noETag
	}
	sum := sha256.Sum256(body)
	head, err := json.Marshal(documentHead{name, etag, hex.EncodeToString(sum[:16]), int64(len(body))})
	if err != nil {
		return err
	}
	m.countBytes(int64(len(head) + len(body) + len(dists)))
	return errors.Join(
		m.resolver.store.replace(dists, packumentsDir, m.documentFile(name, kindDists)),
		m.resolver.store.replace(append(append(head, '\n'), body...), packumentsDir, m.documentFile(name, kind)),
	)
}

// document is a cached document after its head.
type document struct {
	*bufio.Reader
	file *os.File
}

// Close closes the file of the document.
func (d *document) Close() { _ = d.file.Close() } // the file was only read

// openDocument opens a cached document. A document that is shorter than its head says was
// torn by a power cut.
func (m *Mirror) openDocument(name, kind string) (documentHead, *document, error) {
	var head documentHead
	file, err := os.Open(m.resolver.store.path(packumentsDir, m.documentFile(name, kind)))
	if err != nil {
		return head, nil, core.Wrap(core.CodeUnavailable, err, "%s cannot be read", name)
	}
	content := bufio.NewReader(file)
	line, err := content.ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, &head)
	}
	info, statErr := file.Stat()
	if err = errors.Join(err, statErr); err == nil && info.Size() != int64(len(line))+head.Bytes {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return head, nil, core.Wrap(core.CodeUnavailable, errors.Join(err, file.Close()), "%s cannot be read", name)
	}
	return head, &document{content, file}, nil
}

package attachments_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/attachments"
)

// serving answers every request with data, with a wrong media type.
func serving(data []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		_, _ = w.Write(data)
	})
}

func redirecting(status int, to string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Location"] = []string{to}
		w.WriteHeader(status)
	})
}

func TestAnImageIsFetched(t *testing.T) {
	data := pngOf(t, 40, 30)
	var asked *http.Request
	guard := memory.NewGuard().Handle("images.example.com", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = r.Clone(context.Background())
		_, _ = w.Write(data)
	}))
	for _, url := range []string{"https://images.example.com/a%20b.png?token=x#part", "http://images.example.com:8080/", "HTTPS://images.example.com/a"} {
		images, err := load(t, guard, url)
		if err != nil || images[0].MediaType != "image/png" || !bytes.Equal(images[0].Data, data) {
			t.Errorf("%s: got %v, want the image", url, err)
		}
		if asked.Method != http.MethodGet || asked.Header.Get("Cookie")+asked.Header.Get("Authorization")+asked.Header.Get("Referer") != "" {
			t.Errorf("%s: got %s with %v, want a GET without anything of ours", url, asked.Method, asked.Header)
		}
	}
}

func TestRedirectsAreFollowedToPlacesThatMayBeReached(t *testing.T) {
	data := gifOf(t, 40, 30)
	for _, status := range []int{301, 302, 303, 307, 308} {
		guard := memory.NewGuard().
			Handle("a.example.com", redirecting(status, "https://b.example.com/x?y=z")).
			Handle("b.example.com", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/x" {
					redirecting(status, "/final").ServeHTTP(w, r)
					return
				}
				serving(data).ServeHTTP(w, r)
			}))
		images, err := load(t, guard, "https://a.example.com/")
		if err != nil || images[0].MediaType != "image/gif" {
			t.Errorf("%d: got %v, want the image", status, err)
		}
	}
}

func TestNoAddressAndNoRedirectLeadsToAForbiddenPlace(t *testing.T) {
	reached := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("got a request, want none") })
	forbidden := []string{
		"http://169.254.169.254/latest/meta-data/", "http://metadata.google.internal/", "http://127.0.0.1/", "http://localhost:8080/",
		"http://[::1]/", "http://[::ffff:169.254.169.254]/", "http://10.0.0.1/", "http://2130706433/", "http://0x7f.1/",
		"http://inside.example.com/", "file:///etc/passwd", "ftp://images.example.com/a.png", "gopher://127.0.0.1:25/", "http://me:secret@images.example.com/",
	}
	for _, address := range forbidden {
		for name, url := range map[string]string{"named": address, "redirected to": "https://outside.example.com/"} {
			guard := memory.NewGuard().Handle("169.254.169.254", reached).Handle("127.0.0.1", reached).Handle("localhost", reached).
				Handle("inside.example.com", reached).Resolve("inside.example.com", netip.MustParseAddr("192.168.1.1")).
				Handle("outside.example.com", redirecting(http.StatusFound, address))
			_, err := load(t, guard, url)
			if !core.IsCode(err, core.CodeForbiddenAddress) || !strings.Contains(err.Error(), "attachments[0].url") {
				t.Errorf("%s %s: got %v, want code forbidden_address and the member's name", address, name, err)
			}
			if err != nil && strings.Contains(err.Error(), "secret") {
				t.Errorf("%s %s: got %v, want nothing of the address", address, name, err)
			}
		}
	}
	guard := memory.NewGuard().AllowPrivate().Handle("127.0.0.1", redirecting(http.StatusFound, "http://169.254.169.254/")).Handle("169.254.169.254", reached)
	if _, err := load(t, guard, "http://127.0.0.1/"); !core.IsCode(err, core.CodeForbiddenAddress) {
		t.Errorf("metadata where private networks are allowed: got %v, want code forbidden_address", err)
	}
}

func TestWhatCannotBeFetchedIsRefused(t *testing.T) {
	image := pngOf(t, 3, 3)
	for name, refused := range map[string]struct {
		handler http.Handler
		says    string
	}{
		"not found":          {http.NotFoundHandler(), "status 404"},
		"an empty answer":    {serving(nil), "not a PNG"},
		"no content":         {redirecting(http.StatusNoContent, ""), "status 204"},
		"not modified":       {redirecting(http.StatusNotModified, ""), "status 304"},
		"a page":             {serving([]byte("<html>please sign in</html>")), "not a PNG"},
		"too much":           {serving(append(bytes.Clone(image), make([]byte, core.MaxImageBytes)...)), "5 MiB"},
		"a circle":           {redirecting(http.StatusFound, "/again"), "more than 5"},
		"a broken redirect":  {redirecting(http.StatusFound, "http://[broken"), ""},
		"an empty redirect":  {redirecting(http.StatusFound, ""), "without a target"},
		"a panic of its own": {http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) }), "status 500"},
	} {
		_, err := load(t, memory.NewGuard().Handle("images.example.com", refused.handler), "https://images.example.com/a.png")
		if !core.IsCode(err, core.CodeValidationFailed) || !strings.Contains(err.Error(), "attachments[0].url") || !strings.Contains(err.Error(), refused.says) {
			t.Errorf("%s: got %v, want code validation_failed, the member's name and %q", name, err, refused.says)
		}
	}
	if _, err := load(t, memory.NewGuard(), "https://nobody.example.com/a.png"); !core.IsCode(err, core.CodeValidationFailed) {
		t.Errorf("nobody there: got %v, want code validation_failed", err)
	}
}

// TestAnEndlessAnswerIsNotRead covers a server that neither announces the length of
// its answer nor ends it.
func TestAnEndlessAnswerIsNotRead(t *testing.T) {
	var sent atomic.Int64
	block := append(pngOf(t, 3, 3), make([]byte, 64<<10)...)
	guard := memory.NewGuard().Handle("images.example.com", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for {
			n, err := w.Write(block)
			sent.Add(int64(n))
			if err != nil {
				return
			}
		}
	}))
	_, err := load(t, guard, "https://images.example.com/a.png")
	if !core.IsCode(err, core.CodeValidationFailed) || !strings.Contains(err.Error(), "5 MiB") {
		t.Errorf("got %v, want code validation_failed", err)
	}
	if sent.Load() > core.MaxImageBytes+1<<20 {
		t.Errorf("got %d bytes read, want no more than show that there are too many", sent.Load())
	}
}

func TestASlowServerHoldsNobodyForLong(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"silent": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"dripping": func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				_, _ = w.Write([]byte{0x89})
				time.Sleep(time.Second)
			}
		},
	} {
		synctest.Test(t, func(t *testing.T) {
			begun := time.Now()
			_, err := load(t, memory.NewGuard().Handle("slow.example.com", handler), "https://slow.example.com/a.png")
			if !core.IsCode(err, core.CodeValidationFailed) || !strings.Contains(err.Error(), "10s") || time.Since(begun) > 11*time.Second {
				t.Errorf("%s: got %v after %s, want code validation_failed after 10 s", name, err, time.Since(begun))
			}
			time.Sleep(2 * time.Second)
		})
	}
}

func TestFourImagesAreFetchedAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		data := pngOf(t, 3, 3)
		var now, most atomic.Int32
		guard := memory.NewGuard().Handle("images.example.com", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if n := now.Add(1); n > most.Load() {
				most.Store(n)
			}
			time.Sleep(time.Second)
			now.Add(-1)
			_, _ = w.Write(data)
		}))
		var sources []attachments.Source
		for i := range core.MaxAttachments {
			sources = append(sources, attachments.Parse(fmt.Appendf(nil, "https://images.example.com/%d", i)))
		}
		begun := time.Now()
		images, err := attachments.NewLoader(guard).Load(t.Context(), sources)
		if err != nil || len(images) != core.MaxAttachments || most.Load() != 4 || time.Since(begun) != 2*time.Second {
			t.Errorf("got %v with %d at a time in %s, want 4 at a time in 2 s", err, most.Load(), time.Since(begun))
		}
	})
}

func TestImagesKeepTheirOrder(t *testing.T) {
	png, jpeg, gif := pngOf(t, 3, 3), jpegOf(t, 3, 3), gifOf(t, 3, 3)
	guard := memory.NewGuard().Handle("a.example.com", serving(jpeg)).Handle("b.example.com", serving(gif))
	images, err := attachments.NewLoader(guard).Load(t.Context(), []attachments.Source{
		attachments.Parse([]byte("https://a.example.com/")), attachments.Parse([]byte(dataURL(png))),
		attachments.Parse([]byte("https://b.example.com/")),
	})
	if err != nil || !bytes.Equal(images[0].Data, jpeg) || !bytes.Equal(images[1].Data, png) || !bytes.Equal(images[2].Data, gif) {
		t.Errorf("got %v, want the images in order", err)
	}
}

func TestTheFirstFailureEndsTheOtherFetches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		guard := memory.NewGuard().Handle("missing.example.com", http.NotFoundHandler()).
			Handle("slow.example.com", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
		begun := time.Now()
		_, err := attachments.NewLoader(guard).Load(t.Context(), []attachments.Source{
			attachments.Parse([]byte("https://slow.example.com/")), attachments.Parse([]byte("https://missing.example.com/")),
		})
		if !core.IsCode(err, core.CodeValidationFailed) || !strings.Contains(err.Error(), "attachments[1].url") || time.Since(begun) > 0 {
			t.Errorf("got %v after %s, want the second's failure at once", err, time.Since(begun))
		}
	})
}

func TestACallerWhoLeavesEndsTheFetches(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	guard := memory.NewGuard().Handle("slow.example.com", http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	}))
	_, err := attachments.NewLoader(guard).Load(ctx, []attachments.Source{attachments.Parse([]byte("https://slow.example.com/"))})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

package webhooks_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/atelierhq/atelier/adapters/netguard"
	"github.com/atelierhq/atelier/bootstrap"
	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/settings"
	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core"
)

// misbehave answers by path in every way in which receivers fail.
func misbehave(flaky *atomic.Int32) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/flaky":
			if flaky.Add(1) == 1 {
				http.Error(w, "not yet", http.StatusInternalServerError)
			}
		case "/hang":
			<-r.Context().Done()
		case "/redirect":
			http.Redirect(w, r, "/inside", http.StatusTemporaryRedirect)
		case "/half":
			conn, buffer, err := w.(http.Hijacker).Hijack()
			if err == nil {
				_, _ = buffer.WriteString("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")
				_ = buffer.Flush()
				_ = conn.Close()
			}
		case "/large":
			_, _ = io.WriteString(w, strings.Repeat("x", 10<<20))
		case "/gone":
			w.WriteHeader(http.StatusGone)
		}
	}
}

func TestAReceiverMayFailInEveryWay(t *testing.T) {
	for name, p := range programs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			owner := p.Serve(t).SignUp()
			var flaky atomic.Int32
			r := newReceiver(t, misbehave(&flaky))
			unknown := httptest.NewTLSServer(r.recording(func(http.ResponseWriter, *http.Request) {}))
			unknown.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
			t.Cleanup(unknown.Close)
			hooks := map[string]hook{}
			for _, path := range []string{"/hang", "/flaky", "/redirect", "/half", "/large", "/gone"} {
				hooks[path] = newHook(owner, r.URL+path, core.WebhookMemberChanged)
			}
			hooks["/tls"] = newHook(owner, unknown.URL+"/tls", core.WebhookMemberChanged)
			hooks["/nobody"] = newHook(owner, "http://localhost:9/nobody", core.WebhookMemberChanged)

			owner.Join(owner.Workspace, owner.SignUp(), core.RoleMember)
			if entry := hooks["/large"].awaitLog(isDelivered); len(entry.Response) != 1024 || entry.Attempts != 1 {
				t.Errorf("got %d bytes of the answer after %d attempts, want 1 KiB after one", len(entry.Response), entry.Attempts)
			}
			if isTried(hooks["/hang"].log()[0]) {
				t.Error("the receiver that hangs was over before the others")
			}
			for path, want := range map[string]core.DeliveryProblem{
				"/redirect": core.DeliveryRedirected, "/half": core.DeliveryBrokenOff, "/gone": core.DeliveryRefused,
				"/tls": core.DeliveryCertificate, "/nobody": core.DeliveryUnreachable, "/hang": core.DeliveryTimeout,
			} {
				if entry := hooks[path].awaitLog(isTried); entry.Error != want {
					t.Errorf("%s: got %q, want %q", path, entry.Error, want)
				}
			}
			if got := len(r.got("/inside")) + len(r.got("/tls")); got != 0 {
				t.Errorf("got %d messages where none may arrive", got)
			}
			hooks["/flaky"].recovers(r)
			hooks["/gone"].isGone()
		})
	}
}

// recovers holds that a delivery that failed once arrived at last, and arrives again when asked.
func (h hook) recovers(r *receiver) {
	h.T.Helper()
	entry := h.awaitLog(isDelivered)
	if entry.Attempts != 2 {
		h.T.Errorf("got %d attempts, want 2", entry.Attempts)
	}
	var again delivery
	h.Must(http.StatusAccepted, http.MethodPost, h.path+"/deliveries/"+string(entry.ID)+"/redeliver", nil, &again)
	for _, one := range r.await("/flaky", 3) {
		if verify(h.T, one, h.secret); one.id() != entry.MessageID || again.MessageID != one.id() {
			h.T.Errorf("got the id %q, want %q each time", one.id(), entry.MessageID)
		}
	}
}

// isGone holds that the webhook is disabled, and the security log says so.
func (h hook) isGone() {
	h.T.Helper()
	var shown struct {
		Disabled       bool
		DisabledReason core.WebhookStop
	}
	h.Must(http.StatusOK, http.MethodGet, h.path, nil, &shown)
	if !shown.Disabled || shown.DisabledReason != core.WebhookStopGone {
		h.T.Errorf("got %+v, want it disabled", shown)
	}
	log := h.Must(http.StatusOK, http.MethodGet, "/workspaces/"+string(h.Workspace)+"/audit", nil, nil)
	if got := strings.Count(string(log.Body), string(core.AuditWebhookDisabled)); got != 1 {
		h.T.Errorf("the security log has %d entries of disabled webhooks, want 1", got)
	}
	h.Refused(http.StatusConflict, core.CodeConflict, http.MethodPost, h.path+"/test", nil)
}

// TestNoWebhookReachesPrivateNetworks has names that lead inward only once they are looked up.
func TestNoWebhookReachesPrivateNetworks(t *testing.T) {
	guard := netguard.NewResolving(false, inwardNames())
	assemble := func(ctx context.Context, s settings.Settings, log *slog.Logger) (*bootstrap.App, func(), error) {
		return local.NewWith(ctx, s, log, local.Parts{Guard: guard})
	}
	owner := storytest.Serve(t, t.TempDir(), assemble, nil).SignUp()
	r := newReceiver(t, func(http.ResponseWriter, *http.Request) {})
	port := r.Listener.Addr().(*net.TCPAddr).Port
	path := "/workspaces/" + string(owner.Workspace) + "/webhooks"
	for url, code := range map[string]core.Code{
		r.URL: core.CodeForbiddenAddress, "https://localhost/": core.CodeForbiddenAddress, "https://10.0.0.1/": core.CodeForbiddenAddress,
		"https://169.254.169.254/": core.CodeForbiddenAddress, "https://[::ffff:127.0.0.1]/": core.CodeForbiddenAddress, "https://0x7f.1/": core.CodeForbiddenAddress,
		"https://metadata.google.internal/": core.CodeForbiddenAddress, "https://a@inward.example/": core.CodeForbiddenAddress, "gopher://inward.example/": core.CodeForbiddenAddress,
		"http://inward.example/": core.CodeValidationFailed,
	} {
		owner.Refused(http.StatusBadRequest, code, http.MethodPost, path, storytest.Fields{"url": url, "events": core.WebhookEvents()})
	}
	inward := newHook(owner, fmt.Sprintf("https://inward.example:%d/", port), core.WebhookMemberChanged)
	owner.Must(http.StatusAccepted, http.MethodPost, inward.path+"/test", nil, nil)
	entry := inward.awaitLog(isTried)
	if entry.Error != core.DeliveryForbidden || entry.Status != nil || entry.Response != "" || len(r.got("/")) != 0 {
		t.Errorf("got %+v, want it refused, and nothing told of the network", entry)
	}
}

// inwardNames resolves every name to this machine, as a hostile name server does.
func inwardNames() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		here, there := net.Pipe()
		go answerInward(there)
		return here, nil
	}}
}

// answerInward answers one query, which follows its length as over TCP.
func answerInward(conn net.Conn) {
	defer conn.Close()
	var size [2]byte
	if _, err := io.ReadFull(conn, size[:]); err != nil {
		return
	}
	query := make([]byte, binary.BigEndian.Uint16(size[:]))
	if _, err := io.ReadFull(conn, query); err != nil {
		return
	}
	const head = 12
	end := head
	for query[end] != 0 {
		end += int(query[end]) + 1
	}
	end += 5
	answer := append([]byte{}, query[:end]...)
	binary.BigEndian.PutUint16(answer[2:], 0x8180)
	binary.BigEndian.PutUint16(answer[6:], 0)
	binary.BigEndian.PutUint32(answer[8:], 0)
	const typeA = 1
	if binary.BigEndian.Uint16(query[end-4:]) == typeA {
		binary.BigEndian.PutUint16(answer[6:], 1)
		answer = append(answer, 0xc0, head, 0, typeA, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1)
	}
	_, _ = conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...))
}

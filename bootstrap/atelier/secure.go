package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"

	"github.com/atelierhq/atelier/adapters/acme"
	"github.com/atelierhq/atelier/bootstrap"
)

// secureListener is where TLS is spoken with certificates from an authority.
type secureListener struct {
	net.Listener
	certificates *acme.Manager
	// port is the one that visitors are to use.
	port string
}

// listenSecurely begins to listen for TLS when the settings ask for certificates
// from an authority; else it returns nil.
func (c *command) listenSecurely(app *bootstrap.App) (*secureListener, error) {
	if c.settings.ACME.IsZero() {
		return nil, nil
	}
	certificates, err := bootstrap.Certificates(app)
	if err != nil {
		return nil, fmt.Errorf("TLS=acme: %w", err)
	}
	listener, err := net.Listen("tcp", c.settings.ACME.Listen)
	if err != nil {
		certificates.Close()
		return nil, fmt.Errorf("TLS_LISTEN_ADDR: %w", err)
	}
	c.log.Info("certificates come from an authority when a name is first visited", "authority", c.settings.ACME.Authority, "address", listener.Addr().String())
	return &secureListener{listener, certificates, cmp.Or(c.settings.AppURL.Port(), "443")}, nil
}

// attach lets a server speak TLS, and send visitors there who come without.
func (l *secureListener) attach(server *http.Server) {
	server.TLSConfig = l.certificates.TLSConfig()
	server.Handler = l.certificates.Handler(server.Handler, l.port)
}

// withoutHandshakes keeps from the log who asks for names that are nothing here:
// strangers do so all the time.
type withoutHandshakes struct{ log *slog.Logger }

// Write implements io.Writer.
func (w withoutHandshakes) Write(line []byte) (int, error) {
	if !bytes.Contains(line, []byte("TLS handshake error")) {
		w.log.Error("the server fails", "error", string(bytes.TrimSpace(line)))
	}
	return len(line), nil
}

// unlessClosed is the error of a server that did not end because it was asked to.
func unlessClosed(err error) error {
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

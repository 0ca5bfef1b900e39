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

// secureListener is a listener for TLS with certificates from an authority.
type secureListener struct {
	net.Listener
	certificates *acme.Manager
	// port is the port that visitors use.
	port string
}

// listenSecurely begins to listen for TLS if the settings require certificates from an
// authority; otherwise it returns nil.
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
	c.log.Info("obtaining certificates when a name is first visited", "authority", c.settings.ACME.Authority, "address", listener.Addr().String())
	return &secureListener{listener, certificates, cmp.Or(c.settings.AppURL.Port(), "443")}, nil
}

// attach makes a server speak TLS, and redirect visitors who come without it.
func (l *secureListener) attach(server *http.Server) {
	server.TLSConfig = l.certificates.TLSConfig()
	server.Handler = l.certificates.Handler(server.Handler, l.port)
}

// handshakeFilter keeps handshakes for unknown names out of the log, because strangers
// cause them all the time.
type handshakeFilter struct{ log *slog.Logger }

// Write implements io.Writer.
func (w handshakeFilter) Write(line []byte) (int, error) {
	if !bytes.Contains(line, []byte("TLS handshake error")) {
		w.log.Error("HTTP server error", "error", string(bytes.TrimSpace(line)))
	}
	return len(line), nil
}

// unlessClosed returns the error of a server, except for one that was told to end.
func unlessClosed(err error) error {
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}

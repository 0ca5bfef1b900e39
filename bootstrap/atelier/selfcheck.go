package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/atelierhq/atelier/adapters/bunstore"
)

// selfCheckTime bounds how long a service may take to become ready after its start.
const selfCheckTime = 2 * time.Minute

// selfCheck says after an update whether the database has this program's schema, and whether the service that
// listens at LISTEN_ADDR is ready. It waits for a service that is about to start.
func (c *command) selfCheck(ctx context.Context, _ []string) error {
	ctx, cancel := context.WithTimeout(ctx, selfCheckTime)
	defer cancel()
	if err := c.checkSchema(ctx); err != nil {
		return err
	}
	address, err := c.ownAddress()
	if err != nil {
		return err
	}
	for {
		err := c.probe(ctx, address)
		if err == nil {
			break
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the service at %s is not ready: %w", address, err)
		case <-time.After(time.Second):
		}
	}
	_, err = fmt.Fprintf(c.out, "atelier %s: the database has its schema, and the service at %s is ready\n", version, address)
	return err
}

func (c *command) checkSchema(ctx context.Context) error {
	store, err := bunstore.Open(ctx, c.settings.DatabaseURL)
	if err != nil {
		return fmt.Errorf("DATABASE_URL: %w", err)
	}
	return errors.Join(store.CheckSchema(ctx), store.Close())
}

// ownAddress returns where this machine reaches the service.
func (c *command) ownAddress() (string, error) {
	host, port, err := net.SplitHostPort(c.settings.ListenAddr)
	if err != nil {
		return "", err
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port), nil
}

// probe asks the service whether it is ready. With a certificate of its own it is only known to listen, because
// the certificate is for another name.
func (c *command) probe(ctx context.Context, address string) error {
	if c.settings.TLSCert != "" {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err != nil {
			return err
		}
		return conn.Close()
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/readyz", nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(answer.Body, 4<<10))
	if err != nil || answer.StatusCode != http.StatusOK {
		return errors.Join(err, fmt.Errorf("it answers %d %s", answer.StatusCode, body))
	}
	if !json.Valid(body) {
		return errors.New("another program answers there")
	}
	return nil
}

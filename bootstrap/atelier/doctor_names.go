package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/atelierhq/atelier/adapters/acme"
	"github.com/atelierhq/atelier/bootstrap"
)

// probeLabel is an example of a site's label.
const probeLabel = "atelier-doctor"

// checkNames checks what sites under custom domains, and certificates from an authority,
// depend on.
func (c *command) checkNames(ctx context.Context) []finding {
	if c.settings.ACME.IsZero() && c.settings.DNSResolver == "" {
		return nil
	}
	found := one("site names", c.checkSiteNames)(ctx)
	if c.settings.ACME.IsZero() {
		return found
	}
	found = append(found, one("TLS", c.checkAuthority)(ctx)...)
	preview, _, _ := strings.Cut(c.settings.PreviewDomain, ":")
	return append(found, finding{name: "TLS of previews", text: "each preview has a name of its own, and few new ones an hour get certificates: " +
		"for more, terminate TLS in a proxy with a certificate for *." + preview})
}

// checkSiteNames resolves a site's name as it is done for claimed names. It fails if
// certificates depend on it.
func (c *command) checkSiteNames(ctx context.Context) (string, error) {
	domain := bootstrap.DomainRules(c.settings).AppDomain
	route, err := bootstrap.NameServers(c.settings).Follow(ctx, probeLabel+"."+domain)
	if err == nil && len(route.Addresses) > 0 {
		return fmt.Sprintf("names below %s lead to %v", domain, route.Addresses), nil
	}
	text := "names below " + domain + " lead nowhere, so that people's own domains must be aliases of a site's name"
	if err != nil {
		text += ": " + err.Error()
	}
	if !c.settings.ACME.IsZero() {
		return "", errors.New(text)
	}
	return text, nil
}

// checkAuthority requests the authority's directory and listens at the TLS port.
func (c *command) checkAuthority(ctx context.Context) (string, error) {
	listener, err := net.Listen("tcp", c.settings.ACME.Listen)
	if err != nil && !strings.Contains(err.Error(), "address already in use") {
		return "", fmt.Errorf("TLS_LISTEN_ADDR: %w", err)
	}
	if err == nil {
		_ = listener.Close()
	}
	manager, err := acme.New(acme.Config{
		Dir: c.settings.ACME.Dir, Authority: c.settings.ACME.Authority, Plain: c.settings.ListenAddr, Secure: c.settings.ACME.Listen, Log: c.log,
	})
	if err != nil {
		return "", err
	}
	defer manager.Close()
	if err := manager.Check(ctx); err != nil {
		return "", fmt.Errorf("ACME_CA: %w", err)
	}
	return c.settings.ACME.Authority + " answers; certificates are kept in " + c.settings.ACME.Dir, nil
}

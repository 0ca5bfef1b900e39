package doctor

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
func (d doctor) checkNames(ctx context.Context) []finding {
	if d.settings.ACME.IsZero() && d.settings.DNSResolver == "" {
		return nil
	}
	found := one("site names", d.checkSiteNames)(ctx)
	if d.settings.ACME.IsZero() {
		return found
	}
	found = append(found, one("TLS", d.checkAuthority)(ctx)...)
	preview, _, _ := strings.Cut(d.settings.PreviewDomain, ":")
	return append(found, finding{name: "TLS of previews", text: "each preview has a name of its own, and few new ones an hour get certificates: " +
		"for more, terminate TLS in a proxy with a certificate for *." + preview})
}

// checkSiteNames resolves a site's name as it is done for claimed names. It fails if
// certificates depend on it.
func (d doctor) checkSiteNames(ctx context.Context) (string, error) {
	domain := bootstrap.DomainRules(d.settings).AppDomain
	route, err := bootstrap.NameServers(d.settings).Follow(ctx, probeLabel+"."+domain)
	if err == nil && len(route.Addresses) > 0 {
		return fmt.Sprintf("names below %s resolve to %v", domain, route.Addresses), nil
	}
	text := "names below " + domain + " do not resolve, so people's own domains must be aliases of a site's name"
	if err != nil {
		text += ": " + err.Error()
	}
	if !d.settings.ACME.IsZero() {
		return "", errors.New(text)
	}
	return text, nil
}

// checkAuthority requests the authority's directory and listens at the TLS port.
func (d doctor) checkAuthority(ctx context.Context) (string, error) {
	listener, err := net.Listen("tcp", d.settings.ACME.Listen)
	if err != nil && !strings.Contains(err.Error(), "address already in use") {
		return "", fmt.Errorf("TLS_LISTEN_ADDR: %w", err)
	}
	if err == nil {
		_ = listener.Close()
	}
	manager, err := acme.New(acme.Config{
		Dir: d.settings.ACME.Dir, Authority: d.settings.ACME.Authority, Plain: d.settings.ListenAddr, Secure: d.settings.ACME.Listen, Log: d.log,
	})
	if err != nil {
		return "", err
	}
	defer manager.Close()
	if err := manager.Check(ctx); err != nil {
		return "", fmt.Errorf("ACME_CA: %w", err)
	}
	return d.settings.ACME.Authority + " answers; certificates are kept in " + d.settings.ACME.Dir, nil
}

package httpapi

import (
	"context"
	"log/slog"
	"net/netip"

	"github.com/atelierhq/atelier/core"
)

// logAuthFailure writes the line that intrusion-banning tools match: a wrong
// password or a token that nobody here signed. A session that ran out is no
// attack.
func logAuthFailure(log *slog.Logger, ip netip.Addr, err error) {
	switch code := core.CodeOf(err); code {
	case core.CodeInvalidCredentials, core.CodeUnauthenticated:
		logAuthFailed(log, ip, code)
	}
}

func logAuthFailed(log *slog.Logger, ip netip.Addr, reason core.Code) {
	log.LogAttrs(context.Background(), slog.LevelWarn, "auth_failed", slog.String("ip", ip.String()), slog.String("reason", string(reason)))
}

package guard

import (
	"context"
	"log/slog"
	"net/netip"

	"github.com/atelierhq/atelier/core"
)

// LogFailure logs the line that intrusion-banning tools match: a wrong password or a
// token that was not signed here. An expired session is no attack.
func LogFailure(log *slog.Logger, ip netip.Addr, err error) {
	switch code := core.CodeOf(err); code {
	case core.CodeInvalidCredentials, core.CodeUnauthenticated:
		LogFailed(log, ip, code)
	}
}

// LogFailed logs that line for a reason that the caller knows to be an attack.
func LogFailed(log *slog.Logger, ip netip.Addr, reason core.Code) {
	log.LogAttrs(context.Background(), slog.LevelWarn, "auth_failed", slog.String("ip", ip.String()), slog.String("reason", string(reason)))
}

package bootstrap

import (
	"io"
	"log/slog"

	"github.com/atelierhq/atelier/bootstrap/settings"
)

// Logger writes to out as LOG_FORMAT and LOG_LEVEL say.
func Logger(s settings.Settings, out io.Writer) *slog.Logger {
	options := &slog.HandlerOptions{Level: s.LogLevel}
	if s.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(out, options))
	}
	return slog.New(slog.NewTextHandler(out, options))
}

package bootstrap

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/atelierhq/atelier/adapters/sitehost/accesslog"
	"github.com/atelierhq/atelier/bootstrap/settings"
)

// SiteLog opens the access log of published sites where SITE_ACCESS_LOG says: a file, to which it
// adds, or "-" for standard output. Without the setting it returns nil.
func SiteLog(s settings.Settings, now func() time.Time, log *slog.Logger) (*accesslog.Log, error) {
	switch s.SiteAccessLog {
	case "":
		return nil, nil
	case "-":
		standard := struct{ io.Writer }{os.Stdout} // which stays open
		return accesslog.New(standard, visitor(s), now, log), nil
	}
	file, err := os.OpenFile(s.SiteAccessLog, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o640)
	if err != nil {
		return nil, fmt.Errorf("SITE_ACCESS_LOG: %w", err)
	}
	return accesslog.New(file, visitor(s), now, log), nil
}

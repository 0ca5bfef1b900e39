package bootstrap

import (
	"github.com/atelierhq/atelier/bootstrap/datadir"
	"github.com/atelierhq/atelier/bootstrap/settings"
)

// Settings is settings.Settings.
//
// Deprecated: use settings.Settings.
type Settings = settings.Settings

// LoadSettings is settings.Read.
//
// Deprecated: use settings.Read.
func LoadSettings(env func(string) string) (settings.Settings, error) { return settings.Read(env) }

// FillSecrets is datadir.FillSecrets.
//
// Deprecated: use datadir.FillSecrets.
func FillSecrets(s *settings.Settings) error { return datadir.FillSecrets(s) }

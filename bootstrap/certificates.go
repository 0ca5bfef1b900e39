package bootstrap

import "github.com/atelierhq/atelier/adapters/acme"

// Certificates obtains certificates for the names that app serves.
func Certificates(app *App) (*acme.Manager, error) {
	s := app.Settings
	return acme.New(acme.Config{
		Dir: s.ACME.Dir, Authority: s.ACME.Authority, Email: s.ACME.Email,
		Plain: s.ListenAddr, Secure: s.ACME.Listen, Decide: app.admits, Log: app.Log,
	})
}

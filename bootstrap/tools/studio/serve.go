package main

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/atelierhq/atelier/adapters/studio"
	"github.com/atelierhq/atelier/bootstrap"
	"github.com/atelierhq/atelier/bootstrap/datadir"
	"github.com/atelierhq/atelier/bootstrap/local"
	"github.com/atelierhq/atelier/bootstrap/settings"
)

// serve runs a whole service with the studio. It rebuilds the studio when a page is
// requested after its sources have changed. Settings come from the environment.
func serve(ctx context.Context, shop *workshop, address, data string) error {
	if data == "" {
		folder, err := os.MkdirTemp("", "studio-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		data = folder
	}
	conf, err := settings.Read(settingsFor(address, data))
	if err != nil {
		return err
	}
	if err := datadir.FillSecrets(&conf); err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	app, release, err := local.New(ctx, conf, log)
	if err != nil {
		return err
	}
	defer release()
	if err := app.Start(ctx); err != nil {
		return err
	}
	defer app.Close(context.WithoutCancel(ctx))
	fresh := &devHandler{shop: shop, config: bootstrap.StudioConfig(conf, app.OAuth, app.Store, app.Doors), app: app, dist: filepath.Join(data, "studio")}
	server := &http.Server{Addr: address, Handler: fresh, ReadHeaderTimeout: 10 * time.Second}
	stopped := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stopped()
	fmt.Printf("http://%s  data in %s\n", conf.AppURL.Host, data)
	if err := server.ListenAndServe(); ctx.Err() == nil {
		return err
	}
	return nil
}

// settingsFor returns the environment with the settings for trying out a page on one
// machine.
func settingsFor(address, data string) func(name string) string {
	own := map[string]string{
		"DATA_DIR": data, "LISTEN_ADDR": address, "APP_URL": "http://" + address, "APP_DOMAIN": address,
		"AI_PROVIDER": "demo", "RATE_LIMIT_PER_MINUTE": "0", "AUTH_RATE_LIMIT_PER_MINUTE": "0",
	}
	return func(name string) string {
		if value, set := os.LookupEnv(name); set {
			return value
		}
		return own[name]
	}
}

// devHandler serves the studio from its current sources, and everything else from the service.
type devHandler struct {
	shop   *workshop
	config studio.Config
	app    http.Handler
	// dist is the folder for the built files.
	dist string

	mu     sync.Mutex
	made   time.Time
	page   *studio.Handler
	failed error
}

// ServeHTTP implements http.Handler.
func (f *devHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Host != f.config.AppURL.Host {
		f.app.ServeHTTP(w, r)
		return
	}
	page, err := f.current(r.Context())
	switch {
	case page != nil && !page.Serves(r):
		f.app.ServeHTTP(w, r)
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		http.Error(w, err.Error(), http.StatusInternalServerError)
	default:
		w.Header().Set("X-Content-Type-Options", "nosniff")
		page.ServeHTTP(w, r)
	}
}

// current returns the last page that could be built, and the mistakes in the sources if
// it is not the newest.
func (f *devHandler) current(ctx context.Context) (*studio.Handler, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	changed, err := lastChange(f.shop.web)
	if err != nil || !changed.After(f.made) {
		return f.page, f.failed
	}
	f.made = changed
	files, err := f.shop.build(context.WithoutCancel(ctx))
	if err != nil {
		f.failed = err
		return f.page, err
	}
	if f.failed = f.shop.write(files, f.dist); f.failed == nil {
		f.page, f.failed = studio.New(os.DirFS(f.dist), f.config)
	}
	return f.page, f.failed
}

// lastChange returns when something below a directory last changed.
func lastChange(dir string) (last time.Time, err error) {
	err = filepath.WalkDir(dir, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
		return nil
	})
	return last, err
}

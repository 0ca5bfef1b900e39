package local_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"

	"github.com/atelierhq/atelier/bootstrap"
	"github.com/atelierhq/atelier/bootstrap/local"
)

// Another program mounts the whole service on its own server: the studio, the API,
// previews and sites, told apart by host. Here it keeps its data in a directory of its
// own, and everything else is the setting's default.
func ExampleNew() {
	dir, err := os.MkdirTemp("", "atelier-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	settings, err := bootstrap.LoadSettings(func(name string) string {
		return map[string]string{"DATA_DIR": dir, "PREPARE": "off", "APP_URL": "http://atelier.example"}[name]
	})
	if err != nil {
		panic(err)
	}
	if err := bootstrap.FillSecrets(&settings); err != nil {
		panic(err)
	}
	app, release, err := local.New(context.Background(), settings, slog.New(slog.DiscardHandler))
	if err != nil {
		panic(err)
	}
	defer release()
	defer app.Close(context.Background())
	if err := app.Start(context.Background()); err != nil {
		panic(err)
	}

	mux := http.NewServeMux()
	mux.Handle("atelier.example/", app)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "another program") })

	for _, address := range []string{"http://atelier.example/readyz", "http://www.example/"} {
		answer := httptest.NewRecorder()
		mux.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, address, nil))
		fmt.Println(answer.Code, strings.TrimSpace(answer.Body.String()))
	}
	// Output:
	// 200 {"status":"ok"}
	// 200 another program
}

// Command embed has Atelier within it: one program, one port.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"

	"github.com/atelierhq/atelier/bootstrap/local"
)

func main() {
	local.RunHelper()
	atelier, err := local.Host{Workers: true, Settings: map[string]string{
		"APP_URL": "http://build.localhost:9090", "APP_DOMAIN": "sites.localhost:9090", "AI_PROVIDER": "demo",
	}}.Open(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	defer atelier.Close(context.Background())
	log.Print(http.ListenAndServe("localhost:9090", http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Host == "www.localhost:9090" {
			fmt.Fprint(w, "our own page")
			return
		}
		atelier.ServeHTTP(w, r)
	})))
}

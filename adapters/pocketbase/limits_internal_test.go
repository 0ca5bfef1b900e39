package pocketbase

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/pocketbase/pocketbase/apis"
	pb "github.com/pocketbase/pocketbase/core"
	"github.com/pocketbase/pocketbase/tools/router"
	"golang.org/x/sys/unix"
)

// TestADiskThatRefusesAFileIsNotTheVisitorsFault: PocketBase answers 400 then.
func TestADiskThatRefusesAFileIsNotTheVisitorsFault(t *testing.T) {
	app := new(application)
	for name, c := range map[string]struct {
		cause error
		want  int
	}{
		"no room":    {&fs.PathError{Op: "mkdir", Path: "storage/notes", Err: unix.ENOSPC}, http.StatusServiceUnavailable},
		"a quota":    {fmt.Errorf("failed to upload all files: %w", unix.EDQUOT), http.StatusServiceUnavailable},
		"files open": {&fs.PathError{Op: "open", Path: "data.db", Err: unix.EMFILE}, http.StatusServiceUnavailable},
		"bad input":  {fmt.Errorf("text: cannot be blank"), 0},
	} {
		w := httptest.NewRecorder()
		e := &pb.RequestEvent{Event: router.Event{Response: w}}
		err := app.explainLimit(e, apis.NewBadRequestError("Failed to create record.", c.cause))
		if answered := err == nil; answered != (c.want != 0) || answered && (w.Code != c.want || w.Header().Get("Retry-After") == "") {
			t.Errorf("%s: got %d and %v, want %d", name, w.Code, err, c.want)
		}
	}
}

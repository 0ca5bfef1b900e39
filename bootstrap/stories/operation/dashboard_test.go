package operation_test

import (
	"encoding/json"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/atelierhq/atelier/bootstrap/stories/storytest"
	"github.com/atelierhq/atelier/core/telemetry"
)

// dashboard is the part of Grafana's format that is of interest here.
type dashboard struct {
	Panels []struct {
		Type, Title, Description string
		Targets                  []struct{ Expr string }
	}
}

// TestTheDashboardShowsTheMetrics compares the example for Grafana with what a service under use
// answers at /metrics: each panel asks for metrics that exist, and each metric has a panel.
func TestTheDashboardShowsTheMetrics(t *testing.T) {
	content, err := os.ReadFile("../../examples/grafana.json")
	if err != nil {
		t.Fatal(err)
	}
	var shown dashboard
	if err := json.Unmarshal(content, &shown); err != nil {
		t.Fatal(err)
	}
	s := storytest.Programs()["local"].Serve(t)
	w := s.SignUp().Create(storytest.Template)
	w.Send(`Change the heading of the page to "Counted".`)
	w.Must(http.StatusOK, http.MethodPost, w.Path("/publish"), storytest.Fields{}, nil)
	answered := regexp.MustCompile(`(?m)^# TYPE (atelier_\w+) `).FindAllStringSubmatch(scrape(s), -1)
	// These are there once there was a mail, a delivery or a request.
	known := []string{telemetry.Mails.Name, telemetry.Deliveries.Name, telemetry.DataRequests.Name, telemetry.FunctionRuns.Name}
	for _, match := range answered {
		known = append(known, match[1])
	}
	var asked []string
	for _, panel := range shown.Panels {
		if panel.Title == "" || panel.Type != "row" && (panel.Description == "" || len(panel.Targets) == 0) {
			t.Errorf("got the panel %+v, want it to have a title, a description and a query", panel)
		}
		for _, target := range panel.Targets {
			for _, name := range regexp.MustCompile(`atelier_\w+`).FindAllString(target.Expr, -1) {
				asked = append(asked, regexp.MustCompile(`_(bucket|sum|count)$`).ReplaceAllString(name, ""))
			}
		}
	}
	slices.Sort(asked)
	slices.Sort(known)
	if asked, known := slices.Compact(asked), slices.Compact(known); !slices.Equal(asked, known) {
		t.Errorf("got panels for\n%s\nwant them for\n%s", strings.Join(asked, "\n"), strings.Join(known, "\n"))
	}
}

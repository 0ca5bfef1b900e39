package client

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/atelierhq/atelier/bootstrap/client/remote"
)

// publishOptions are the flags of publish.
type publishOptions struct {
	slug, plan, findings string
	ignoreChecks         bool
}

// publish publishes a project. What holds it back is told with the flag that accepts it.
func publish(flags *flag.FlagSet) action {
	var o publishOptions
	flags.StringVar(&o.slug, "slug", "", "publish under this `name`")
	flags.StringVar(&o.plan, "accept-data-loss", "", "the `id` of the plan that loses live data, which you accept")
	flags.StringVar(&o.findings, "accept-findings", "", "the `ids` of findings that you accept, with commas between them")
	flags.BoolVar(&o.ignoreChecks, "ignore-checks", false, "publish without playing the checks")
	return func(ctx context.Context, in *invocation, args []string) error {
		client, found, err := in.theProject(ctx, args)
		if err != nil {
			return err
		}
		text, err := client.Call(ctx, http.MethodPost, "/projects/"+found.ID+"/publish", o.body())
		if err != nil {
			return heldBack(err)
		}
		var published struct{ URL, VersionID string }
		if err := json.Unmarshal(text, &published); err != nil {
			return err
		}
		return in.print(text, func(to io.Writer) { fmt.Fprintln(to, published.URL) })
	}
}

func (o publishOptions) body() map[string]any {
	body := map[string]any{}
	if o.slug != "" {
		body["slug"] = o.slug
	}
	if o.plan != "" {
		body["acceptDataLoss"] = o.plan
	}
	if o.findings != "" {
		body["acceptFindings"] = strings.Split(o.findings, ",")
	}
	if o.ignoreChecks {
		body["ignoreChecks"] = true
	}
	return body
}

// heldBack says how to go on when something holds a publish back.
func heldBack(err error) error {
	var failure *remote.Failure
	if !errors.As(err, &failure) {
		return err
	}
	told := faultOfAnswer(failure)
	switch failure.Code {
	case "data_loss":
		var plan struct {
			ID    string
			Steps []struct{ Text string }
		}
		if json.Unmarshal(failure.Plan, &plan) == nil {
			for _, step := range plan.Steps {
				told.Files = append(told.Files, step.Text)
			}
			told.Next = "if that is what you want: atelier publish --accept-data-loss " + plan.ID
		}
	case "open_data":
		var findings []struct{ ID, Text, Severity string }
		if json.Unmarshal(failure.Findings, &findings) == nil {
			ids := make([]string, len(findings))
			for i, finding := range findings {
				ids[i] = finding.ID
				told.Files = append(told.Files, finding.Text)
			}
			told.Next = "mend the rules, or if that is what you want: atelier publish --accept-findings " + strings.Join(ids, ",")
		}
	case "checks_failed":
		told.Exit, told.Next = exitUnfinished, "mend what the checks found, or: atelier publish --ignore-checks"
	}
	return told
}

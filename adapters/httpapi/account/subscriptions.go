package account

import (
	"net/http"

	"github.com/atelierhq/atelier/adapters/httpapi/rest"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/accounts"
)

// The cookie of an OAuth flow that connects an AI subscription.
const (
	assistantPurpose = "assistant"
	assistantPath    = "/auth/github/assistant"
)

// BeginSubscription answers GET /auth/github/assistant.
func BeginSubscription(subscriptions *accounts.Subscriptions, f OAuthFlows) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		departure, err := subscriptions.Begin(r.Context(), r.Actor)
		if core.IsCode(err, core.CodeUnavailable) {
			return f.fail(w, r, pageProvider, err)
		}
		if err != nil {
			return err
		}
		return f.redirect(w, assistantPurpose, assistantPath, departure)
	}
}

// FinishSubscription answers GET /auth/github/assistant/callback.
func FinishSubscription(subscriptions *accounts.Subscriptions, f OAuthFlows) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		back := f.readReturn(w, r, assistantPurpose, assistantPath)
		if _, err := subscriptions.Finish(r.Context(), r.Actor, back); err != nil {
			return f.fail(w, r, pageProvider, err)
		}
		return f.show(w, pageProvider)
	}
}

// ListSubscriptions answers GET /users/me/ai-providers.
func ListSubscriptions(subscriptions *accounts.Subscriptions) rest.Handler {
	return func(w http.ResponseWriter, r *rest.Request) error {
		items, err := subscriptions.List(r.Context(), r.Actor)
		if err != nil {
			return err
		}
		return rest.WriteItems(w, items)
	}
}

// DeleteSubscription answers DELETE /users/me/ai-providers/:pid.
func DeleteSubscription(subscriptions *accounts.Subscriptions) rest.Handler {
	return rest.NothingByID("pid", subscriptions.Delete)
}

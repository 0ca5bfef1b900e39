package bootstrap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/atelierhq/atelier/bootstrap/settings"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/chat"
	"github.com/atelierhq/atelier/core/models"
	"github.com/atelierhq/atelier/ports/ai"
)

// PlatformModels asks the operator's provider for its models. It fails if the configured model is
// missing.
func PlatformModels(ctx context.Context, conf settings.Settings, vendors ai.Factory) (chat.Choice, []core.Model, error) {
	platform := models.NewProviders(models.Deps{Factory: listing{vendors}, Platform: conf.AI})
	defer platform.Close()
	choice, err := platform.ChoosePlatform(ctx, "")
	if err != nil {
		return choice, nil, err
	}
	listed, err := choice.Provider.Models(ctx)
	var failure *ai.Failure
	if errors.As(err, &failure) {
		err = failure.Err
	}
	if err != nil || choice.Kind == core.ProviderDemo || models.Offers(listed, choice.Model) {
		return choice, listed, err
	}
	var offered []string
	for _, model := range listed[:min(len(listed), maxModelsNamed)] {
		offered = append(offered, model.ID)
	}
	return choice, listed, fmt.Errorf("AI_MODEL must be a model of %s, not %q: it has %s", choice.Kind, choice.Model, cmp.Or(strings.Join(offered, ", "), "none"))
}

// listing is a factory of providers that have no more than a Provider: to be asked for models, a server
// need not load one.
type listing struct{ ai.Factory }

// Open implements ai.Factory.
func (l listing) Open(settings ai.Settings) (ai.Provider, error) {
	opened, err := l.Factory.Open(settings)
	return struct{ ai.Provider }{opened}, err
}

// maxModelsNamed bounds the models that a failure lists.
const maxModelsNamed = 20

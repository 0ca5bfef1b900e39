package agent

import (
	"context"
	"log/slog"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent/tools"
	"github.com/atelierhq/atelier/ports/ai"
)

// Brush paints the pictures of a run.
type Brush struct {
	Painter ai.Painter
	Model   string
	// Meter guards what pictures cost, as Task.Meter does for text.
	Meter Meter
}

// painter paints for the tools of a run. Each picture is metered, retried and recorded with its
// usage, as a call of the model is.
type painter struct {
	Brush
	retry  retryPolicy
	record recorder
	log    *slog.Logger
}

// painterOf returns nil for a run without a brush.
func painterOf(task Task, retry retryPolicy, log *slog.Logger) tools.Painter {
	if task.Brush == nil {
		return nil
	}
	return &painter{Brush: *task.Brush, retry: retry, record: task.Record, log: log}
}

// Paint implements tools.Painter.
func (p *painter) Paint(ctx context.Context, req ai.PictureRequest) (ai.Image, error) {
	if err := p.Meter.Reserve(ctx, core.Usage{Images: 1}); err != nil {
		return ai.Image{}, err
	}
	req.Model = p.Model
	var picture ai.Image
	used, err := p.retry.repeat(ctx, func() (used core.Usage, final bool, err error) {
		picture, used, err = p.Painter.Paint(ctx, req)
		return used, used.Images > 0, err
	}, func(retry core.Retry) error { return p.record(core.UsageInfo{Retry: &retry}) })
	if used.Images == 0 && ctx.Err() != nil {
		// The vendor has begun, and does not take back what nobody waits for any more.
		used.Images = 1
	}
	cost, settled := p.Meter.Settle(context.WithoutCancel(ctx), used)
	if settled != nil {
		return ai.Image{}, settled
	}
	if used != (core.Usage{}) {
		info := core.UsageInfo{InputTokens: used.InputTokens, OutputTokens: used.OutputTokens, Images: used.Images, Cost: cost}
		if recorded := p.record(info); err == nil {
			err = recorded
		}
	}
	if err != nil {
		p.log.InfoContext(ctx, "a picture was not painted", "model", p.Model, "error", err)
	}
	return picture, err
}

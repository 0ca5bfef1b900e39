package chat

import (
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/telemetry"
)

// count adds the events that this process stored to the operators' metrics.
func (s *Service) count(events []core.Event) {
	for _, event := range events {
		switch of := event.Payload.(type) {
		case core.UsageInfo:
			s.tally.Add(telemetry.ModelCalls, "", 1)
			s.tally.Add(telemetry.Tokens, "input", float64(of.InputTokens))
			s.tally.Add(telemetry.Tokens, "output", float64(of.OutputTokens))
			s.tally.Add(telemetry.Cost, "", of.Cost)
		case core.TaskComplete:
			s.tally.Add(telemetry.Runs, string(of.Reason), 1)
		case core.SessionError:
			s.tally.Add(telemetry.Runs, string(of.Error), 1)
		}
	}
}

package agent_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/ports/ai"
)

func TestARetryIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refusal := core.Errorf(core.CodeModelUnavailable, "busy")
		refusal.RetryAfter = 20 * time.Second
		s := newScene()
		s.model.Fail(&ai.Failure{Err: refusal, Temporary: true, Cause: core.FailureRate}).Say("at last")
		start := time.Now()
		s.run(t.Context())
		var told []core.Retry
		for _, event := range s.events {
			if info, is := event.(core.UsageInfo); is && info.Retry != nil {
				told = append(told, *info.Retry)
			}
		}
		want := core.Retry{Cause: core.FailureRate, At: core.At(start.Add(20 * time.Second))}
		if s.err != nil || len(told) != 1 || told[0] != want {
			t.Fatalf("got %v, %+v, want one retry, %+v", s.err, told, want)
		}
	})
}

package publish_test

import (
	"testing"
	"time"

	"github.com/atelierhq/atelier/core"
)

// schedules returns those of a deployment.
func (s *studio) schedules(deployment core.ID) []core.FunctionSchedule {
	s.t.Helper()
	found, err := s.store.Tables().FunctionSchedules.List(s.t.Context(), deployment)
	s.must(err)
	return found
}

// wantDue checks when the only function of a deployment is due.
func (s *studio) wantDue(deployment core.ID, want func(due, now core.Time) bool) {
	s.t.Helper()
	found := s.schedules(deployment)
	if now := core.At(time.Now()); len(found) != 1 || !want(found[0].DueAt, now) {
		s.t.Errorf("got %+v at %d", found, now)
	}
}

func TestTheLiveDeploymentRunsByTheClock(t *testing.T) {
	s := newStudio(t)
	ahead := func(due, now core.Time) bool { return due > now && due < core.Never }
	never := func(due, _ core.Time) bool { return due == core.Never }
	overdue := func(due, now core.Time) bool { return due < now }
	s.write(core.FunctionSchedulesPath, `{"tidy": "0 8 * * *", "bad/name": "0 8 * * *", "bad": "8"}`)
	s.mustPublish()
	first := s.deployments()[0].ID
	s.wantDue(first, ahead)
	// The function was due when the next deployment went live.
	s.must(s.store.Tables().FunctionSchedules.Take(t.Context(), s.schedules(first)[0], 5, 0))
	s.mustPublish()
	second := s.deployments()[0].ID
	s.wantDue(first, never)
	s.wantDue(second, overdue)
	s.write(core.FunctionSchedulesPath, `{"tidy": "0 9 * * *"}`)
	s.mustPublish()
	third := s.deployments()[0].ID
	s.wantDue(second, never)
	s.wantDue(third, ahead)
	_, err := s.publish.Rollback(t.Context(), s.owner, s.project, first)
	s.must(err)
	s.wantDue(first, ahead)
	s.wantDue(third, never)
	s.must(s.publish.Unpublish(t.Context(), s.owner, s.project))
	if _, err := s.store.Tables().FunctionSchedules.Due(t.Context(), core.Never, nil); !core.IsCode(err, core.CodeNotFound) {
		t.Errorf("got %v after the site was taken down, want %s", err, core.CodeNotFound)
	}
	_, err = s.publish.Rollback(t.Context(), s.owner, s.project, second)
	s.must(err)
	s.wantDue(second, ahead)
}

package core

import (
	"cmp"
	"time"
)

// Pace is how many times as long a service waits as on a usual machine, from 1; 0 is 1. It stretches
// waits whose end changes an answer: how long a page may stay empty before it counts as blank, how long
// a peer may be silent before it counts as gone. It never stretches bounds on hostile work.
type Pace int

// Of returns a wait at this pace.
func (p Pace) Of(wait time.Duration) time.Duration { return time.Duration(cmp.Or(p, 1)) * wait }

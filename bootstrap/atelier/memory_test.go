package main

import (
	"math"
	"testing"
	"testing/fstest"
)

func TestTheMemoryIsTheMachinesOrTheControlGroups(t *testing.T) {
	const machine = "MemTotal:       4096 kB\nMemFree:         100 kB\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"a machine":           {map[string]string{"proc/meminfo": machine}, 4 << 20},
		"no bound":            {map[string]string{"proc/meminfo": machine, "sys/fs/cgroup/memory.max": "max\n"}, 4 << 20},
		"a container":         {map[string]string{"proc/meminfo": machine, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "3000000\n"}, 3_000_000},
		"a larger container":  {map[string]string{"proc/meminfo": machine, "sys/fs/cgroup/memory.max": "30000000\n"}, 4 << 20},
		"a unit of systemd":   {map[string]string{"proc/meminfo": machine, "proc/self/cgroup": "1:cpu:/\n0::/system.slice/atelier.service\n", "sys/fs/cgroup/system.slice/atelier.service/memory.max": "2000000\n"}, 2_000_000},
		"the unit's slice":    {map[string]string{"proc/meminfo": machine, "proc/self/cgroup": "0::/system.slice/atelier.service\n", "sys/fs/cgroup/system.slice/atelier.service/memory.max": "max\n", "sys/fs/cgroup/system.slice/memory.max": "1000000\n"}, 1_000_000},
		"a group out of view": {map[string]string{"proc/meminfo": machine, "proc/self/cgroup": "0::/../../other\n"}, 4 << 20},
		"nothing to read":     {nil, math.MaxInt64},
	} {
		t.Run(name, func(t *testing.T) {
			root := fstest.MapFS{}
			for path, content := range c.files {
				root[path] = &fstest.MapFile{Data: []byte(content)}
			}
			if got := availableMemory(root); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}

// Package operation tests the stories of operators: backup, crashes, full disks, several
// processes, metrics, secrets. It also measures start, idle memory and sign-ins.
package operation

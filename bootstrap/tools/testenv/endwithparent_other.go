//go:build !linux

package main

import "syscall"

// endWithParent does nothing: only Linux can tell a process that its parent died.
func endWithParent(*syscall.SysProcAttr) {}

// Package tasks has the handlers of the tasks on working copies of projects.
package tasks

// Package instance has the handlers of /admin: what admins of the installation do.
package instance

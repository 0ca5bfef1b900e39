// Package comments has the handlers of the comments on projects' pages.
package comments

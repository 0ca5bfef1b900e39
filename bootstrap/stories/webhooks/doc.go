// Package webhooks tests the stories of webhooks: what receivers get, how they fail, and that a killed
// service loses nothing.
package webhooks

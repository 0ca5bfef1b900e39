package accounts

import (
	"strings"

	"github.com/atelierhq/atelier/core"
)

// maxAgentBytes bounds the part of a User-Agent that is read, maxDeviceChars what is kept in
// core.Session.Device.
const (
	maxAgentBytes  = 1024
	maxDeviceChars = 60
)

// browsers and systems are the names that DeviceOf looks for in a User-Agent, in this order:
// browsers also name those that they imitate.
var (
	browsers = [][2]string{
		{"Edg/", "Edge"}, {"EdgA/", "Edge"}, {"OPR/", "Opera"}, {"SamsungBrowser/", "Samsung Internet"},
		{"Firefox/", "Firefox"}, {"FxiOS/", "Firefox"}, {"CriOS/", "Chrome"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"},
	}
	systems = [][2]string{
		{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"CrOS", "ChromeOS"},
		{"Windows", "Windows"}, {"Mac OS X", "macOS"}, {"Linux", "Linux"},
	}
)

// DeviceOf says in a few words which program sends a User-Agent, such as "Firefox on
// Windows". A program that is no browser is called by its first name, such as "curl". It
// returns "" if the header says nothing.
func DeviceOf(agent string) string {
	agent = agent[:min(len(agent), maxAgentBytes)]
	browser, system := firstIn(agent, browsers), firstIn(agent, systems)
	switch {
	case browser != "" && system != "":
		return browser + " on " + system
	case browser != "":
		return browser
	}
	name, _, _ := strings.Cut(agent, " ")
	name, _, _ = strings.Cut(name, "/")
	name = core.CleanName(name)
	if chars := []rune(name); len(chars) > maxDeviceChars {
		name = string(chars[:maxDeviceChars])
	}
	return name
}

func firstIn(agent string, known [][2]string) string {
	for _, pair := range known {
		if strings.Contains(agent, pair[0]) {
			return pair[1]
		}
	}
	return ""
}

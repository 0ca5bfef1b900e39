package browser

import "testing"

func pagesOfUsersCannotAct(t *testing.T, c *chromium) { _ = c }

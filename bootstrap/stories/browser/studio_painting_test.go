package browser

import (
	"os"
	"path/filepath"
	"testing"
)

// thePaintedPictureIsSeen: the chat shows the picture that the agent painted, and opens its file.
func thePaintedPictureIsSeen(t *testing.T, c *chromium, _ *service) {
	catalogue := filepath.Join(t.TempDir(), "catalogue.json")
	if err := os.WriteFile(catalogue, []byte(`{"models": {"gpt-image-1": {"imagePrice": 0.25}}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	talks, s := startTalkerWith(t, `,{"id":"gpt-image-1"}`, map[string]string{"MODEL_CATALOGUE": catalogue})
	talks.on("paint a teapot", answer{calls: [][2]string{{"generate_image", `{"path":"public/pot.png","prompt":"A red teapot.","alt":"A red teapot"}`}}})
	talks.on("The picture has", answer{pieces: []string{"There is the pot."}})
	p := c.workbench(t, s.signUp(t).create("blank"))
	p.ask("paint a teapot")
	p.sees("There is the pot.")
	p.until("the picture", `document.querySelector('.frame img')?.naturalWidth === 1`)
	p.everywhere("painted", fetchAxe(t))
	p.press("button", "Open the painted picture: A red teapot")
	p.until("the file", `document.querySelector('img[alt*="pot.png"]') !== null`)
}

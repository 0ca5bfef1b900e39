package agent_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/atelierhq/atelier/adapters/memory"
	"github.com/atelierhq/atelier/core"
	"github.com/atelierhq/atelier/core/agent"
	"github.com/atelierhq/atelier/ports/ai"
	"github.com/atelierhq/atelier/ports/ai/aitest"
)

// paintScene is a scene whose provider paints these pictures.
func paintScene(pictures ...memory.ModelPicture) (*scene, *countingMeter) {
	s, meter := newScene(), &countingMeter{}
	s.model.Paints([]string{"gpt-image-1"}, pictures...)
	s.alter = func(task *agent.Task) {
		task.Brush = &agent.Brush{Painter: s.model, Model: "gpt-image-1", Meter: meter}
	}
	return s, meter
}

var onePixel = memory.ModelPicture{Image: ai.Image{MediaType: "image/png", Data: []byte(aitest.PNG)}}

func paintCall(path string) string {
	return fmt.Sprintf(`{"path":%q,"prompt":"A red teapot.","alt":"A teapot","shape":"landscape"}`, path)
}

func TestAPaintedPictureIsAFileOfTheRun(t *testing.T) {
	s, meter := paintScene(onePixel)
	s.model.Call("generate_image", paintCall("public/img/pot.png")).Say("Done.")
	s.run(t.Context())
	text, failed := s.given(t, 0)
	if failed || !strings.Contains(text, "/img/pot.png") || !strings.Contains(text, `"A teapot"`) || s.project.files["public/img/pot.png"] != aitest.PNG {
		t.Errorf("got %q, failed: %t, and files %q, want the picture and its address", text, failed, s.project.files["public/img/pot.png"])
	}
	want := ai.PictureRequest{Model: "gpt-image-1", Prompt: "A red teapot.", Shape: ai.Landscape, MediaType: "image/png"}
	if asked := s.model.Paintings(); len(asked) != 1 || asked[0] != want {
		t.Errorf("asked %+v, want %+v", asked, want)
	}
	if meter.reserved != 1 || meter.settled != 1 || meter.used.Images != 1 {
		t.Errorf("got %+v metered, want one picture", meter)
	}
	var told []int64
	for _, event := range s.events {
		if info, is := event.(core.UsageInfo); is {
			told = append(told, info.Images)
		}
	}
	if !slices.Equal(told, []int64{0, 1, 0}) || len(s.intents) != 1 || s.intents[0].Path != "public/img/pot.png" {
		t.Errorf("got pictures %v in the usage, and intents %+v, want one of each", told, s.intents)
	}
}

// TestNothingIsPaintedForACallThatCannotBeKept: what is wrong is said before it costs anything.
func TestNothingIsPaintedForACallThatCannotBeKept(t *testing.T) {
	for args, want := range map[string]string{
		paintCall("src/App.tsx"):                                                         "under public/ or src/assets/",
		paintCall("../public/a.png"):                                                     "path_traversal",
		paintCall("public/../src/a.png"):                                                 "path",
		paintCall("public/a.svg"):                                                        "must end in",
		paintCall("public/a.gif"):                                                        "must end in",
		paintCall("public/kept.png"):                                                     "already exists",
		`{"path":"public/a.png","alt":"x"}`:                                              "prompt must",
		`{"path":"public/a.png","prompt":"x","alt":" "}`:                                 "alt must",
		`{"path":"public/a.png","prompt":"x","alt":"x","shape":"round"}`:                 "shape must",
		`{"path":"public/a.png","alt":"x","prompt":"` + strings.Repeat("x", 5000) + `"}`: "prompt must",
	} {
		s, meter := paintScene(onePixel)
		s.project.files["public/kept.png"] = "a person's"
		s.model.Call("generate_image", args).Say("Well.")
		s.run(t.Context())
		text, failed := s.given(t, 0)
		if !failed || !strings.Contains(text, want) || len(s.model.Paintings()) > 0 || meter.reserved > 0 || s.project.files["public/kept.png"] != "a person's" {
			t.Errorf("%.80s: got %q and %d paintings, want %q and none", args, text, len(s.model.Paintings()), want)
		}
	}
}

// TestOnlyPicturesAreKeptUnderTheirOwnEnding: the bytes of a vendor's answer decide.
func TestOnlyPicturesAreKeptUnderTheirOwnEnding(t *testing.T) {
	said := func(kind, data string) memory.ModelPicture {
		return memory.ModelPicture{Image: ai.Image{MediaType: kind, Data: []byte(data)}}
	}
	for name, c := range map[string]struct {
		picture      memory.ModelPicture
		taken        bool
		want, inside string
	}{
		"another form":            {onePixel, false, "public/a.png created", "public/a.png"},
		"another form, and taken": {onePixel, true, "already exists, so nothing was saved", ""},
		"a page":                  {said("image/webp", "<script>steal()</script>"), false, "cannot be used", ""},
		"a drawing":               {said("image/png", `<svg onload="steal()">`), false, "cannot be used", ""},
		"a damaged picture":       {said("image/png", aitest.PNG[:40]), false, "cannot be used", ""},
		"too large":               {said("image/png", aitest.PNG+strings.Repeat("x", core.MaxImageBytes)), false, "cannot be used", ""},
	} {
		s, meter := paintScene(c.picture)
		if c.taken {
			s.project.files["public/a.png"] = "a person's"
		}
		s.model.Call("generate_image", paintCall("public/a.webp")).Say("Well.")
		s.run(t.Context())
		text, _ := s.given(t, 0)
		_, kept := s.project.files["public/a.webp"]
		if !strings.Contains(text, c.want) || kept || c.inside != "" && s.project.files[c.inside] != aitest.PNG || meter.used.Images != 1 {
			t.Errorf("%s: got %q and files %d, want %q, and the picture paid", name, text, len(s.project.files), c.want)
		}
	}
}

func TestAPictureThatCannotBePaintedEndsNoRun(t *testing.T) {
	refused := &ai.Failure{Err: core.Errorf(core.CodeModelUnavailable, "the request was rejected by the safety system")}
	s, meter := paintScene(memory.ModelPicture{Err: refused})
	s.model.Call("generate_image", paintCall("public/a.png")).Say("Without a picture, then.")
	s.run(t.Context())
	if text, failed := s.given(t, 0); !failed || !strings.Contains(text, "safety system") || s.err != nil || meter.used.Images != 0 || meter.settled != 1 {
		t.Errorf("got %q, %v and %+v, want the reason, at no cost", text, s.err, meter)
	}
	poor, _ := paintScene(onePixel)
	poor.model.Call("generate_image", paintCall("public/a.png")).Say("Without a picture, then.")
	poor.alter = func(task *agent.Task) {
		task.Brush = &agent.Brush{Painter: poor.model, Model: "gpt-image-1", Meter: noCredit{}}
	}
	poor.run(t.Context())
	if text, failed := poor.given(t, 0); !failed || !strings.Contains(text, "credit_exhausted") || len(poor.model.Paintings()) > 0 {
		t.Errorf("got %q and %d paintings, want no credit and none", text, len(poor.model.Paintings()))
	}
}

// noCredit is the meter of a workspace without credit.
type noCredit struct{}

func (noCredit) Reserve(context.Context, core.Usage) error {
	return core.Errorf(core.CodeCreditExhausted, "used up")
}

func (noCredit) Within(core.Usage) error { return nil }

func (noCredit) Settle(context.Context, core.Usage) (float64, error) { return 0, nil }

func TestABusyPainterIsAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, meter := paintScene(memory.ModelPicture{Err: errors.New("overloaded")}, onePixel)
		s.model.Call("generate_image", paintCall("public/a.png")).Say("Done.")
		s.run(t.Context())
		if text, failed := s.given(t, 0); failed || len(s.model.Paintings()) != 2 || meter.used.Images != 1 || meter.settled != 1 {
			t.Errorf("got %q, %d paintings and %+v, want one picture at the second attempt", text, len(s.model.Paintings()), meter)
		}
	})
}

// TestAStoppedRunPaysForThePictureThatItLeft: the vendor has begun with it.
func TestAStoppedRunPaysForThePictureThatItLeft(t *testing.T) {
	s, meter := paintScene(memory.ModelPicture{Hang: true})
	ctx, stop := context.WithCancel(t.Context())
	s.model.Call("generate_image", paintCall("public/a.png")).Say("Done.")
	go func() {
		<-s.model.Called()
		for len(s.model.Paintings()) == 0 {
			<-s.model.Called()
		}
		stop()
	}()
	s.run(ctx)
	if !errors.Is(s.err, context.Canceled) || meter.used.Images != 1 || len(s.project.files) != 1 {
		t.Errorf("got %v, %+v and %d files, want it stopped, paid and without a picture", s.err, meter, len(s.project.files))
	}
}

func TestPicturesAreOfferedOnlyWhereTheyCanBePainted(t *testing.T) {
	for name, c := range map[string]struct {
		mode  string
		brush bool
		want  bool
		says  string
	}{
		"build":             {core.ModeBuild, true, true, "created"},
		"plan":              {core.ModePlan, true, false, "not allowed in the mode"},
		"chat":              {core.ModeChat, true, false, "not allowed in the mode"},
		"without a painter": {core.ModeBuild, false, false, "no model that paints"},
	} {
		s, _ := paintScene(onePixel)
		if s.mode = c.mode; !c.brush {
			s.alter = nil
		}
		s.model.Call("generate_image", paintCall("public/a.png")).Say("Well.")
		s.run(t.Context())
		text, _ := s.given(t, 0)
		if got := slices.Contains(offered(s.model.Requests()[0]), "generate_image"); got != c.want || !strings.Contains(text, c.says) {
			t.Errorf("%s: offered: %t and got %q, want %t and %q", name, got, text, c.want, c.says)
		}
	}
}

func TestARunPaintsABoundedNumberOfPictures(t *testing.T) {
	s, meter := paintScene(slices.Repeat([]memory.ModelPicture{onePixel}, 12)...)
	for i := range 11 {
		s.model.Call("generate_image", paintCall(fmt.Sprintf("public/%d.png", i)))
	}
	s.model.Say("Done.")
	s.run(t.Context())
	if text, failed := s.given(t, 10); !failed || !strings.Contains(text, "10 pictures") || meter.used.Images != 10 {
		t.Errorf("got %q and %d pictures, want 10", text, meter.used.Images)
	}
}

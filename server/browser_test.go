package server_test

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

var shots = flag.String("shots", "", "folder for pictures of the page, as the documentation shows them")

// tab is one tab of Chromium, looking at a site.
type tab struct {
	t   *testing.T
	ctx context.Context
}

// look opens url in a fresh Chromium, or skips the test. Chinese is asked for
// unless more says otherwise. An exception or a refusal that the page logs
// (content security, a missing file) fails the test.
func look(t *testing.T, url string, more ...chromedp.ExecAllocatorOption) *tab {
	t.Helper()
	program := os.Getenv("LEXAGENT_CHROMIUM")
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if p, err := exec.LookPath(name); err == nil && program == "" {
			program = p
		}
	}
	if program == "" {
		missing(t, "Chromium")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("disable-component-update", true), chromedp.Flag("lang", "zh-CN"), chromedp.Flag("accept-lang", "zh-CN"),
		chromedp.WindowSize(1280, 860))
	allocated, stop := chromedp.NewExecAllocator(context.Background(), append(options, more...)...)
	timed, stopTimed := context.WithTimeout(allocated, time.Minute)
	ctx, stopTab := chromedp.NewContext(timed)
	b := &tab{t, ctx}
	var watching sync.WaitGroup
	t.Cleanup(func() {
		stopTab()
		stopTimed()
		stop()
		watching.Wait()
	})
	messages := chromedp.Console(ctx)
	watching.Go(func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			if m.IsException() || m.Type == chromedp.ConsoleError && m.Source != "network" {
				t.Errorf("the page says %s", m)
			}
		}
	})
	b.open(url)
	return b
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	if err := chromedp.Do(b.ctx, steps...); err != nil {
		b.t.Fatal(err)
	}
}

func (b *tab) open(url string) {
	b.t.Helper()
	b.do(chromedp.Navigate(url))
}

// click and typed wait for their element.
func (b *tab) click(selector string) {
	b.t.Helper()
	b.do(chromedp.Click(chromedp.CSS(selector)))
}

func (b *tab) typed(selector, keys string) {
	b.t.Helper()
	b.do(chromedp.SendKeys(chromedp.CSS(selector), keys))
}

// until waits until the page says each of the parts where the selector points.
func (b *tab) until(selector string, parts ...string) {
	b.t.Helper()
	deadline := time.Now().Add(15 * time.Second)
	for {
		got := b.eval(`document.querySelector(` + quote(selector) + `)?.checkVisibility() ? document.querySelector(` + quote(selector) + `).innerText || " " : ""`)
		lacking := ""
		for _, p := range parts {
			if !strings.Contains(got, p) {
				lacking = p
			}
		}
		if got != "" && lacking == "" {
			return
		}
		if time.Now().After(deadline) {
			b.t.Fatalf("%s says %q, and lacks %q", selector, got, lacking)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// gone waits until nothing visible is where the selector points.
func (b *tab) gone(selector string) {
	b.t.Helper()
	deadline := time.Now().Add(15 * time.Second)
	for b.eval(`String(document.querySelector(`+quote(selector)+`)?.checkVisibility() ?? false)`) == "true" {
		if time.Now().After(deadline) {
			b.t.Fatalf("%s stays", selector)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// eval returns the string that a JavaScript expression, or its promise, gives.
func (b *tab) eval(expression string) string {
	b.t.Helper()
	s, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		b.t.Fatalf("%s: %v", expression, err)
	}
	return s
}

// shot saves a picture when -shots wants it.
func (b *tab) shot(name string) {
	b.t.Helper()
	if *shots == "" {
		return
	}
	time.Sleep(400 * time.Millisecond) // what appears softly
	png, err := chromedp.Run(b.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*shots, name), png, 0o644); err != nil {
		b.t.Fatal(err)
	}
}

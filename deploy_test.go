package lexagent_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// documents are those of a YAML file.
func documents(t *testing.T, path string) (docs []map[string]any) {
	t.Helper()
	d := yaml.NewDecoder(bytes.NewReader([]byte(read(t, path))))
	for {
		var doc map[string]any
		err := d.Decode(&doc)
		if errors.Is(err, io.EOF) {
			return docs
		}
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		docs = append(docs, doc)
	}
}

// at walks into a document by keys; what is not there fails the test.
func at(t *testing.T, doc any, keys ...string) any {
	t.Helper()
	for i, key := range keys {
		m, ok := doc.(map[string]any)
		if doc = m[key]; !ok || doc == nil {
			t.Fatalf("there is no %s", strings.Join(keys[:i+1], "."))
		}
	}
	return doc
}

// Ports, paths and names are the same wherever they stand.
func TestDeployAgreesWithItself(t *testing.T) {
	docker := read(t, "deploy/Dockerfile")
	for _, want := range []string{"EXPOSE 8080", "LEXAGENT_ADDR=0.0.0.0:8080", "USER 10001:10001", "HEALTHCHECK", "/dev/tcp/127.0.0.1/8080", "GET /healthz", "model/pretrained", "var/onnxruntime"} {
		if !strings.Contains(docker, want) {
			t.Errorf("the Dockerfile has no %s", want)
		}
	}
	compose := documents(t, "deploy/compose.yaml")[0]
	services := at(t, compose, "services").(map[string]any)
	for name, s := range services {
		image, _ := at(t, s, "image").(string)
		if _, tag, pinned := strings.Cut(image, ":"); image != "lexagent" && (!pinned || tag == "latest") {
			t.Errorf("%s: the image %s has no version", name, image)
		}
		ports, _ := s.(map[string]any)["ports"].([]any)
		for _, p := range ports {
			if !strings.HasPrefix(p.(string), "127.0.0.1:") {
				t.Errorf("%s is reached from other machines: %s", name, p)
			}
		}
	}
	if at(t, services, "server", "read_only") != true {
		t.Error("the server may write to its root")
	}
	nginx := read(t, "deploy/nginx/nginx.conf")
	alias := at(t, services, "server", "networks", "default", "aliases").([]any)[0].(string)
	published := at(t, services, "nginx", "ports").([]any)[0].(string)
	if !strings.Contains(nginx, "server "+alias+":8080;") || !strings.HasSuffix(published, ":8000") || !strings.Contains(nginx, "listen 8000;") {
		t.Error("nginx.conf and compose.yaml name different ports or hosts")
	}
	if prom := read(t, "deploy/prometheus/prometheus.yml"); !strings.Contains(prom, `"`+alias+`:8080"`) || !strings.Contains(prom, "alerts.yml") {
		t.Error("Prometheus asks elsewhere")
	}
	api := read(t, "server/openapi.yaml")
	for _, doc := range documents(t, "deploy/kubernetes/server.yaml") {
		if doc["kind"] != "Deployment" {
			continue
		}
		pod := at(t, doc, "spec", "template", "spec")
		server := at(t, pod, "containers").([]any)[0]
		for _, probe := range []string{"startupProbe", "livenessProbe", "readinessProbe"} {
			if path := at(t, server, probe, "httpGet", "path").(string); !strings.Contains(api, "\n  "+path+":\n") {
				t.Errorf("%s asks for %s, which is not there", probe, path)
			}
		}
		if at(t, server, "securityContext", "readOnlyRootFilesystem") != true || at(t, pod, "securityContext", "runAsNonRoot") != true {
			t.Error("the pod may do more than it needs")
		}
	}
}

var variable = regexp.MustCompile(`\bLEXAGENT_[A-Z_]+\b`)

// Every variable that is set somewhere is a setting.
func TestDeploySetsWhatThereIs(t *testing.T) {
	settings := variable.FindAllString(read(t, "docs/config.md"), -1)
	for _, path := range []string{"deploy/Dockerfile", "deploy/compose.yaml", "deploy/kubernetes/config.yaml", "deploy/kubernetes/server.yaml"} {
		for _, name := range variable.FindAllString(read(t, path), -1) {
			if !slices.Contains(settings, name) {
				t.Errorf("%s sets %s, which docs/config.md does not know", path, name)
			}
		}
	}
}

var (
	metric  = regexp.MustCompile(`\blexagent_[a-z_]+\b`)
	defined = regexp.MustCompile(`(?:count|last|gauge)\("([a-z_]+)"|Name: "lexagent_([a-z_]+)"`)
)

// Every metric in the dashboard and the alerts is one that the server has.
func TestDashboardsShowWhatThereIs(t *testing.T) {
	var known []string
	for _, m := range defined.FindAllStringSubmatch(read(t, "server/metrics.go"), -1) {
		known = append(known, "lexagent_"+m[1]+m[2])
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal([]byte(read(t, "deploy/grafana/dashboards/lexagent.json")), &dashboard); err != nil {
		t.Fatal(err)
	}
	used := read(t, "deploy/prometheus/alerts.yml")
	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			used += "\n" + target.Expr
		}
	}
	names := metric.FindAllString(used, -1)
	for _, name := range names {
		if !slices.Contains(known, strings.TrimSuffix(name, "_bucket")) {
			t.Errorf("the server has no metric %s", name)
		}
	}
	if len(names) < 15 || len(dashboard.Panels) < 8 {
		t.Errorf("%d metrics in %d panels", len(names), len(dashboard.Panels))
	}
	for _, doc := range documents(t, "deploy/prometheus/alerts.yml") {
		for _, g := range at(t, doc, "groups").([]any) {
			for _, r := range at(t, g, "rules").([]any) {
				read(t, at(t, r, "annotations", "runbook").(string))
			}
		}
	}
}

// The tools of the trade find no fault: hadolint in the Dockerfile, the schemas of
// Kubernetes in its manifests, nginx in its configuration.
func TestDeployIsWellFormed(t *testing.T) {
	manifests, err := filepath.Glob("deploy/kubernetes/*.yaml")
	if err != nil || len(manifests) == 0 {
		t.Fatal(manifests, err)
	}
	for _, check := range [][]string{
		{"hadolint", "deploy/Dockerfile"},
		append([]string{"kubernetes-validate", "--strict", "--quiet"}, manifests...),
	} {
		t.Run(check[0], func(t *testing.T) {
			program := filepath.Join("var", "deploy", "bin", check[0])
			if _, err := os.Stat(program); err != nil {
				if os.Getenv("LEXAGENT_TEST_REAL") == "1" {
					t.Fatalf("%s is not installed", check[0])
				}
				t.Skipf("%s is not installed; .ci/run does it", check[0])
			}
			if out, err := exec.CommandContext(t.Context(), program, check[1:]...).CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

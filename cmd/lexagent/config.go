package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"lexagent/model"
)

// config is what every command can be told: by flags, by LEXAGENT_… variables,
// by a YAML file, in this order of strength. Unknown keys in the file are errors.
type config struct {
	Data        string    `yaml:"data"`        // folder of the book and the indexes
	Addr        string    `yaml:"addr"`        // where serve listens
	Encoder     string    `yaml:"encoder"`     // folder of the encoder
	ONNXRuntime string    `yaml:"onnxruntime"` // the library's file
	LLM         llmConfig `yaml:"llm"`

	file string
}

type llmConfig struct {
	URL      string        `yaml:"url"`      // of an OpenAI-compatible endpoint, such as http://127.0.0.1:8181/v1
	Model    string        `yaml:"model"`    // its name there
	Timeout  time.Duration `yaml:"timeout"`  // of one call
	Deadline time.Duration `yaml:"deadline"` // of one answer
}

// variables are the environment's names of the keys.
const (
	envData    = "LEXAGENT_DATA"
	envAddr    = "LEXAGENT_ADDR"
	envEncoder = "LEXAGENT_ENCODER"
	envONNX    = "LEXAGENT_ONNXRUNTIME"
	envURL     = "LEXAGENT_LLM_URL"
	envModel   = "LEXAGENT_LLM_MODEL"
	envTimeout = "LEXAGENT_LLM_TIMEOUT"
	envKey     = "LEXAGENT_LLM_KEY" // the secret: from the environment only
)

const (
	defaultData = "var/data"
	defaultAddr = "127.0.0.1:8080"
)

// register declares the flags that every command has.
func (c *config) register(root *cobra.Command) {
	root.PersistentFlags().StringVar(&c.file, "config", "", "YAML file with settings (data, addr, encoder, onnxruntime, llm.url, llm.model, llm.timeout)")
	root.PersistentFlags().String("data", defaultData, "folder of the statute book and its indexes ["+envData+"]")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return c.load(cmd) }
}

// load fills the config for the command that runs.
func (c *config) load(cmd *cobra.Command) error {
	*c = config{Data: defaultData, Addr: defaultAddr, file: c.file}
	if c.file != "" {
		if err := c.readFile(); err != nil {
			return err
		}
	}
	for name, dst := range map[string]*string{
		envData: &c.Data, envAddr: &c.Addr, envEncoder: &c.Encoder, envONNX: &c.ONNXRuntime, envURL: &c.LLM.URL, envModel: &c.LLM.Model,
	} {
		if v := os.Getenv(name); v != "" {
			*dst = v
		}
	}
	if v := os.Getenv(envTimeout); v != "" {
		d, err := time.ParseDuration(v)
		if err != nil || d <= 0 {
			return fmt.Errorf("%s is %q; it must be a time such as 90s", envTimeout, v)
		}
		c.LLM.Timeout = d
	}
	for name, dst := range map[string]*string{"data": &c.Data, "addr": &c.Addr} {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
			*dst = f.Value.String()
		}
	}
	return nil
}

func (c *config) readFile() error {
	b, err := os.ReadFile(c.file)
	if err != nil {
		return fmt.Errorf("read the config file: %w", err)
	}
	dec := yaml.NewDecoder(bytes.NewReader(b))
	dec.KnownFields(true)
	if err := dec.Decode(c); err != nil && !errors.Is(err, io.EOF) {
		return fmt.Errorf("the config file %s can't be used: %w", c.file, err)
	}
	return nil
}

func (c *config) llmOptions() model.LLMOptions {
	return model.LLMOptions{URL: c.LLM.URL, Model: c.LLM.Model, Timeout: c.LLM.Timeout, Key: os.Getenv(envKey)}
}

// encoderDir is the folder of the encoder: the configured one, else the one that
// ships, found beside the program or in the working directory.
func (c *config) encoderDir() (string, error) {
	if c.Encoder != "" {
		return c.Encoder, nil
	}
	const shipped = "model/pretrained"
	var places []string
	if exe, err := os.Executable(); err == nil {
		if exe, err = filepath.EvalSymlinks(exe); err == nil {
			places = append(places, filepath.Join(filepath.Dir(exe), "..", shipped), filepath.Join(filepath.Dir(exe), shipped))
		}
	}
	for _, p := range append(places, shipped) {
		if _, err := os.Stat(filepath.Join(p, "config.json")); err == nil {
			return p, nil
		}
	}
	return "", fmt.Errorf("the encoder is not where it ships (%s beside the program): set %s to its folder", shipped, envEncoder)
}

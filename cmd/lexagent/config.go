package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"lexagent/model"
)

// config is what every command can be told: by flags, by LEXAGENT_… variables,
// by a YAML file, in this order of strength. Unknown keys in the file are errors.
type config struct {
	Data        string       `yaml:"data"`        // folder of the book and the indexes
	Addr        string       `yaml:"addr"`        // where serve listens
	Encoder     string       `yaml:"encoder"`     // folder of the encoder
	ONNXRuntime string       `yaml:"onnxruntime"` // the library's file
	Store       string       `yaml:"store"`       // where the index is searched: embedded or milvus
	Milvus      milvusConfig `yaml:"milvus"`
	Embed       embedConfig  `yaml:"embed"` // an encoder elsewhere, instead of the one in the folder
	LLM         llmConfig    `yaml:"llm"`
	Redis       redisConfig  `yaml:"redis"`

	file string
}

type milvusConfig struct {
	Address    string        `yaml:"address"`    // host:port, or https://host[:port] for TLS
	User       string        `yaml:"user"`       // "" = the server asks for none
	TLS        bool          `yaml:"tls"`        // also without https:// in the address
	Database   string        `yaml:"database"`   // "" = the server's default
	Collection string        `yaml:"collection"` // alias, and begin of the names of collections
	Index      string        `yaml:"index"`      // dense index of what is published: flat or hnsw
	Timeout    time.Duration `yaml:"timeout"`    // of one call
}

type embedConfig struct {
	URL     string        `yaml:"url"`     // of an OpenAI-compatible endpoint, such as http://127.0.0.1:8181/v1
	Model   string        `yaml:"model"`   // its name there
	Dim     int           `yaml:"dim"`     // length of a vector, asked of the endpoint; 0 = as the model gives
	Timeout time.Duration `yaml:"timeout"` // of one call
}

type llmConfig struct {
	URL      string        `yaml:"url"`      // of an OpenAI-compatible endpoint, such as http://127.0.0.1:8181/v1
	Model    string        `yaml:"model"`    // its name there
	Timeout  time.Duration `yaml:"timeout"`  // of one call
	Deadline time.Duration `yaml:"deadline"` // of one answer
	Cache    string        `yaml:"cache"`    // file of replies to the prompts of searches; "" = none are kept
}

type redisConfig struct {
	URL string `yaml:"url"` // redis://[user:password@]host:port/db; "" = conversations, caches and limits are kept in this process
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
	envKey     = "LEXAGENT_LLM_KEY" // a secret: from the environment only
	envReplies = "LEXAGENT_LLM_CACHE"
	envStore   = "LEXAGENT_STORE"
	envRedis   = "LEXAGENT_REDIS_URL"

	envEmbedURL     = "LEXAGENT_EMBED_URL"
	envEmbedModel   = "LEXAGENT_EMBED_MODEL"
	envEmbedDim     = "LEXAGENT_EMBED_DIM"
	envEmbedTimeout = "LEXAGENT_EMBED_TIMEOUT"
	envEmbedKey     = "LEXAGENT_EMBED_KEY" // a secret: from the environment only

	envMilvusAddress    = "LEXAGENT_MILVUS_ADDR"
	envMilvusUser       = "LEXAGENT_MILVUS_USER"
	envMilvusPassword   = "LEXAGENT_MILVUS_PASSWORD" //nolint:gosec // the name of the variable, not what it holds
	envMilvusDatabase   = "LEXAGENT_MILVUS_DATABASE"
	envMilvusCollection = "LEXAGENT_MILVUS_COLLECTION"
	envMilvusIndex      = "LEXAGENT_MILVUS_INDEX"
)

const (
	defaultData = "var/data"
	defaultAddr = "127.0.0.1:8080"

	storeEmbedded = "embedded"
	storeMilvus   = "milvus"
)

// register declares the flags that every command has.
func (c *config) register(root *cobra.Command) {
	root.PersistentFlags().StringVar(&c.file, "config", "", "YAML file with settings (data, addr, encoder, onnxruntime, store, milvus.address, embed.url, embed.model, llm.url, llm.model, llm.timeout, llm.cache)")
	root.PersistentFlags().String("data", defaultData, "folder of the statute book and its indexes ["+envData+"]")
	root.PersistentFlags().String("store", storeEmbedded, "where the index is searched: embedded, or milvus at "+envMilvusAddress+" ["+envStore+"]")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return c.load(cmd) }
}

// load fills the config for the command that runs.
func (c *config) load(cmd *cobra.Command) error {
	*c = config{Data: defaultData, Addr: defaultAddr, Store: storeEmbedded, file: c.file}
	if c.file != "" {
		if err := c.readFile(); err != nil {
			return err
		}
	}
	for name, dst := range map[string]*string{
		envData: &c.Data, envAddr: &c.Addr, envEncoder: &c.Encoder, envONNX: &c.ONNXRuntime, envURL: &c.LLM.URL, envModel: &c.LLM.Model, envReplies: &c.LLM.Cache,
		envStore: &c.Store, envRedis: &c.Redis.URL, envEmbedURL: &c.Embed.URL, envEmbedModel: &c.Embed.Model, envMilvusAddress: &c.Milvus.Address, envMilvusUser: &c.Milvus.User, envMilvusDatabase: &c.Milvus.Database,
		envMilvusCollection: &c.Milvus.Collection, envMilvusIndex: &c.Milvus.Index,
	} {
		if v := os.Getenv(name); v != "" {
			*dst = v
		}
	}
	if err := c.loadNumbers(); err != nil {
		return err
	}
	for name, dst := range map[string]*string{"data": &c.Data, "addr": &c.Addr, "store": &c.Store, "llm-cache": &c.LLM.Cache} {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
			*dst = f.Value.String()
		}
	}
	if c.Store != storeEmbedded && c.Store != storeMilvus {
		return fmt.Errorf("there is no store %q; there are %s and %s", c.Store, storeEmbedded, storeMilvus)
	}
	return nil
}

// loadNumbers reads the variables that hold times and numbers.
func (c *config) loadNumbers() error {
	for name, dst := range map[string]*time.Duration{envTimeout: &c.LLM.Timeout, envEmbedTimeout: &c.Embed.Timeout} {
		v := os.Getenv(name)
		if v == "" {
			continue
		}
		d, err := time.ParseDuration(v)
		if err != nil || d <= 0 {
			return fmt.Errorf("%s is %q; it must be a time such as 90s", name, v)
		}
		*dst = d
	}
	if v := os.Getenv(envEmbedDim); v != "" {
		n, err := strconv.Atoi(v)
		if err != nil || n < 1 {
			return fmt.Errorf("%s is %q; it must be a number of dimensions such as 1024", envEmbedDim, v)
		}
		c.Embed.Dim = n
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

func (c *config) embedOptions() model.RemoteOptions {
	e := c.Embed
	return model.RemoteOptions{URL: e.URL, Model: e.Model, Dim: e.Dim, Timeout: e.Timeout, Key: os.Getenv(envEmbedKey)}
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

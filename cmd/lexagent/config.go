package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"lexagent/evaluator/judge"
	"lexagent/model"
)

// config is what every command can be told: by flags, by LEXAGENT_… variables,
// by a YAML file, in this order of strength. settings.go reads it: a field's doc is
// what the printed example says of it, its variable is its path in capitals unless
// env names another, and a secret is never printed and never in the file.
type config struct {
	Data        string       `yaml:"data" doc:"folder of the statute book and its indexes"`
	Addr        string       `yaml:"addr" doc:"where serve listens, host:port"`
	Encoder     string       `yaml:"encoder" doc:"folder of the encoder; empty: the one that ships"`
	ONNXRuntime string       `yaml:"onnxruntime" doc:"file of libonnxruntime; empty: the one that make build fetched"`
	Store       string       `yaml:"store" doc:"where the index is searched: embedded or milvus"`
	Milvus      milvusConfig `yaml:"milvus" doc:"the Milvus server, for the store milvus"`
	Embed       embedConfig  `yaml:"embed" doc:"an encoder behind an OpenAI-compatible endpoint, instead of the one in the folder"`
	Rerank      rerankConfig `yaml:"rerank" doc:"a cross-encoder, as docs/evaluation.md describes"`
	LLM         llmConfig    `yaml:"llm" doc:"the language model; without one, answers are extracts of the articles"`
	Redis       redisConfig  `yaml:"redis" doc:"what replicas of serve share"`
	PublicURL   string       `yaml:"public_url" doc:"where readers reach the page, such as https://law.example; empty: as they ask"`
	Access      accessConfig `yaml:"access" doc:"who may ask serve; keys are made with lexagent key create"`

	Load          loadConfig          `yaml:"load" doc:"how much serve does at the same time; what is beyond is refused at once, with 503 and when to come back"`
	Conversations conversationsConfig `yaml:"conversations" doc:"what serve remembers of a conversation"`

	Audit      bool      `yaml:"audit" doc:"keep a record of each answer in audit.jsonl in the data folder: evidence, verdicts, model, index; no questions, no texts"`
	Disclaimer string    `yaml:"disclaimer" doc:"line that ends every answer of serve; none: no such line"`
	Log        logConfig `yaml:"log" doc:"the log of serve, on stderr; it never holds questions, answers or keys"`

	file  string
	flags map[string]string // those that were given, which win over the file and the environment
}

type logConfig struct {
	Format string `yaml:"format" doc:"json or text"`
	Level  string `yaml:"level" doc:"debug, info, warn or error"`
}

type milvusConfig struct {
	Address    string        `yaml:"address" env:"LEXAGENT_MILVUS_ADDR" doc:"host:port, or https://host[:port] for TLS"`
	User       string        `yaml:"user" doc:"empty: the server asks for none"`
	Password   string        `yaml:"-" env:"LEXAGENT_MILVUS_PASSWORD" secret:"yes"`
	TLS        bool          `yaml:"tls" doc:"TLS without https:// in the address"`
	Database   string        `yaml:"database" doc:"empty: the server's default"`
	Collection string        `yaml:"collection" doc:"alias, and begin of the names of collections; empty: lexagent"`
	Index      string        `yaml:"index" doc:"dense index of what is published: flat or hnsw; empty: flat"`
	Timeout    time.Duration `yaml:"timeout" doc:"of one call; 0s: 10s"`
}

type embedConfig struct {
	URL     string        `yaml:"url" doc:"such as http://127.0.0.1:8181/v1"`
	Model   string        `yaml:"model" doc:"its name there"`
	Dim     int           `yaml:"dim" doc:"length of a vector, asked of the endpoint; 0: as the model gives"`
	Timeout time.Duration `yaml:"timeout" doc:"of one call; 0s: 1m"`
	Key     string        `yaml:"-" env:"LEXAGENT_EMBED_KEY" secret:"yes"`
}

type rerankConfig struct {
	Path string `yaml:"path" env:"LEXAGENT_RERANKER" doc:"folder of a cross-encoder for the mode lexpath; empty: the learned ranker judges"`
}

type llmConfig struct {
	URL      string        `yaml:"url" doc:"of an OpenAI-compatible endpoint, such as http://127.0.0.1:8181/v1"`
	Model    string        `yaml:"model" doc:"its name there"`
	Timeout  time.Duration `yaml:"timeout" doc:"of one call; 0s: 2m"`
	Deadline time.Duration `yaml:"deadline" doc:"of one answer; 0s: 3m"`
	Cache    string        `yaml:"cache" doc:"file of replies to the prompts of searches; empty: none are kept"`
	Speed    float64       `yaml:"speed" doc:"tokens that it writes a second, for estimates; 0: told after the first calls"`
	Prompt   float64       `yaml:"prompt_price" doc:"of a million tokens that it reads, in any currency, for estimates; 0: not told"`
	Reply    float64       `yaml:"reply_price" doc:"of a million tokens that it writes"`
	Key      string        `yaml:"-" env:"LEXAGENT_LLM_KEY" secret:"yes"`
}

type redisConfig struct {
	URL string `yaml:"url" doc:"redis://[user:password@]host:port/db, or rediss:// for TLS; empty: conversations, caches and limits are kept in this process"`
}

type accessConfig struct {
	Open      bool     `yaml:"open" doc:"serve other machines without any key"`
	Origins   []string `yaml:"origins" doc:"foreign pages that may ask, such as https://desk.example"`
	Hosts     []string `yaml:"hosts" doc:"names by which a proxy on this machine may call, beside localhost; ports are left out"`
	PerMinute int      `yaml:"requests_per_minute" doc:"of one key, or one address where there are no keys; 0: no limit. A key may have its own"`
	Tokens    int      `yaml:"tokens_per_day" doc:"of the language model, likewise; 0: no limit"`
}

type loadConfig struct {
	Answers  int           `yaml:"answers" doc:"answers; 0: 200"`
	Searches int           `yaml:"searches" doc:"searches and checks; 0: two for each processor, at least 4"`
	Queue    int           `yaml:"queue" doc:"requests of either kind that may wait for their turn; 0: 256"`
	Cache    time.Duration `yaml:"cache" doc:"how long the results of searches are kept for who asks the same; 0s: not at all"`
	Patience time.Duration `yaml:"patience" doc:"the longest wait for it; 0s: 5s"`
}

type conversationsConfig struct {
	Days int `yaml:"days" doc:"how long one is kept after its last turn"`
}

// Names of variables that messages and help texts tell.
const (
	envData          = "LEXAGENT_DATA"
	envAddr          = "LEXAGENT_ADDR"
	envEncoder       = "LEXAGENT_ENCODER"
	envRerank        = "LEXAGENT_RERANKER"
	envURL           = "LEXAGENT_LLM_URL"
	envModel         = "LEXAGENT_LLM_MODEL"
	envKey           = "LEXAGENT_LLM_KEY"
	envReplies       = "LEXAGENT_LLM_CACHE"
	envStore         = "LEXAGENT_STORE"
	envMilvusAddress = "LEXAGENT_MILVUS_ADDR"
)

const (
	defaultData = "var/data"
	defaultAddr = "127.0.0.1:8080"

	storeEmbedded = "embedded"
	storeMilvus   = "milvus"
)

func defaultConfig() config {
	return config{
		Data: defaultData, Addr: defaultAddr, Store: storeEmbedded,
		Load:          loadConfig{Answers: 200, Queue: 256, Patience: 5 * time.Second, Cache: 5 * time.Minute},
		Conversations: conversationsConfig{Days: 30},
		Audit:         true,
		Disclaimer:    "以上内容由程序依据所列法律条文整理，供参考，不是法律意见。",
		Log:           logConfig{Format: "json", Level: "info"},
	}
}

// register declares the flags that every command has.
func (c *config) register(root *cobra.Command) {
	root.PersistentFlags().StringVar(&c.file, "config", "", "YAML file with settings; `lexagent config --example` prints one")
	root.PersistentFlags().String("data", defaultData, "folder of the statute book and its indexes ["+envData+"]")
	root.PersistentFlags().String("store", storeEmbedded, "where the index is searched: embedded, or milvus at "+envMilvusAddress+" ["+envStore+"]")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return c.load(cmd) }
}

// load fills the config for the command that runs.
func (c *config) load(cmd *cobra.Command) error {
	given := map[string]string{}
	for _, name := range []string{"data", "addr", "store", "llm-cache"} {
		if f := cmd.Flags().Lookup(name); f != nil && f.Changed {
			given[name] = f.Value.String()
		}
	}
	c.flags = given
	return c.read()
}

// read reads the settings: the defaults, the file, the environment, the flags.
func (c *config) read() error {
	file, given := c.file, c.flags
	*c = defaultConfig()
	c.file, c.flags = file, given
	if err := readSettings(c, c.file, os.LookupEnv); err != nil {
		return err
	}
	for name, dst := range map[string]*string{"data": &c.Data, "addr": &c.Addr, "store": &c.Store, "llm-cache": &c.LLM.Cache} {
		if v, ok := c.flags[name]; ok {
			*dst = v
		}
	}
	if c.Store != storeEmbedded && c.Store != storeMilvus {
		return fmt.Errorf("there is no store %q; there are %s and %s", c.Store, storeEmbedded, storeMilvus)
	}
	return nil
}

func (c *config) embedOptions() model.RemoteOptions {
	e := c.Embed
	return model.RemoteOptions{URL: e.URL, Model: e.Model, Dim: e.Dim, Timeout: e.Timeout, Key: e.Key}
}

func (c *config) llmOptions() model.LLMOptions {
	return model.LLMOptions{URL: c.LLM.URL, Model: c.LLM.Model, Timeout: c.LLM.Timeout, Key: c.LLM.Key}
}

// rates are what the language model takes, for estimates.
func (c *config) rates() judge.Rates {
	return judge.Rates{Speed: c.LLM.Speed, PromptPrice: c.LLM.Prompt, CompletionPrice: c.LLM.Reply}
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

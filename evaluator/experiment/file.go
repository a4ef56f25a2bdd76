package experiment

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"lexagent/evaluator"
	"lexagent/evaluator/dataset"
	"lexagent/retrieval"
)

// File is an experiment.
type File struct {
	Name     string    `yaml:"name"`  // of the folder of its results: letters, digits, - and _
	Title    string    `yaml:"title"` // of its report
	About    string    `yaml:"about"` // what it shows, and where it parts from what it repeats
	Datasets []Dataset `yaml:"datasets"`
	Systems  []System  `yaml:"systems"`

	Measures  []string `yaml:"measures"`  // columns of the tables, the first also of the plots; default recall@5 and ndcg@5, or f1_char and citation_recall for answers
	Reference string   `yaml:"reference"` // row that the others are tested against; default the last that is run
	By        string   `yaml:"by"`        // article, name or evidence; default what the gold has
	Depth     int      `yaml:"depth"`     // hits of a run; default 20
	AsOf      string   `yaml:"as_of"`     // day whose law is searched; default any
	Groups    []string `yaml:"groups"`    // questions reported apart, by type or level
	Sample    int      `yaml:"sample"`    // questions of each data set, drawn by the seed; 0 = all
	Seed      uint64   `yaml:"seed"`      // of splits, samples and intervals

	Generators []Generator `yaml:"generators"` // language models that write answers; default the configured one
	Articles   int         `yaml:"articles"`   // articles that a generator is shown; default 5
	Tokens     int         `yaml:"tokens"`     // of an answer at most; default 300
	Parallel   int         `yaml:"parallel"`   // questions that are put to a language model at a time; default 1
	Judge      *Judge      `yaml:"judge"`      // a language model that scores the answers; absent = none does

	digest string
}

// Dataset is one set of questions and the corpus that they are put to.
type Dataset struct {
	Name    string `yaml:"name"`
	Path    string `yaml:"path"`    // below the folder of data sets
	Split   string `yaml:"split"`   // shares of train, dev and test, such as 7:1:2; "" = the whole file
	Part    string `yaml:"part"`    // of the split: train, dev or test
	Group   string `yaml:"group"`   // what a split keeps together: seed, dialogue or document; default what the file tells
	History string `yaml:"history"` // how much of a dialogue is asked: one of dataset.Forms; default current
	Seen    string `yaml:"seen"`    // training questions: those whose golds occur in them are reported apart
	Data    string `yaml:"data"`    // data folder with its corpus; default the one that is configured
	Preset  string `yaml:"preset"`  // LexPath's parameters; default stard
}

// System is one row of the tables.
type System struct {
	Name string `yaml:"name"`

	// How it searches. Mode is one of retrieval.Modes, or ql: query likelihood with
	// Dirichlet smoothing, or ircot, crag or arag: searches that a language model steers.
	Mode        string     `yaml:"mode"`
	Base        string     `yaml:"base"` // mode of the searches that ircot and crag make, and of arag's where it makes none; default hybrid
	Granularity string     `yaml:"granularity"`
	Fusion      string     `yaml:"fusion"`
	Alpha       *float64   `yaml:"alpha"`
	Lambda      []float64  `yaml:"lambda"` // of reranker, fused score and intent
	Pool        int        `yaml:"pool"`
	Expand      string     `yaml:"expand"`
	Without     []string   `yaml:"without"`    // stages that are left out
	Mu          float64    `yaml:"mu"`         // of ql; default 1,000
	Neighbours  Neighbours `yaml:"neighbours"` // articles of the citation graph that enter the pool; default none
	Encoder     string     `yaml:"encoder"`    // folder of another encoder in ONNX
	Reranker    string     `yaml:"reranker"`   // folder of a cross-encoder in ONNX, for the mode lexpath
	Data        string     `yaml:"data"`       // data folder with that encoder's vectors
	Sweep       *Sweep     `yaml:"sweep"`      // one row for each value of a parameter

	// How it answers; "" = it only searches. See Answers.
	Answer string     `yaml:"answer"`
	Pred   string     `yaml:"pred"` // file of the answers that are given, below the folder of data sets
	Ask    *Generator `yaml:"ask"`  // endpoint of an outside system that is asked

	NotRun string             `yaml:"not_run"` // why it can't be run here; such a row has nothing else
	Paper  map[string]float64 `yaml:"paper"`   // the first measure as the paper has it, in per cent, by data set
}

// Neighbours are the articles that the strongest candidates cite, or that cite them.
type Neighbours struct {
	Of    int     `yaml:"of"`    // how many candidates
	Share float64 `yaml:"share"` // of the candidate's fused score that a neighbour has at least
}

// Sweep varies one parameter of a system.
type Sweep struct {
	Parameter string    `yaml:"parameter"` // alpha or lambda3
	Values    []float64 `yaml:"values"`
}

// Generator is a language model that writes answers.
type Generator struct {
	Name  string `yaml:"name"`  // in the report; default the model's
	URL   string `yaml:"url"`   // of an OpenAI-compatible endpoint; default the configured one
	Model string `yaml:"model"` // its name there
	Key   string `yaml:"key"`   // name of the environment's variable that holds its key
}

// Judge says how answers are judged.
type Judge struct {
	Weights string `yaml:"weights"` // of relevance, accuracy, completeness and fluency; default 0.3,0.4,0.2,0.1
}

// The modes of baselines.
const (
	QL    = "ql"    // query likelihood
	IRCoT = "ircot" // searches between steps of reasoning (Trivedi et al., 2023)
	ARAG  = "arag"  // a language model searches by words and by meaning, reads, and decides when it has found enough (A-RAG)
	CRAG  = "crag"  // searches again for a rewritten question where what was found does not answer (Yan et al., 2024)
)

// The ways to answer.
const (
	ZeroShot   = "zero-shot"  // the generator alone
	Plain      = "plain"      // the generator with the first articles that the system finds, once
	OnePass    = "one-pass"   // the answer graph, checked, without a second look
	Reflecting = "reflecting" // the answer graph as it is used
	Tools      = "tools"      // the generator looks things up itself, by calling tools
	Extractive = "extractive" // the answer graph without a generator
	Given      = "given"      // another system's, from a file that answers.Read reads
	Asked      = "asked"      // another system's, which is asked the question alone; see answers.Outside
)

// Answers lists the ways to answer.
var Answers = []string{ZeroShot, Plain, OnePass, Reflecting, Tools, Extractive, Given, Asked}

const (
	defaultDepth    = 20
	defaultArticles = 5
	defaultTokens   = 300
	maxRows         = 200
	maxParallel     = 64
)

// ReadFile reads an experiment and checks it.
func ReadFile(path string) (*File, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the experiment: %w", err)
	}
	f, err := Read(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// Read reads an experiment from its bytes.
func Read(b []byte) (*File, error) {
	var node yaml.Node
	if err := yaml.NewDecoder(bytes.NewReader(b)).Decode(&node); err != nil {
		return nil, fmt.Errorf("this is no experiment: %w", err)
	}
	var f File
	if err := checkKeys(&node, &f); err != nil {
		return nil, err
	}
	if err := node.Decode(&f); err != nil {
		return nil, fmt.Errorf("this is no experiment: %w", err)
	}
	sum := sha256.Sum256(b)
	f.digest = hex.EncodeToString(sum[:8])
	f.defaults()
	return &f, f.check()
}

func (f *File) defaults() {
	if f.Depth == 0 {
		f.Depth = defaultDepth
	}
	if f.Articles == 0 {
		f.Articles = defaultArticles
	}
	if f.Tokens == 0 {
		f.Tokens = defaultTokens
	}
	if f.AsOf == "" {
		f.AsOf = "any"
	}
	if len(f.Measures) == 0 {
		f.Measures = []string{"recall@5", "ndcg@5"}
		if f.answering() {
			f.Measures = []string{"f1_char", "citation_recall"}
		}
	}
	if f.Title == "" {
		f.Title = f.Name
	}
	if len(f.Generators) == 0 {
		f.Generators = []Generator{{}}
	}
}

// answering reports whether the experiment is about answers.
func (f *File) answering() bool {
	return slices.ContainsFunc(f.Systems, func(s System) bool { return s.Answer != "" })
}

// check refuses what can't be meant.
func (f *File) check() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	if f.Name == "" || slug(f.Name) != f.Name {
		bad("name is %q; it must be of letters, digits, - and _, since results lie under it", f.Name)
	}
	if len(f.Datasets) == 0 || len(f.Systems) == 0 {
		bad("an experiment needs datasets and systems")
	}
	if f.Depth < 1 || f.Depth > retrieval.MaxHits || f.Articles < 1 || f.Articles > 20 || f.Tokens < 1 || f.Sample < 0 || f.Parallel < 0 || f.Parallel > maxParallel {
		bad("depth must be 1 to %d, articles 1 to 20, tokens at least 1, sample not negative, parallel 1 to %d", retrieval.MaxHits, maxParallel)
	}
	if _, err := retrieval.ParseAsOf(f.AsOf); err != nil {
		errs = append(errs, err)
	}
	switch evaluator.By(f.By) {
	case "", evaluator.ByArticle, evaluator.ByName, evaluator.ByEvidence:
	default:
		bad("by is %q; it must be article, name or evidence", f.By)
	}
	for _, g := range f.Groups {
		if g != "type" && g != "level" {
			bad("there are no groups by %q: use type or level", g)
		}
	}
	seen := map[string]bool{}
	for i := range f.Datasets {
		errs = append(errs, f.Datasets[i].check(seen))
	}
	seen = map[string]bool{}
	for i := range f.Systems {
		errs = append(errs, f.Systems[i].check(seen, f.Datasets))
	}
	answering := 0
	for i := range f.Systems {
		if f.Systems[i].Answer != "" || f.Systems[i].NotRun != "" {
			answering++
		}
	}
	if f.answering() && answering != len(f.Systems) {
		bad("an experiment is about searches or about answers: give every system an answer, or none")
	}
	rows := f.rows()
	if f.Reference != "" && !slices.ContainsFunc(rows, func(r row) bool { return r.name == f.Reference }) {
		bad("the reference %q is no row; %s", f.Reference, nearest(f.Reference, names(rows)))
	}
	if n := len(rows); n > maxRows {
		bad("%d rows are too many: at most %d", n, maxRows)
	}
	return errors.Join(errs...)
}

func names(rows []row) []string {
	var out []string
	for i := range rows {
		out = append(out, rows[i].name)
	}
	return out
}

func (d *Dataset) check(seen map[string]bool) error {
	if d.Name == "" || d.Path == "" || seen[d.Name] {
		return fmt.Errorf("each data set needs a path and a name of its own, not %q", d.Name)
	}
	seen[d.Name] = true
	if (d.Split == "") != (d.Part == "") {
		return fmt.Errorf("data set %s: split and part belong together", d.Name)
	}
	if d.Split != "" {
		if _, err := dataset.ParseShares(d.Split); err != nil {
			return fmt.Errorf("data set %s: %w", d.Name, err)
		}
		if !slices.Contains(dataset.Parts, d.Part) {
			return fmt.Errorf("data set %s: there is no part %q: use %s", d.Name, d.Part, strings.Join(dataset.Parts, ", "))
		}
	}
	if _, err := dataset.ParseForm(d.History); err != nil {
		return fmt.Errorf("data set %s: %w", d.Name, err)
	}
	if d.Preset != "" {
		if _, err := retrieval.Preset(d.Preset); err != nil {
			return fmt.Errorf("data set %s: %w", d.Name, err)
		}
	}
	return nil
}

func (s *System) check(seen map[string]bool, sets []Dataset) error {
	if s.Name == "" || seen[s.Name] {
		return fmt.Errorf("each system needs a name of its own, not %q", s.Name)
	}
	seen[s.Name] = true
	for name := range s.Paper {
		if !slices.ContainsFunc(sets, func(d Dataset) bool { return d.Name == name }) {
			return fmt.Errorf("system %s: paper names %q, which is no data set here", s.Name, name)
		}
	}
	if s.NotRun != "" {
		if s.Mode != "" || s.Answer != "" {
			return fmt.Errorf("system %s: a row that is not run has no mode and no answer", s.Name)
		}
		return nil
	}
	if s.Answer != "" && !slices.Contains(Answers, s.Answer) {
		return fmt.Errorf("system %s: there is no answer %q; %s", s.Name, s.Answer, nearest(s.Answer, Answers))
	}
	if s.Reranker != "" && s.Mode != string(retrieval.LexPath) {
		return fmt.Errorf("system %s: a reranker belongs to the mode %s", s.Name, retrieval.LexPath)
	}
	if s.Sweep != nil && (s.Sweep.Parameter != "alpha" && s.Sweep.Parameter != "lambda3" || len(s.Sweep.Values) == 0) {
		return fmt.Errorf("system %s: a sweep is over alpha or lambda3, and needs values", s.Name)
	}
	if (s.Answer == Given) != (s.Pred != "") || (s.Answer == Asked) != (s.Ask != nil) {
		return fmt.Errorf("system %s: pred, a file, belongs to the answer %s, and ask, an endpoint, to %s", s.Name, Given, Asked)
	}
	switch searchless := []string{ZeroShot, Given, Asked}; {
	case slices.Contains(searchless, s.Answer) && s.Mode != "":
		return fmt.Errorf("system %s: %s has no search, and so no mode", s.Name, s.Answer)
	case slices.Contains(searchless, s.Answer):
		return nil
	case s.Mode == QL && s.Mu < 0:
		return fmt.Errorf("system %s: mu must not be negative", s.Name)
	case s.Mode == QL && s.Answer != "" && s.Answer != Plain:
		return fmt.Errorf("system %s: the answer graph has no mode %s", s.Name, QL)
	case s.Mode == QL:
		return nil
	case s.Mode == "":
		return fmt.Errorf("system %s: it needs a mode", s.Name)
	}
	if s.Base != "" && !s.steered() {
		return fmt.Errorf("system %s: a base belongs to the modes %s", s.Name, strings.Join(steeredModes, ", "))
	}
	if s.steered() && s.Answer != "" && s.Answer != Plain {
		return fmt.Errorf("system %s: the answer graph has no mode %s", s.Name, s.Mode)
	}
	q, err := s.query(&Dataset{}, "any", 1)
	if err == nil {
		err = q.Check()
	}
	if err != nil {
		return fmt.Errorf("system %s: %w", s.Name, err)
	}
	return nil
}

// steeredModes are the searches that a language model steers.
var steeredModes = []string{IRCoT, CRAG, ARAG}

func (s *System) steered() bool { return slices.Contains(steeredModes, s.Mode) }

// query is the search of a system on a data set, without its text.
func (s *System) query(d *Dataset, asOf string, depth int) (retrieval.Query, error) {
	day, err := retrieval.ParseAsOf(asOf)
	if err != nil {
		return retrieval.Query{}, err
	}
	name := d.Preset
	if name == "" {
		name = retrieval.DefaultPreset
	}
	p, err := retrieval.Preset(name)
	if err != nil {
		return retrieval.Query{}, err
	}
	alpha, fusion, by, pool := p.Alpha, retrieval.Method(s.Fusion), retrieval.Granularity(s.Granularity), s.Pool
	if s.Alpha != nil {
		alpha = *s.Alpha
	}
	if fusion == "" {
		fusion = retrieval.Arctan
	}
	if by == "" {
		by = retrieval.Articles
	}
	if pool == 0 {
		pool = p.Pool
	}
	mode := retrieval.Mode(s.Mode)
	if s.steered() {
		if mode = retrieval.Mode(s.Base); mode == "" {
			mode = retrieval.Hybrid
		}
	}
	q := retrieval.Query{
		Mode: mode, By: by, K: depth, Pool: max(pool, depth), Expand: retrieval.Expansion(s.Expand),
		Fusion: retrieval.Fusion{Method: fusion, Alpha: &alpha}, Scope: retrieval.Scope{AsOf: day}, Lambda: &p.Lambda, Neighbours: retrieval.Neighbours(s.Neighbours),
	}
	switch len(s.Lambda) {
	case 0:
	case 3:
		q.Lambda = &retrieval.Lambda{Rerank: s.Lambda[0], Fused: s.Lambda[1], Intent: s.Lambda[2]}
	default:
		return q, fmt.Errorf("lambda needs three numbers, of the reranker, the fused score and the intent; it has %d", len(s.Lambda))
	}
	for _, stage := range s.Without {
		q.Without = append(q.Without, retrieval.Stage(stage))
	}
	return q, nil
}

// slug is a name as part of a file's name.
func slug(name string) string {
	var b strings.Builder
	for _, r := range name {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return strings.Trim(b.String(), "-.")
}

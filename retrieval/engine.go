package retrieval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"lexagent/book"
	"lexagent/index"
	"lexagent/model"
	"lexagent/prompts"
	"lexagent/statute"
)

// Book is what a search needs of the statute book.
type Book interface {
	// Unit returns the unit with this id and its law.
	Unit(ctx context.Context, collections []string, id string, day statute.Date) (*statute.Unit, *statute.Law, error)
	// Chunk returns the chunk with this id and its law.
	Chunk(ctx context.Context, collection, id string) (*statute.Passage, *statute.Law, error)
	// Mentions looks up every reference to a law or an article in a text.
	Mentions(ctx context.Context, collections []string, text string, own *statute.Context, day statute.Date) ([]book.Mention, error)
	// Intents returns what an ingest noted that a unit is for; zeros where it did not.
	Intents(ctx context.Context, collection, law, unit string) (prompts.Odds, error)
}

// Encoder turns texts into unit vectors.
type Encoder interface {
	Encode(ctx context.Context, texts []string, role model.Role) ([][]float32, error)
	Digest() string // vectors of encoders with other digests do not compare; "" = not known before a first call
}

// CrossEncoder reads a question together with passages and scores, from 0 to 1, how
// well each answers it.
type CrossEncoder interface {
	Score(ctx context.Context, question string, passages []string) ([]float64, error)
}

// Vectors tells how many of a store's documents have a vector yet, and which
// encoder made them.
type Vectors interface {
	Vectors() (done, total int)
	Units() int // documents that are no chunks; they come first
	VectorEncoder() string
}

// Engine runs searches. Its fields are set once, before the first search; it is
// then safe for concurrent use.
type Engine struct {
	Book    Book
	Store   func() index.Store // the generation to search; asked once a search
	Encoder Encoder            // nil: no dense path
	Ranker  *Ranker            // nil: Fast is Hybrid
	Terms   *Terms             // nil: nothing is expanded without a language model
	Edges   Edges              // nil: no neighbours enter the pool
	Cross   CrossEncoder       // nil: LexPath's neural reranker is the Ranker
	Now     func() time.Time   // nil: the clock
	Floor   float64            // similarity by the plain model below which nothing bears on a question; 0 = not known

	// Building tells how far the vectors of a generation are that is being made for
	// the encoder beside the one that is searched; total 0 = none is. nil: nobody knows.
	Building func() (done, total int)

	// What asks a language model. nil: nothing is expanded, and LexPath is Fast where it would ask.
	Expander    Expander
	Intents     Intents
	Legal       *Legal        // tells questions of law from others; nil: every question may be one
	IntentModel *IntentModel  // tells intents where Intents is nil and none are stored; nil: the rules tell those of articles, and nobody those of questions
	LLMDeadline time.Duration // of one stage; 0 = a minute and a half
}

// depth is how many candidates each path brings for a pool: enough that the best
// of the fused list are among them.
const depth = 5

// Search runs one query. Its errors are an *InputError, or come from the stores.
func (e *Engine) Search(ctx context.Context, q Query) (*Result, error) {
	if q.Mode == "" {
		q.Mode = e.Best()
	}
	q, err := q.normalise()
	if err != nil {
		return nil, err
	}
	s := e.search(q)
	if err := s.run(ctx); err != nil {
		return nil, err
	}
	return s.result, nil
}

// Best is the mode of a query that names none: Fast where there is a ranker.
func (e *Engine) Best() Mode {
	if e.Ranker != nil {
		return Fast
	}
	return Hybrid
}

// search begins a search for a query that has its defaults.
func (e *Engine) search(q Query) *search {
	s := &search{
		engine: e, store: e.Store(), q: q, day: q.Scope.AsOf.On(e.now()),
		result: &Result{Mode: q.Mode, Notes: []string{}, Stages: map[string]float64{}},
	}
	s.simplify()
	return s
}

func (e *Engine) now() time.Time {
	if e.Now != nil {
		return e.Now()
	}
	return time.Now()
}

// search is the state of one query on its way through the stages.
type search struct {
	engine   *Engine
	store    index.Store
	q        Query
	day      statute.Date
	words    index.Sparse // the question for the word path
	sparse   index.Sparse // and with what an expansion appends
	dense    []float32    // the question's vector in the dense path
	plain    []float32    // and by the model as it was before tuning
	expanded bool         // sparse is more than words
	asks     prompts.Odds // intents of the question; zeros = not looked at
	mute     bool         // the encoder gave no vector
	result   *Result
}

func (s *search) run(ctx context.Context) error {
	mentions, err := timed(s, "direct", func() ([]book.Mention, error) { return s.mentions(ctx) })
	if err != nil {
		return err
	}
	direct := s.direct(mentions)
	if len(direct) == 0 {
		if direct, err = s.opening(ctx, mentions); err != nil {
			return err
		}
	}
	s.place(mentions)
	if err := s.vectors(ctx); err != nil {
		return err
	}
	if err := s.expand(ctx); err != nil {
		return err
	}
	if err := s.intent(ctx); err != nil {
		return err
	}
	s.remark()
	found, err := s.candidates(ctx)
	if err != nil {
		return err
	}
	if len(direct) == 0 {
		found = s.strange(found)
	}
	hits, err := timed(s, "read", func() ([]Hit, error) { return s.read(ctx, found, s.q.K) })
	if err != nil {
		return err
	}
	if s.result.Mode == BM25 && s.q.Explain && s.engine.Encoder != nil && !s.mute {
		_, err := timed(s, "encode", func() (struct{}, error) { return struct{}{}, s.similarities(ctx, hits) })
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			s.note(noVectors)
		}
	}
	k := s.q.K
	if s.q.Whole {
		if hits, err = s.whole(ctx, hits); err != nil {
			return err
		}
		k = maxWhole
	}
	s.result.Hits = lead(direct, hits, k)
	s.result.Direct = len(direct) > 0
	s.result.Named = min(len(direct), len(s.result.Hits))
	return nil
}

// timed runs a stage and notes how long it took.
func timed[T any](s *search, stage string, fn func() (T, error)) (T, error) {
	start := time.Now()
	v, err := fn()
	s.result.Stages[stage] += float64(time.Since(start).Microseconds()) / 1000
	return v, err
}

// vectors makes the query's vectors, and falls back to BM25 while the documents'
// vectors are not all there: a ranking over half of them would mislead.
func (s *search) vectors(ctx context.Context) error {
	e := s.engine
	s.words = s.store.Query(s.q.Text)
	s.sparse = s.words
	if s.result.Mode == BM25 {
		return nil
	}
	if why := s.unready(); why != "" {
		s.result.Mode = BM25
		s.note(why)
		return nil
	}
	if s.result.Mode == LexPath && (e.Expander == nil && s.q.Expand.asks() || e.Intents == nil && e.IntentModel == nil && s.wantsIntent()) {
		s.result.Mode, s.q.Expand = Fast, NoExpansion
		s.note("未配置语言模型，本次改用不需要语言模型的快速检索。")
	}
	if s.result.Mode == Fast && e.Ranker == nil {
		s.result.Mode = Hybrid
		s.note("当前编码器没有配套的排序模型，本次改用混合检索。")
	}
	role := model.Tuned
	if s.q.without(StructNeg) {
		role = model.Query
	}
	var err error
	if s.dense, err = s.encode(ctx, role); err == nil && (s.result.Mode.ranked() || s.q.Explain || s.words.Len() == 0) {
		s.plain, err = s.encode(ctx, model.Query)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil && e.Legal != nil && role == model.Tuned {
		s.result.Everyday = e.Legal.Score(s.dense) < everydayBelow
	}
	why := s.unready() // an encoder elsewhere is known once it has answered
	if s.mute = err != nil; s.mute {
		why = noVectors
	}
	if why != "" {
		s.result.Mode, s.dense, s.plain = BM25, nil, nil
		s.note(why)
	}
	return nil
}

// noVectors says that the encoder failed: one behind an endpoint may be away.
const noVectors = "语义编码服务没有给出向量，本次仅用关键词检索。"

// encode makes a vector of the question.
func (s *search) encode(ctx context.Context, role model.Role) ([]float32, error) {
	vs, err := timed(s, "encode", func() ([][]float32, error) { return s.engine.Encoder.Encode(ctx, []string{s.q.Text}, role) })
	if err != nil {
		return nil, fmt.Errorf("encode the question: %w", err)
	}
	return vs[0], nil
}

// unready says why the dense path can't be used, or "".
func (s *search) unready() string {
	store, ok := s.store.(Vectors)
	if s.engine.Encoder == nil || !ok {
		return "没有可用的语义向量，本次仅用关键词检索。"
	}
	done, total := store.Vectors()
	if s.q.By == Dual && s.q.Whole && done < total && done >= store.Units() {
		s.q.By = Articles // chunks, whose vectors come last, would only show where the articles are
	}
	if s.q.By == Articles {
		total = store.Units()
	}
	if own := s.engine.Encoder.Digest(); done > 0 && own != "" && store.VectorEncoder() != own {
		if s.engine.Building != nil {
			if made, all := s.engine.Building(); all > 0 {
				return building(made, all)
			}
		}
		return "索引中的语义向量由另一个编码器生成，本次仅用关键词检索；请重新运行 lexagent ingest。"
	}
	if done < total {
		return building(done, total)
	}
	return ""
}

func building(done, total int) string {
	return fmt.Sprintf("语义向量正在建立（%d %%），本次仅用关键词检索。", 100*done/total)
}

// candidates returns the ranked candidates of the query's mode.
func (s *search) candidates(ctx context.Context) ([]candidate, error) {
	found, err := s.pool(ctx)
	if err == nil && len(found) == 0 && s.noPlace() {
		found, err = s.everywhere(ctx)
	}
	if err != nil || !s.result.Mode.ranked() {
		return found, err
	}
	return timed(s, "rerank", func() ([]candidate, error) {
		if s.result.Mode == LexPath {
			return s.weigh(ctx, found)
		}
		return s.rerank(ctx, found)
	})
}

// pool returns the candidates of the query's mode, by the score of the path or by
// the fused one.
func (s *search) pool(ctx context.Context) ([]candidate, error) {
	store, f := s.store, s.filter()
	k := s.q.Pool
	switch s.result.Mode {
	case Hybrid:
		k *= depth
	case Fast, LexPath:
		k = max(k, fastDepth)
	case Dense:
		if s.remembers() {
			k = max(k, fastDepth)
		}
	}
	var sparse, dense []index.Hit
	var err error
	if s.result.Mode != Dense && !s.skips(SparsePath) {
		sparse, err = timed(s, "sparse", func() ([]index.Hit, error) { return store.SearchSparse(ctx, s.sparse, f, k) })
		if err == nil {
			err = s.hint(ctx, f, sparse)
		}
		if err != nil {
			return nil, fmt.Errorf("search by words: %w", err)
		}
	}
	if s.result.Mode != BM25 && !s.skips(DensePath) {
		dense, err = timed(s, "dense", func() ([]index.Hit, error) { return store.SearchDense(ctx, s.dense, f, k) })
		if err != nil {
			return nil, fmt.Errorf("search by vectors: %w", err)
		}
	}
	switch s.result.Mode {
	case BM25:
		return single(sparse, func(sc *Scores, v float64) { sc.Sparse = &v }), nil
	case Dense:
		found := single(dense, func(sc *Scores, v float64) { sc.Dense = &v })
		if s.remembers() {
			found = s.remember(found)
		}
		return found, s.likeness(ctx, found)
	}
	var fresh []index.Hit
	found, err := timed(s, "fuse", func() ([]candidate, error) { return s.fuse(ctx, sparse, dense) })
	if err == nil && s.q.Neighbours.Of > 0 {
		found, err = timed(s, "neighbours", func() (out []candidate, err error) {
			out, fresh, err = s.widen(ctx, found, sparse, dense)
			return out, err
		})
	}
	if err != nil {
		return nil, err
	}
	if s.result.Mode.ranked() {
		markDeep(found, sparse, dense, fresh)
	} else {
		found = found[:min(len(found), s.q.Pool)]
	}
	return found, s.likeness(ctx, found)
}

// likeness gives candidates their similarity by the plain model, where it is
// looked at: by the ranker, and by whoever asks whether a hit bears on the question.
func (s *search) likeness(ctx context.Context, found []candidate) error {
	if s.plain == nil {
		return nil
	}
	ids := make([]string, len(found))
	for i := range found {
		ids[i] = found[i].id
	}
	_, plain, err := s.store.Scores(ctx, ids, index.Sparse{}, s.plain)
	if err != nil {
		return fmt.Errorf("score the candidates: %w", err)
	}
	for i := range found {
		found[i].scores.Plain = &plain[i]
	}
	return nil
}

// candidate is a unit or chunk on its way to becoming a hit.
type candidate struct {
	id      string
	score   float64
	scores  Scores
	words   float64        // BM25 of the question's own words
	intent  prompts.Intent // "" = not looked at
	intents prompts.Odds   // as stored, or by the IntentModel; zeros = not known

	// What a ranker looks at. unit is nil until it has been read; a chunk is read
	// as a unit and has the ids of the units it holds.
	unit  *statute.Unit
	law   *statute.Law
	units []string
	deep  bool // too far down in both paths for the ranker
}

func single(hits []index.Hit, set func(*Scores, float64)) []candidate {
	out := make([]candidate, len(hits))
	for i, h := range hits {
		out[i] = candidate{id: h.ID, score: h.Score}
		set(&out[i].scores, h.Score)
	}
	return out
}

// fuse gives every candidate of either path its exact score in both and ranks by
// the fused score (LexPath § 3.4). Equal scores rank by id.
func (s *search) fuse(ctx context.Context, sparse, dense []index.Hit) ([]candidate, error) {
	ids := make([]string, 0, len(sparse)+len(dense))
	for _, h := range slices.Concat(sparse, dense) {
		ids = append(ids, h.ID)
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	sp, de, err := s.store.Scores(ctx, ids, s.sparse, s.dense)
	if err != nil {
		return nil, fmt.Errorf("score the candidates: %w", err)
	}
	words := sp
	if s.expanded {
		if words, _, err = s.store.Scores(ctx, ids, s.words, nil); err != nil {
			return nil, fmt.Errorf("score the candidates by the question's own words: %w", err)
		}
	}
	fused := s.fusion().Fuse(sp, de)
	out := make([]candidate, len(ids))
	for i, id := range ids {
		out[i] = candidate{id: id, score: fused[i], words: words[i], scores: Scores{Sparse: &sp[i], Dense: &de[i], Fused: &fused[i]}}
	}
	best(out)
	return out, nil
}

// skips reports whether a path is left out. A search that was to run by vectors and
// runs by words keeps the one path that it has.
func (s *search) skips(path Stage) bool {
	return s.result.Mode != BM25 && s.result.Mode != Dense && s.q.without(path)
}

// fusion is the query's, with all weight on the path that is left where one is left out.
func (s *search) fusion() Fusion {
	f, one, none := s.q.Fusion, 1.0, 0.0
	switch {
	case s.q.without(SparsePath):
		f.Alpha = &none
	case s.q.without(DensePath):
		f.Alpha = &one
	}
	return f
}

// best sorts candidates by descending score; equal ones stay as they are.
func best(found []candidate) {
	slices.SortStableFunc(found, func(a, b candidate) int { return cmp.Compare(b.score, a.score) })
}

// read turns the first k candidates into hits with their texts. What left the book
// since the index was made is passed over, and so is what has its seat already.
func (s *search) read(ctx context.Context, found []candidate, k int) ([]Hit, error) {
	hits := make([]Hit, 0, min(k, len(found)))
	for _, c := range found {
		if len(hits) == k {
			break
		}
		h, err := s.readOne(ctx, c)
		if errors.Is(err, book.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if s.q.By != Dual || !seated(hits, &h) {
			hits = append(hits, h)
		}
	}
	return hits, nil
}

func (s *search) readOne(ctx context.Context, c candidate) (Hit, error) {
	if c.unit == nil {
		if err := s.fetch(ctx, &c); err != nil {
			return Hit{}, err
		}
	}
	h := s.hit(c.unit, c.law, c)
	h.Units = c.units
	return h, nil
}

// fetch reads a candidate's unit or chunk, and its law.
func (s *search) fetch(ctx context.Context, c *candidate) (err error) {
	collection, id := book.SplitDocID(c.id)
	if !book.IsChunk(id) {
		c.unit, c.law, err = s.engine.Book.Unit(ctx, []string{collection}, id, s.day)
		return err
	}
	p, l, err := s.engine.Book.Chunk(ctx, collection, id)
	if err != nil {
		return err
	}
	c.unit = &statute.Unit{ID: p.ID, Kind: statute.Chunk, Label: p.Label, Path: p.Path, Text: p.Text}
	c.law, c.units = l, p.Units
	return nil
}

// seated reports whether a hit's text is shown already: a unit by a chunk that
// holds it, a chunk by a unit of its own. A chunk takes over the seat of its unit,
// of which it shows the surroundings, unless it is only a piece of it.
func seated(hits []Hit, h *Hit) bool {
	for i := range hits {
		other, shows := &hits[i], false
		switch {
		case h.Kind != statute.Chunk && slices.Contains(other.Units, h.ID):
			shows = len(other.Units) == 1 // a piece of it: show it whole
		case h.Kind == statute.Chunk && slices.Contains(h.Units, other.ID):
			shows = len(h.Units) > 1
		default:
			continue
		}
		if shows {
			h.Score, h.Scores = other.Score, other.Scores
			*other = *h
		}
		return true
	}
	return false
}

func (s *search) hit(u *statute.Unit, l *statute.Law, c candidate) Hit {
	h := Hit{
		ID: u.ID, SourceID: u.SourceID, Kind: u.Kind, Law: l.Title, Label: u.Label, Text: u.Text, Score: c.score,
		LawID: l.ID, Path: u.Path, Status: l.StatusOn(s.day), Level: l.Level,
	}
	if len(u.Also) > 0 {
		h.Also = append([]string{u.SourceID}, u.Also...)
	}
	if s.q.Explain {
		c.scores.Final = c.score
		h.Scores, h.Intent = &c.scores, c.intent
	}
	return h
}

// similarities gives the hits of a search by words their similarity by the plain
// model, when they are to be explained: without it nobody can tell a hit by
// accident. Passages are encoded on the spot, since there may be no vectors yet.
func (s *search) similarities(ctx context.Context, hits []Hit) error {
	hits = hits[:min(len(hits), DefaultPool)]
	if len(hits) == 0 {
		return nil
	}
	passages := make([]string, len(hits))
	for i := range hits {
		passages[i] = passage(hits[i].Kind, hits[i].Law, hits[i].Label, hits[i].Text)
	}
	query, err := s.engine.Encoder.Encode(ctx, []string{s.q.Text}, model.Query)
	if err != nil {
		return fmt.Errorf("encode the question: %w", err)
	}
	vectors, err := s.engine.Encoder.Encode(ctx, passages, model.Passage)
	if err != nil {
		return fmt.Errorf("encode the hits: %w", err)
	}
	for i, v := range vectors {
		sim := dot(v, query[0])
		hits[i].Scores.Plain = &sim
	}
	return nil
}

// passage is a unit or chunk as models are shown it.
func passage(kind statute.Kind, law, label, text string) string {
	if kind == statute.Chunk {
		label = ""
	}
	return index.Passage(law, label, text)
}

func (s *search) filter() index.Filter {
	sc := s.q.Scope
	f := index.Filter{Collections: sc.Collections, Levels: sc.Levels, Laws: sc.Laws}
	switch s.q.By {
	case Articles:
		f.Kinds = statute.UnitKinds
	case Chunks:
		f.Kinds = []statute.Kind{statute.Chunk}
	}
	if s.result.Regions != nil {
		f.Regions = append([]string{""}, s.result.Regions...)
	}
	if !sc.AsOf.Any {
		f.AsOf = s.day
	}
	return f
}

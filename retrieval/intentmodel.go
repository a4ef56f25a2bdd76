package retrieval

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lexagent/index"
	"lexagent/prompts"
)

// IntentsFile holds an IntentModel in the folder of the encoder.
const IntentsFile = "intents.json"

// IntentModel tells what questions and articles are for without a language model: a
// logistic regression over the label of the rules, words that tell, and, of articles,
// their vector. It was trained on labels by hand (training/intents).
type IntentModel struct {
	Article  IntentWeights `json:"article"`
	Question IntentWeights `json:"question"`

	digest string // of the file
}

// IntentWeights are those of one side: a bias a class, and a weight a class and
// column of its IntentRow.
type IntentWeights struct {
	Bias    []float64   `json:"bias"`
	Weights [][]float64 `json:"weights"`
}

// vectorScale brings the numbers of a unit vector nearer to the size of the other columns.
const vectorScale = 3

// OpenIntents reads the IntentModel in dir. A folder without one gives an error that
// is fs.ErrNotExist. dim is the length of the encoder's vectors.
func OpenIntents(dir string, dim int) (*IntentModel, error) {
	path := filepath.Join(dir, IntentsFile)
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the model of intents: %w", err)
	}
	var m IntentModel
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, unusable("model of intents", path, err)
	}
	columns := len(prompts.Intents) + len(intentWords)
	if !m.Article.fits(columns+dim) || !m.Question.fits(columns) {
		return nil, unusable("model of intents", path, errors.New("it has other columns than this program computes"))
	}
	m.digest = fmt.Sprintf("%x", sha256.Sum256(raw))[:12]
	return &m, nil
}

func (w *IntentWeights) fits(columns int) bool {
	return len(w.Bias) == len(prompts.Intents) && len(w.Weights) == len(prompts.Intents) &&
		!slices.ContainsFunc(w.Weights, func(row []float64) bool { return len(row) != columns })
}

// ArticleIntentRow are the columns of an article: what the rules say, the words that
// it has, its vector.
func ArticleIntentRow(text string, vector []float32) []float64 {
	row := intentRow(text, ArticleIntent(text))
	for _, x := range vector {
		row = append(row, vectorScale*float64(x))
	}
	return row
}

// QuestionIntentRow are the columns of a question: what the rules say and its words.
func QuestionIntentRow(text string) []float64 { return intentRow(text, QuestionIntent(text)) }

func intentRow(text string, rule prompts.Intent) []float64 {
	p := prompts.Certain(rule)
	row := p[:]
	for _, w := range intentWords {
		row = append(row, flag(strings.Contains(text, w)))
	}
	return row
}

// of returns the distribution for the leading columns of a row; more is what its other
// columns add by class.
func (w *IntentWeights) of(row []float64, more prompts.Odds) prompts.Odds {
	var p prompts.Odds
	most := math.Inf(-1)
	for c := range p {
		p[c] = w.Bias[c] + more[c]
		for i, x := range row {
			p[c] += w.Weights[c][i] * x
		}
		most = max(most, p[c])
	}
	sum := 0.0
	for c := range p {
		p[c] = math.Exp(p[c] - most)
		sum += p[c]
	}
	for c := range p {
		p[c] /= sum
	}
	return p
}

// question is the distribution of a question.
func (m *IntentModel) question(text string) prompts.Odds {
	return m.Question.of(QuestionIntentRow(text), prompts.Odds{})
}

// articleIntents gives the candidates, which have been read, their distribution: what
// an ingest stored, else what the IntentModel tells now, as of chunks and of units whose
// vectors came after the ingest.
func (s *search) articleIntents(ctx context.Context, found []candidate) error {
	var left []*candidate
	for i := range found {
		c := &found[i]
		var err error
		if c.intents, err = s.engine.Book.Intents(ctx, c.law.Collection, c.law.ID, c.unit.ID); err != nil {
			return err
		}
		if c.intents == (prompts.Odds{}) {
			left = append(left, c)
		}
	}
	return s.tellIntents(ctx, left)
}

// tellIntents has the IntentModel tell what candidates are for. The part of their
// vectors is an inner product, which the store computes.
func (s *search) tellIntents(ctx context.Context, found []*candidate) error {
	m := s.engine.IntentModel
	if m == nil || len(found) == 0 {
		return nil
	}
	ids := make([]string, len(found))
	for i, c := range found {
		ids[i] = c.id
	}
	columns := len(prompts.Intents) + len(intentWords)
	more := make([]prompts.Odds, len(found))
	for class := range prompts.Intents {
		weights := make([]float32, len(s.dense))
		for i, w := range m.Article.Weights[class][columns:] {
			weights[i] = float32(vectorScale * w)
		}
		_, parts, err := s.store.Scores(ctx, ids, index.Sparse{}, weights)
		if err != nil {
			return fmt.Errorf("tell the intents of the candidates: %w", err)
		}
		for i := range found {
			more[i][class] = parts[i]
		}
	}
	for i, c := range found {
		c.intents = m.Article.of(intentRow(c.unit.Text, ArticleIntent(c.unit.Text)), more[i])
	}
	return nil
}

// intentWords are words that tell what a question or an article is for.
var intentWords = []string{
	"什么是", "是什么", "是指", "所称", "什么叫", "定义", "含义", "下列用语", "区别", "哪些", "包括", "属于", "认定为", "视为",
	"有期徒刑", "拘役", "罚金", "罚款", "处罚", "责令", "没收", "吊销", "处分", "拘留", "警告", "赔偿", "补偿", "责任", "后果", "承担", "无效", "返还", "追究", "构成犯罪", "违反", "判", "坐牢", "刑", "罚", "赔", "犯罪", "负责",
	"申请", "受理", "提交", "办理", "登记", "日内", "送达", "起诉", "上诉", "时效", "举证", "证据", "听证", "复议", "仲裁", "管辖", "期限", "期间", "程序", "流程", "立案", "审理", "审查", "裁定", "决定", "调解", "报送", "备案", "批准", "公告", "资格", "处理",
	"适用", "应当", "可以", "不得", "禁止", "有权", "必须", "下列情形", "下列条件", "除外", "准予", "权利", "义务", "享有", "请求", "要求", "约定", "书面", "不予支持", "应予支持", "条件", "效力", "有效",
	"国家", "鼓励", "支持", "保障", "制度", "规划", "主管部门", "部门负责", "人民政府", "人民法院", "公民", "制定本", "起施行", "设立",
	"吗", "是否", "能否", "如何", "怎么", "怎么办", "多久", "多少", "谁", "构成", "认定", "标准",
}

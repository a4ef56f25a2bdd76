package retrieval

import (
	"slices"
	"strings"
	"unicode/utf8"

	"lexagent/prompts"
)

// ArticleIntent tells what an article is for by its words, without a language model:
// LexPath's taxonomy (§ 3.5), by the words with which Chinese statutes do each thing.
// Sanctions go before procedure, since an article that sets a fine often names the
// time limit that was missed; duties and permissions come last, since nearly every
// article has one.
func ArticleIntent(text string) prompts.Intent {
	first, _, _ := strings.Cut(text, "。")
	switch short := utf8.RuneCountInString(text) < maxFormalRunes; {
	case short && (has(text, purposeWords) || has(text, commenceWords)):
		return prompts.Others
	case has(first, definitionWords):
		return prompts.Definition
	case has(text, consequenceWords):
		return prompts.Consequence
	case has(text, procedureWords):
		return prompts.Procedure
	case has(text, definitionWords):
		return prompts.Definition
	case has(text, applicabilityWords):
		return prompts.Applicability
	}
	return prompts.Others
}

// QuestionIntent tells what a question is after by its words: definitions and
// procedure have words of their own; of the rest, who asks for liability asks for a
// consequence, and everybody else whether something applies.
func QuestionIntent(text string) prompts.Intent {
	switch {
	case has(text, []string{"什么是", "是什么", "是指", "什么叫", "定义", "含义", "区别", "哪些是"}):
		return prompts.Definition
	case has(text, []string{"起诉", "申请", "程序", "流程", "管辖", "仲裁", "时效", "举证", "诉讼", "办理", "投诉", "举报"}):
		return prompts.Procedure
	case has(text, []string{"处罚", "判", "坐牢", "刑", "罚", "赔", "责任", "后果", "犯罪", "负责", "追究", "处分"}):
		return prompts.Consequence
	}
	return prompts.Applicability
}

// maxFormalRunes is how long an article of purpose or commencement is at most.
const maxFormalRunes = 160

var (
	purposeWords     = []string{"制定本", "特制定"}
	commenceWords    = []string{"起施行", "起实施", "同时废止", "负责解释", "由国务院另行规定"}
	definitionWords  = []string{"是指", "所称", "系指", "下列用语", "用语的含义", "下列术语", "视为"}
	consequenceWords = []string{
		"有期徒刑", "拘役", "罚金", "死刑", "罚款", "处罚", "责令", "没收", "吊销", "处分", "拘留", "给予警告", "赔偿", "补偿", "违约责任", "侵权责任", "法律责任",
		"刑事责任", "民事责任", "连带责任", "承担责任", "无效", "二倍的工资",
	}
	procedureWords = []string{
		"申请", "受理", "提交", "办理", "登记", "日内", "送达", "起诉", "上诉", "诉讼时效", "举证", "听证", "复议", "仲裁", "管辖", "期限", "期间", "程序", "立案", "审理", "报送", "备案",
	}
	applicabilityWords = []string{"适用", "应当", "可以", "不得", "禁止", "有权", "必须", "下列情形", "除外", "准予"}
)

func has(text string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
}

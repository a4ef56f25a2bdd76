package graph

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// fewContent is how many characters of content say nothing by themselves.
const fewContent = 4

// kindsOfMore are what there may be more of.
const kindsOfMore = `(?:情况|情形|规定|条文|法条|条款|条件|方式|途径)?`

// What a question begins with before it asks.
var (
	greeting = regexp.MustCompile(`^(?:(?:你好|您好|律师(?:你好|您好|请问|[，,。！!：:、\s])|请问一下|请问|想问一下|问一下|麻烦问下|多谢|谢谢(?:你|您|了)?|好的|明白了|知道了|嗯|哦)[，,。！!、\s]*)+`)
	newTopic = regexp.MustCompile(`^(?:换一?个(?:话题|问题)|(?:另外)?(?:再|还想|我想|想)?问(?:另外?)?(?:一个|个)?(?:别的|其他的?|另外的?|新的?)?(?:问题|事情|事)|另外?(?:一个|个)(?:问题|事)|另外(?:再|想)?问一?下|顺便问一?下?|不说这个了?|下一个问题|新问题)[，,。：:！!？?吧\s]*`)
	wantMore = regexp.MustCompile(`^那?(?:还有(?:没有)?(?:别的|其他的?|其它的?)?(?:哪些|什么|啥)?(?:别的|其他的?|其它的?)?` + kindsOfMore + `|(?:有没有|有)?(?:别的|其他的?|其它的?)` + kindsOfMore + `|除此之外(?:呢|还有(?:什么|哪些|别的)?)?|除了这些(?:呢|还有(?:什么|哪些|别的)?)?|没有(?:别的|其他)了吗?|就这些吗?|继续|接着说|再?(?:详细|具体)(?:说说|讲讲|说|讲|一点|点)*|展开(?:说说|讲讲|说|讲)*)[吗呢么啊呀？?。！!\s]*$`)
)

// What a question points to: a thing that was said, a person, what its words go on with.
var (
	thing     = regexp.MustCompile(`(?:这|那)(?:个|种|样|些|家|里|条|笔|件|份|次|时候|时)|上述|前述|刚才|你(?:刚)?说的`)
	atThing   = regexp.MustCompile(`^(?:那|这|该|此|上述|前述|上面|前面|刚才|刚刚|以上|可是|但是|所以|还有)`)
	person    = regexp.MustCompile(`(?:他|她|它)(?:们|的|能|要|会|可|应|不|有|是|受|需|强)`)
	atPerson  = regexp.MustCompile(`^(?:他|她|它|对方)`)
	others    = regexp.MustCompile(`他人|其他|其它`)
	elliptic  = regexp.MustCompile(`呢[？?。！!\s]*$`) // 女方不同意呢？
	asks      = regexp.MustCompile(`怎么|怎样|如何|什么|多少|多久|多长|几[天年个月次]|哪|吗|是否|能不能|可不可以|是不是|有没有|会不会|谁|为啥|咋|何时`)
	condition = regexp.MustCompile(`^(?:如果|要是|假如|万一|为什么|为啥|具体|并且|而且|需要|要|能|可以|是否|应该)|的话`)
	defines   = regexp.MustCompile(`^(?:什么(?:是|叫做?)|何[为谓])|是什么意思`)
	crime     = regexp.MustCompile(`[\p{Han}]罪`)
)

// empty finds what is said of no matter of its own.
var empty = regexp.MustCompile(`是不是|能不能|会不会|有没有|可不可以|要不要|是否|可以|可能|应该|应当|需要|如果|要是|假如|怎么样|怎么办|怎么|怎样|如何|什么|哪里|哪些|哪个|哪儿|多少|多久|多长时间|几天|为什么|这个|那个|这些|那些|这样|那样|这种|那种|这里|这时候|他们|她们|我们|你们|对方|双方|情况|问题|处理|一下|的话|[的了吗呢么啊呀吧是要能会有我你他她它这那该和与在被把就还也都不没去来到给对从向请说想得着过用做办算里面时候，,。！!？?；;：:、“”"'（）()\s]`)

func withoutGreeting(q string) string {
	return strings.TrimSpace(greeting.ReplaceAllString(strings.TrimSpace(q), ""))
}

// content counts the characters of a question that are not said of any matter.
func content(q string) int { return utf8.RuneCountInString(empty.ReplaceAllString(q, "")) }

// silent reports whether a question that opens a conversation says nothing to look for:
// it has no word of its own, or few and points to a thing that nobody named. Who 他 is
// need not be known to answer.
func silent(q string) bool {
	n := content(q)
	return n == 0 || n < fewContent && (atThing.MatchString(q) || thing.MatchString(q))
}

// dependent reports whether a question says too little alone: it points to what was
// said, or has hardly a word of its own. A pronoun in a question of many words has what it
// stands for there.
func dependent(q string) bool {
	n := content(q)
	if defines.MatchString(q) && n > 1 {
		return false
	}
	rest := others.ReplaceAllString(q, "")
	switch {
	case atThing.MatchString(q):
		return true
	case thing.MatchString(q), atPerson.MatchString(rest), person.MatchString(rest), condition.MatchString(q) && !crime.MatchString(q):
		return n < 2*fewContent
	case elliptic.MatchString(q) && !asks.MatchString(q):
		return true
	case crime.MatchString(q):
		return false
	}
	return n <= fewContent
}

// articleNumber is a character of the number of an article.
const articleNumber = `[〇零一二三四五六七八九十百千\d]`

// Laws and articles that a question names, or means.
var (
	named    = regexp.MustCompile(`(?:《[^》]+》|[\p{Han}]{2,}(?:法|法典|条例|办法|规定|规则|细则|解释|决定|修正案)(?:[（(][^（）()]{1,10}[）)])?)[\s，,]*(?:的|里面?|当?中)?(?:第` + articleNumber + `+|` + articleNumber + `{2,})条`)
	numbered = regexp.MustCompile(`第` + articleNumber + `+条`)
	thatLaw  = regexp.MustCompile(`(^|[^\p{Han}]|那么?|根据|按照|依照)(?:(?:这|那|该|本|此)一?|同一)[个部项]?(?:法律?|条例|办法|规定|解释)的?(?:里面?|当?中)?的?(第` + articleNumber + `+条)`)
	titles   = regexp.MustCompile(`《[^》]{2,60}》`)
	citedLaw = regexp.MustCompile(`(《[^》]{2,60}》)第` + articleNumber + `+条`)
)

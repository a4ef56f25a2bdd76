package verify

import (
	"slices"
	"strings"
)

// parties are whom rules address, those that hold another one's name first.
var parties = []string{
	"被保险人", "被申请人", "被监护人", "被代理人", "被侵权人", "被继承人", "被执行人", "被上诉人", "被告人", "被害人", "犯罪嫌疑人", "被告",
	"用人单位", "用工单位", "劳务派遣单位", "劳动者", "经营者", "消费者", "生产者", "销售者", "运输者", "出租人", "承租人", "债务人", "债权人", "保证人", "抵押人", "抵押权人", "质权人", "出质人",
	"买受人", "出卖人", "赠与人", "受赠人", "借款人", "贷款人", "委托人", "受托人", "代理人", "监护人", "投保人", "保险人", "受益人", "承运人", "托运人", "收货人", "旅客",
	"发包人", "承包人", "定作人", "承揽人", "保管人", "寄存人", "业主", "物业服务人", "侵权人", "继承人", "遗嘱人", "扶养人", "收养人", "送养人", "申请人", "执行人", "上诉人", "原告",
	"人民法院", "人民检察院", "公安机关", "仲裁委员会", "用户", "平台内经营者", "电子商务平台经营者", "许可人", "被许可人", "著作权人", "专利权人", "商标注册人",
}

// nearVerbatim is the share of pairs, of a statement and of a line, that both must have
// for their parties to be compared one by one.
const nearVerbatim = .75

// otherParty finds a statement that repeats a line almost word for word and says of one
// party what the line says of another.
func (c *statement) otherParty(lines []evidenceLine) (Finding, bool) {
	said := partiesIn(c.plain)
	if len(said) == 0 {
		return Finding{}, false
	}
	at, best := -1, 0.0
	for i := range lines {
		n := float64(c.shared(lines[i]))
		if near := min(n/float64(len(c.pairs)), n/float64(len(lines[i].pairs))); near >= nearVerbatim && near > best {
			at, best = i, near
		}
	}
	if at < 0 {
		return Finding{}, false
	}
	have := partiesIn(lines[at].text)
	if len(have) != len(said) {
		return Finding{}, false
	}
	for k := range said {
		if said[k] != have[k] {
			return Finding{
				Kind: Sentence, Text: c.text, Start: c.start, End: c.end, Verdict: OtherParty, Severity: Unsupported, ID: lines[at].id,
				Note: "条文这里说的是“" + have[k] + "”，不是“" + said[k] + "”",
			}, true
		}
	}
	return Finding{}, false
}

// partiesIn lists the parties that a text names, in order.
func partiesIn(s string) []string {
	type at struct {
		place int
		name  string
	}
	var found []at
	taken := make([]bool, len(s))
	for _, p := range parties {
		for from := 0; ; {
			i := strings.Index(s[from:], p)
			if i < 0 {
				break
			}
			i += from
			if from = i + len(p); !taken[i] {
				found = append(found, at{i, p})
				for k := i; k < from; k++ {
					taken[k] = true
				}
			}
		}
	}
	slices.SortFunc(found, func(a, b at) int { return a.place - b.place })
	var out []string
	for _, f := range found {
		out = append(out, f.name)
	}
	return out
}

package statute

import (
	"regexp"
	"strings"
)

// shortName finds 《full》（以下简称“short”）. The full title is what stands in the
// brackets that close right before the definition.
var shortName = regexp.MustCompile(`》\s*[（(](?:以下|下文)?(?:统一)?(?:简称|称)(?:为)?[:：]?\s*([^（）()，。；\n]{2,60}?)[）)]`)

// ShortNames returns the names that a text defines for laws it cites by their full
// titles: 《中华人民共和国刑法》（以下简称刑法） gives 刑法 → 中华人民共和国刑法. A law's
// definitions stand in its first article or its preamble and hold for the whole.
func ShortNames(text string) map[string]string {
	names := map[string]string{}
	for _, m := range shortName.FindAllStringSubmatchIndex(text, -1) {
		full := lastTitle(text[:m[0]+len("》")])
		short := strings.Trim(text[m[2]:m[3]], "《》〈〉“”\"'‘’ 　")
		if !endsLikeLaw(ShortTitle(full)) || short == "" || strings.HasPrefix(short, "本") || full == short {
			continue
		}
		names[short] = full
	}
	return names
}

// lastTitle returns the title in the brackets that close at the end of text.
func lastTitle(text string) string {
	depth := 0
	end := len(text) - len("》")
	for i := end; i >= 0 && end-i < 3*maxTitleRunes; i-- {
		switch {
		case strings.HasPrefix(text[i:], "》"):
			depth++
		case strings.HasPrefix(text[i:], "《"):
			if depth--; depth == 0 {
				return text[i+len("《") : end]
			}
		}
	}
	return ""
}

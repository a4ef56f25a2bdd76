package graph

import (
	"regexp"
	"strings"
)

// How a correction is said: 不对…, 不是三年，是一年; 是一年，不是三年; 我说的是劳务合同.
var (
	corrects = regexp.MustCompile(`^(?:不对|错了|不是[的，,。！!\s]|不是.{1,20}?(?:[，,、\s]+而?|而)?是[^否不]|我?说错了?|更正|纠正|应该是|我(?:说|问|指)的是|我的意思是|我是说|其实(?:是|我)|准确地?说)`)
	instead  = regexp.MustCompile(`不是(.{1,20}?)(?:[，,、\s]+而?|而)?是([^否不].{0,29}?)[。！!？?\s]*$`)
	rather   = regexp.MustCompile(`是([^是]{1,20}?)[，,、\s]*而?不是(.{1,30}?)[。！!？?\s]*$`)
	meant    = regexp.MustCompile(`(?:(?:说|问|指)的是|我是说|应该是|意思是|其实是)[，,：:\s]*([\p{Han}\d]{2,12})[。！!\s]*$`)
)

// isCorrection tells 不是三年，是一年 from the question 不是本地户口可以上学吗.
func isCorrection(q string) bool {
	return corrects.MatchString(q) && !(strings.HasPrefix(q, "不是") && asks.MatchString(q))
}

// corrected puts a correction in the place of what it corrects, where the words are
// there, and behind it otherwise.
func corrected(base, correction string) string {
	var was, is string
	if m := instead.FindStringSubmatch(correction); m != nil {
		was, is = m[1], m[2]
	} else if m := rather.FindStringSubmatch(correction); m != nil {
		was, is = m[2], m[1]
	} else if m := meant.FindStringSubmatch(correction); m != nil {
		was, is = like(base, m[1]), m[1]
	}
	switch {
	case is == "":
		return base + "\n" + correction
	case was != "" && strings.Contains(base, was):
		return strings.ReplaceAll(base, was, is)
	}
	return base + "\n" + is
}

// like is a term of a text that another one was confused with: of its length, with the
// same two characters at its end (劳动合同, 劳务合同); "" where there is none.
func like(text, term string) string {
	t := []rune(term)
	r := []rune(text)
	for i := 0; len(t) > 2 && i+len(t) <= len(r); i++ {
		if w := r[i : i+len(t)]; string(w[len(w)-2:]) == string(t[len(t)-2:]) && w[0] == t[0] && string(w) != term {
			return string(w)
		}
	}
	return ""
}

package model

import "unicode"

// Tokens estimates how many tokens a text is: for the models at hand a Chinese
// character is about 0.7 of one, of other text some 3.5 characters are one. It is for
// telling costs beforehand, within a third or so.
func Tokens(text string) int {
	tokens := 0.0
	for _, r := range text {
		if unicode.Is(unicode.Han, r) || r >= 0x3000 && r < 0x3040 || r >= 0xff00 {
			tokens += 0.7
		} else {
			tokens += 1 / 3.5
		}
	}
	return int(tokens + 0.5)
}

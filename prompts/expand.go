package prompts

// The prompts that LexPath compares IRAC-Exp with (§ 4.4): query rewriting (Ma et
// al., 2023), Query2doc (Wang et al., 2023) and HyDE (Gao et al., 2023).
var (
	qr        = newStage("qr.v1", 300).replies(oneText)
	query2doc = newStage("query2doc.v1", 500).replies(oneText)
	hyde      = newStage("hyde.v1", 500).replies(oneText)
)

var oneText = shape(words("text"))

// Bounds of the texts, in characters: about three times of what is asked for.
const (
	maxRewriteRunes = 300
	maxPassageRunes = 500
)

// QR renders the prompt that asks for a question in the words of the law.
func QR(text string) (Prompt, error) { return qr.render(question(text)) }

// Query2Doc renders the prompt that asks for a passage that answers a question.
func Query2Doc(text string) (Prompt, error) { return query2doc.render(question(text)) }

// HyDE renders the prompt that asks for an imagined article that governs a question.
func HyDE(text string) (Prompt, error) { return hyde.render(question(text)) }

// ParseRewrite reads the reply to QR.
func ParseRewrite(reply string) (string, error) { return text(reply, maxRewriteRunes) }

// ParsePassage reads the reply to Query2Doc or HyDE.
func ParsePassage(reply string) (string, error) { return text(reply, maxPassageRunes) }

func text(reply string, maxRunes int) (string, error) {
	var v struct {
		Text string `json:"text"`
	}
	if err := object(reply, &v); err != nil {
		return "", err
	}
	return chinese(" text", v.Text, maxRunes)
}

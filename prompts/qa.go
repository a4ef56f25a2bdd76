package prompts

// The prompts of experiments: one shared by all systems whose answers are compared
// (LexPath, App. D), and the rewriting of a question in a dialogue (LexRAG).
var (
	qa         = newStage("qa.v1", 0)
	standalone = newStage("standalone.v1", 300).replies(oneText)
)

// Bounds of what the prompts show, in characters, for models with small windows.
const (
	maxQAArticleRunes = 900
	maxQATurnRunes    = 300
	maxQATurns        = 10
)

// QAInput is a question to be answered, with whatever was found for it.
type QAInput struct {
	Question  string
	Statement bool           // it says something that is true or false
	Articles  []DraftArticle // best first; none = the model answers from memory
	History   []DraftTurn    // earlier turns of the dialogue
	MaxChars  int            // how long the answer may be, in characters
}

// QA renders the prompt that asks for an answer.
func QA(in QAInput) (Prompt, error) {
	safe := shown(in.Question, in.Articles)
	safe.Statement, safe.History, safe.MaxChars = in.Statement, turns(in.History), in.MaxChars
	return qa.render(safe)
}

// Standalone renders the prompt that asks for a question that can be understood
// without the dialogue before it; ParseRewrite reads the reply.
func Standalone(text string, history []DraftTurn) (Prompt, error) {
	return standalone.render(QAInput{Question: question(text), History: turns(history)})
}

// turns are the last turns of a dialogue as a prompt shows them.
func turns(history []DraftTurn) []DraftTurn {
	history = history[max(0, len(history)-maxQATurns):]
	out := make([]DraftTurn, len(history))
	for i, t := range history {
		out[i] = DraftTurn{Speaker: t.Speaker, Text: inert(cut(t.Text, maxQATurnRunes))}
	}
	return out
}

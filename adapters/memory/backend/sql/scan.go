package sql

import "regexp"

var (
	// tokenPattern matches a text, a name with or without quotes, a number or a sign.
	tokenPattern = regexp.MustCompile("^(?:'(?:[^']|'')*'|\"[^\"]*\"|`[^`]*`|\\[[^\\]]*\\]|[A-Za-z_][A-Za-z0-9_]*|[0-9]+(?:\\.[0-9]+)?|<=|>=|<>|!=|==|\\|\\||[-+*/%(),.;=<>])")
	// blankPattern matches space and comments.
	blankPattern = regexp.MustCompile(`^(?:\s+|--[^\n]*(?:\n|$)|/\*(?s:.*?)\*/)+`)
)

// scan divides a query into its tokens.
func scan(text string) ([]string, error) {
	var tokens []string
	for {
		text = text[len(blankPattern.FindString(text)):]
		if text == "" {
			return tokens, nil
		}
		token := tokenPattern.FindString(text)
		if token == "" {
			return nil, errorf("the query has an error at %.20q", text)
		}
		tokens = append(tokens, token)
		text = text[len(token):]
	}
}

package models

import "strings"

// modelFacts has the facts about a model from its vendor's documentation.
type modelFacts struct {
	// window is the number of tokens that a prompt and its answer share, answer the
	// most that an answer has; 0 is unknown, or unbounded.
	window, answer int
	price          Price
}

// factsTable has facts by the beginning of a model's name, with or without the part
// before its last slash; the longest match counts.
type factsTable map[string]modelFacts

// catalogue has the common models, as their vendors document them. If a price depends
// on the length of the prompt or the time of day, it is that of a long chat, so that a
// limit still protects.
var catalogue = factsTable{
	"claude":            {200_000, 0, unknownPrice},
	"claude-opus":       {200_000, 32_000, Price{15, 75}},
	"claude-opus-4-5":   {200_000, 64_000, Price{5, 25}},
	"claude-opus-4-6":   {1_000_000, 128_000, Price{5, 25}},
	"claude-opus-4-7":   {1_000_000, 128_000, Price{5, 25}},
	"claude-opus-4-8":   {1_000_000, 128_000, Price{5, 25}},
	"claude-opus-5":     {1_000_000, 128_000, Price{5, 25}},
	"claude-sonnet":     {200_000, 64_000, Price{3, 15}},
	"claude-sonnet-4-6": {1_000_000, 64_000, Price{3, 15}},
	"claude-sonnet-5":   {1_000_000, 128_000, Price{3, 15}},
	"claude-haiku":      {200_000, 64_000, Price{1, 5}},
	"claude-3-opus":     {200_000, 4_096, Price{15, 75}},
	"claude-3-sonnet":   {200_000, 4_096, Price{3, 15}},
	"claude-3-haiku":    {200_000, 4_096, Price{0.25, 1.25}},
	"claude-3-5-sonnet": {200_000, 8_192, Price{3, 15}},
	"claude-3-5-haiku":  {200_000, 8_192, Price{0.8, 4}},
	"claude-3-7-sonnet": {200_000, 64_000, Price{3, 15}},

	"gpt-3.5":      {16_385, 4_096, Price{0.5, 1.5}},
	"gpt-4":        {8_192, 0, Price{30, 60}},
	"gpt-4-turbo":  {128_000, 4_096, Price{10, 30}},
	"gpt-4-1106":   {128_000, 4_096, Price{10, 30}},
	"gpt-4-0125":   {128_000, 4_096, Price{10, 30}},
	"gpt-4o":       {128_000, 16_384, Price{2.5, 10}},
	"gpt-4o-mini":  {128_000, 16_384, Price{0.15, 0.6}},
	"gpt-4.1":      {1_047_576, 32_768, Price{2, 8}},
	"gpt-4.1-mini": {1_047_576, 32_768, Price{0.4, 1.6}},
	"gpt-4.1-nano": {1_047_576, 32_768, Price{0.1, 0.4}},
	"gpt-5":        {272_000, 128_000, Price{1.25, 10}},
	"gpt-5-mini":   {272_000, 128_000, Price{0.25, 2}},
	"gpt-5-nano":   {272_000, 128_000, Price{0.05, 0.4}},
	"gpt-5-pro":    {272_000, 128_000, Price{15, 120}},
	"gpt-5-chat":   {128_000, 16_384, Price{1.25, 10}},
	"gpt-5.2":      {272_000, 128_000, Price{1.75, 14}},
	"gpt-5.2-pro":  {272_000, 128_000, Price{21, 168}},
	"gpt-5.3":      {272_000, 128_000, Price{1.75, 14}},
	"gpt-5.4":      {272_000, 128_000, Price{2.5, 15}},
	"gpt-5.4-pro":  {272_000, 128_000, Price{30, 180}},
	"gpt-5.6":      {272_000, 128_000, Price{2, 10}},
	"gpt-oss":      {131_072, 65_536, Price{0.15, 0.6}},
	"o1":           {200_000, 100_000, Price{15, 60}},
	"o1-mini":      {128_000, 65_536, Price{1.1, 4.4}},
	"o3":           {200_000, 100_000, Price{2, 8}},
	"o3-mini":      {200_000, 100_000, Price{1.1, 4.4}},
	"o3-pro":       {200_000, 100_000, Price{20, 80}},
	"o4":           {200_000, 100_000, Price{1.1, 4.4}},

	"deepseek-chat":     {131_072, 8_192, Price{0.28, 0.42}},
	"deepseek-reasoner": {131_072, 65_536, Price{0.28, 0.42}},
	"deepseek-v3":       {131_072, 8_192, Price{0.6, 1.7}},
	"deepseek-r1":       {131_072, 32_768, Price{0.6, 2.4}},
	"deepseek-v4-flash": {1_000_000, 0, Price{0.44, 1.32}},
	"deepseek-v4-pro":   {1_000_000, 0, Price{1.32, 3.96}},

	"gemini-1.5-pro":        {1_048_576, 8_192, Price{2.5, 10}},
	"gemini-1.5-flash":      {1_048_576, 8_192, Price{0.15, 0.6}},
	"gemini-2.0-flash":      {1_048_576, 8_192, Price{0.1, 0.4}},
	"gemini-2.5-pro":        {1_048_576, 65_536, Price{2.5, 15}},
	"gemini-2.5-flash":      {1_048_576, 65_536, Price{0.3, 2.5}},
	"gemini-2.5-flash-lite": {1_048_576, 65_536, Price{0.1, 0.4}},
	"gemini-3-pro":          {1_000_000, 64_000, Price{4, 18}},
	"gemini-3-flash":        {1_048_576, 65_536, Price{0.5, 3}},
	"gemini-3.1-pro":        {1_000_000, 64_000, Price{4, 18}},
	"gemini-3.5-flash":      {1_048_576, 65_536, Price{1.5, 9}},

	"qwen-max":          {32_768, 8_192, Price{1.6, 6.4}},
	"qwen-plus":         {131_072, 16_384, Price{0.4, 4}},
	"qwen-turbo":        {131_072, 8_192, Price{0.05, 0.5}},
	"qwen-flash":        {1_000_000, 32_768, Price{0.25, 2}},
	"qwen2.5":           {131_072, 8_192, Price{1.2, 1.2}},
	"qwen3":             {131_072, 8_192, Price{0.7, 2.8}},
	"qwen3-max":         {262_144, 32_768, Price{3, 15}},
	"qwen3-coder":       {262_144, 65_536, Price{1.8, 9}},
	"qwen3-coder-flash": {1_000_000, 65_536, Price{0.8, 4}},
	"qwen3-coder-plus":  {1_000_000, 65_536, Price{3, 15}},

	"kimi-k2":          {131_072, 0, Price{1, 3}},
	"kimi-k2-0905":     {262_144, 0, Price{0.6, 2.5}},
	"kimi-k2-thinking": {262_144, 0, Price{1.15, 8}},
	"kimi-k2-turbo":    {262_144, 0, Price{2.4, 10}},
	"kimi-k2.5":        {262_144, 0, Price{0.6, 3}},
	"kimi-k2.6":        {262_144, 0, Price{0.95, 4}},
	"kimi-k3":          {1_048_576, 0, Price{3, 15}},
	"moonshot-v1-8k":   {8_192, 0, Price{0.2, 2}},
	"moonshot-v1-32k":  {32_768, 0, Price{1, 3}},
	"moonshot-v1-128k": {131_072, 0, Price{2, 5}},

	"glm-4.5":     {131_072, 98_304, Price{0.6, 2.2}},
	"glm-4.5-air": {131_072, 98_304, Price{0.2, 1.1}},
	"glm-4.6":     {204_800, 131_072, Price{0.6, 2.2}},
	"glm-4.7":     {204_800, 131_072, Price{0.6, 2.2}},
	"glm-5":       {204_800, 131_072, Price{1.4, 4.4}},

	"grok-2":           {131_072, 8_192, Price{2, 10}},
	"grok-3":           {131_072, 8_192, Price{5, 25}},
	"grok-3-mini":      {131_072, 8_192, Price{0.6, 4}},
	"grok-4":           {256_000, 0, Price{3, 15}},
	"grok-4-fast":      {2_000_000, 30_000, Price{0.2, 0.5}},
	"grok-4-1-fast":    {2_000_000, 30_000, Price{0.2, 0.5}},
	"grok-4.6":         {256_000, 0, Price{4, 12}},
	"grok-code-fast-1": {256_000, 10_000, Price{0.2, 1.5}},

	"mistral-large":    {131_072, 0, Price{2, 6}},
	"mistral-medium":   {131_072, 0, Price{1.5, 7.5}},
	"mistral-small":    {131_072, 0, Price{0.1, 0.3}},
	"magistral-medium": {131_072, 16_384, Price{2, 5}},
	"devstral":         {131_072, 0, Price{0.4, 2}},
	"codestral":        {256_000, 4_096, Price{0.3, 0.9}},
	"ministral-8b":     {131_072, 0, Price{0.1, 0.1}},
	"open-mistral":     {32_768, 8_192, Price{0.25, 0.25}},

	"llama-3.1-8b":  {131_072, 8_192, Price{0.18, 0.18}},
	"llama-3.3-70b": {131_072, 8_192, Price{0.88, 0.88}},
	"llama-4":       {131_072, 8_192, Price{0.27, 0.85}},
}

// find returns the facts of a model, ignoring the case of its name.
func (t factsTable) find(model string) (facts modelFacts, found bool) {
	model = strings.ToLower(model)
	name := model[strings.LastIndexByte(model, '/')+1:]
	longest := -1
	for prefix, candidate := range t {
		if len(prefix) > longest && (strings.HasPrefix(name, prefix) || strings.HasPrefix(model, prefix)) {
			longest, facts = len(prefix), candidate
		}
	}
	return facts, longest >= 0
}

// catalogueHosts serve models under their vendors' names with the windows that the
// vendors document; so do their subdomains. Elsewhere a server may have been given
// another window.
var catalogueHosts = []string{
	"api.openai.com", "api.anthropic.com", "deepseek.com", "generativelanguage.googleapis.com", "aliyuncs.com", "moonshot.ai",
	"moonshot.cn", "z.ai", "bigmodel.cn", "x.ai", "mistral.ai", "groq.com", "together.xyz", "together.ai", "openrouter.ai",
}

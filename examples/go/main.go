// Serves the processor go-no-shouting: it blocks input in capitals. main.go has the processor, wire.go the protocol
// (docs/wire.md, sections 2 and 3), over the NATS client for Go and its services framework.
package main

import (
	"encoding/json"
	"log"
	"os"
	"unicode"
)

type options struct {
	MaxCapitals int `json:"maxCapitals"`
}

// parseOptions applies the defaults of the schema.
func parseOptions(raw json.RawMessage) (options, error) {
	parsed := options{MaxCapitals: 20}
	if len(raw) == 0 {
		return parsed, nil
	}
	return parsed, json.Unmarshal(raw, &parsed)
}

var noShouting = processor{
	ID:          "go-no-shouting",
	Description: "Blocks input in capitals, in Go.",
	Stages:      []string{"processInput"},
	Reads:       []string{"input"},
	OptionsSchema: json.RawMessage(`{
		"type": "object",
		"additionalProperties": false,
		"properties": {
			"maxCapitals": {"type": "integer", "minimum": 0, "default": 20, "description": "Maximum number of capital letters."}
		}
	}`),
	Judge: func(call call) verdict {
		chosen, err := parseOptions(call.Options)
		if err != nil {
			return failure("options-invalid", err.Error())
		}
		capitals := 0
		for _, letter := range call.Text("input") {
			if unicode.IsUpper(letter) {
				capitals++
			}
		}
		if capitals > chosen.MaxCapitals {
			return abort("Please do not shout.")
		}
		return proceed()
	},
}

func main() {
	if err := serve("go-guards", "1.0.0", noShouting, os.Getenv); err != nil {
		log.Fatal(err)
	}
}

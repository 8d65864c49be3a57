package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf16"
)

// units is a text of JSON in UTF-16. encoding/json replaces half of a surrogate pair by U+FFFD, so a pair that two
// chunks share would be lost.
type units []uint16

func (u *units) UnmarshalJSON(data []byte) error {
	if len(data) < 2 || data[0] != '"' {
		return fmt.Errorf("a text is a string, not %s", data)
	}
	*u = nil
	for rest := string(data[1 : len(data)-1]); rest != ""; {
		if len(rest) >= 6 && rest[:2] == `\u` {
			unit, err := strconv.ParseUint(rest[2:6], 16, 16)
			if err != nil {
				return err
			}
			*u, rest = append(*u, uint16(unit)), rest[6:]
			continue
		}
		letter, _, tail, err := strconv.UnquoteChar(unslash(rest), '"')
		if err != nil {
			return err
		}
		*u, rest = utf16.AppendRune(*u, letter), tail
	}
	return nil
}

// unslash makes the escape \/ of JSON one that Go knows.
func unslash(text string) string {
	if len(text) > 1 && text[:2] == `\/` {
		return text[1:]
	}
	return text
}

type chunk struct {
	Type    string `json:"type"`
	Payload struct {
		Text  units `json:"text"`
		Index int   `json:"index"`
	} `json:"payload"`
}

type batch struct {
	Epoch  int     `json:"epoch"`
	Index  int     `json:"index"`
	Chunks []chunk `json:"chunks"`
}

func (b batch) end() int { return b.Index + len(b.Chunks) }

func compareBatches(a, b batch) int {
	if a.Epoch != b.Epoch {
		return a.Epoch - b.Epoch
	}
	return a.Index - b.Index
}

type shownChunk struct {
	index int
	chunk chunk
}

// reader merges live and replayed batches of a run (docs/wire.md, section 7). The caller subscribes, and asks `replay`
// from the next position while there is a gap. It begins at epoch 1.
type reader struct {
	epoch, index int
	ended        bool
	shown        []shownChunk
	waiting      []batch
}

func (r *reader) hasGap() bool { return len(r.waiting) > 0 }

// live takes a batch of the subscription. One that begins after the next position waits for a replay.
func (r *reader) live(b batch) {
	if !r.ended && !r.isOver(b) {
		r.waiting = append(r.waiting, b)
	}
	r.takeWaiting()
}

// replay takes an answer of `replay` from the next position: what it omits was withdrawn.
func (r *reader) replay(batches []batch) {
	for _, b := range slices.SortedStableFunc(slices.Values(batches), compareBatches) {
		if r.ended || r.isOver(b) {
			continue
		}
		if b.Epoch > r.epoch {
			r.take(b, b.Index)
		} else {
			r.take(b, max(r.index, b.Index))
		}
	}
	r.takeWaiting()
}

// text returns the text of the shown chunks, with U+FFFD for half of a surrogate pair that stayed alone.
func (r *reader) text() string {
	var all units
	for _, one := range r.shown {
		if one.chunk.Type == "text-delta" {
			all = append(all, one.chunk.Payload.Text...)
		}
	}
	return string(utf16.Decode(all))
}

func (r *reader) isOver(b batch) bool {
	return len(b.Chunks) == 0 || b.Epoch < r.epoch || b.Epoch == r.epoch && b.end() <= r.index
}

func (r *reader) takeWaiting() {
	slices.SortStableFunc(r.waiting, compareBatches)
	for _, b := range r.waiting {
		if !r.ended && !r.isOver(b) && b.Epoch == r.epoch && b.Index <= r.index {
			r.take(b, r.index)
		}
	}
	r.waiting = slices.DeleteFunc(r.waiting, func(b batch) bool { return r.ended || r.isOver(b) })
}

func (r *reader) take(b batch, from int) {
	if b.Epoch > r.epoch {
		r.withdraw(from)
	}
	for index := from; index < b.end() && !r.ended; index++ {
		one := b.Chunks[index-b.Index]
		if one.Type == "retract" {
			r.withdraw(one.Payload.Index)
		} else {
			r.shown = append(r.shown, shownChunk{index, one})
		}
		r.epoch, r.index = b.Epoch, index+1
		r.ended = slices.Contains([]string{"finish", "tripwire", "error", "abort", "suspended"}, one.Type)
	}
}

func (r *reader) withdraw(from int) {
	r.shown = slices.DeleteFunc(r.shown, func(one shownChunk) bool { return one.index >= from })
}

var _ json.Unmarshaler = (*units)(nil)

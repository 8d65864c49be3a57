package main

import (
	"encoding/json"
	"os"
	"testing"
)

func TestReaderShowsTheTextOfEachVector(t *testing.T) {
	data, err := os.ReadFile("../../docs/vectors/reader.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Vectors []struct {
			Name   string
			Events []struct {
				Live   *batch
				Replay []batch
			}
			Text       string
			Next       batch
			Gap, Ended bool
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Vectors) < 20 {
		t.Fatalf("the file has %d vectors", len(file.Vectors))
	}
	for _, vector := range file.Vectors {
		t.Run(vector.Name, func(t *testing.T) {
			r := reader{epoch: 1}
			for _, event := range vector.Events {
				if event.Live != nil {
					r.live(*event.Live)
				} else {
					r.replay(event.Replay)
				}
			}
			if got := r.text(); got != vector.Text {
				t.Errorf("text %q instead of %q", got, vector.Text)
			}
			if r.epoch != vector.Next.Epoch || r.index != vector.Next.Index {
				t.Errorf("next (%d, %d) instead of (%d, %d)", r.epoch, r.index, vector.Next.Epoch, vector.Next.Index)
			}
			if r.hasGap() != vector.Gap || r.ended != vector.Ended {
				t.Errorf("gap %t, ended %t", r.hasGap(), r.ended)
			}
		})
	}
}

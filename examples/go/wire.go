package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/signal"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/micro"
)

const (
	protocol         = 2
	processorsHeader = "Millrace-Processors"
	maxInboxChars    = 512
	// drainTimeout bounds the wait for the last calls after SIGTERM.
	drainTimeout = 5 * time.Second
)

// A reply is sent to inboxes only: a request could name any subject.
var inbox = regexp.MustCompile(`^(_INBOX|_R_|_GR_)(\.[^\s.*>]+)+$`)

// processor describes a processor, and judges one call of it.
type processor struct {
	ID, Description string
	Stages, Reads   []string
	OptionsSchema   json.RawMessage
	Judge           func(call) verdict
}

// verdict is the JSON of docs/wire.md, "Verdicts".
type verdict map[string]any

func proceed() verdict            { return verdict{"type": "continue"} }
func abort(reason string) verdict { return verdict{"type": "abort", "reason": reason} }
func failure(code, message string) verdict {
	return verdict{"type": "failure", "code": code, "message": message, "retryable": false}
}

// entry is one use of a processor in an agent.
type entry struct {
	Processor string          `json:"processor"`
	Options   json.RawMessage `json:"options"`
	State     json.RawMessage `json:"state"`
}

// request has the members of a stage call that a guard of messages needs. Later versions add members, which are ignored.
type request struct {
	Stage   string  `json:"stage"`
	Entries []entry `json:"entries"`
	Input   struct {
		Conversation struct {
			Entries []struct {
				Source  string `json:"source"`
				Message struct {
					Content struct {
						Parts []struct {
							Type string `json:"type"`
							Text string `json:"text"`
						} `json:"parts"`
					} `json:"content"`
				} `json:"message"`
			} `json:"entries"`
		} `json:"conversation"`
	} `json:"input"`
}

type call struct {
	request
	Options json.RawMessage
}

// Text joins the texts of the messages of a source, such as input.
func (c call) Text(source string) string {
	var texts []string
	for _, listed := range c.Input.Conversation.Entries {
		if listed.Source != source {
			continue
		}
		for _, part := range listed.Message.Content.Parts {
			if part.Type == "text" {
				texts = append(texts, part.Text)
			}
		}
	}
	return strings.Join(texts, "\n")
}

// service serves one processor as one replica.
type service struct {
	nc        *nats.Conn
	prefix    string
	name      string
	replica   string
	processor processor
	own       []*nats.Subscription
	running   sync.WaitGroup
}

func (s *service) subject(stage string) string {
	return fmt.Sprintf("%s.stage.%s.%s.%s", s.prefix, stage, s.name, s.processor.ID)
}

// serve answers calls until SIGTERM or SIGINT, and then finishes the calls in progress. It reads NATS_URL, NATS_NKEY_FILE and
// MILLRACE_PREFIX.
func serve(name, version string, p processor, getenv func(string) string) error {
	stopping, release := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer release()
	nc, err := connect(name, getenv)
	if err != nil {
		return err
	}
	defer nc.Close()
	prefix := getenv("MILLRACE_PREFIX")
	if prefix == "" {
		prefix = "mr.v1"
	}
	s := &service{nc: nc, prefix: prefix, name: name, processor: p}
	advertised, err := s.start(version)
	if err != nil {
		return err
	}
	<-stopping.Done()
	// Stop drains the subscriptions of the queue group: other replicas receive the next calls.
	if err := advertised.Stop(); err != nil {
		return err
	}
	for _, own := range s.own {
		if err := own.Drain(); err != nil {
			return err
		}
	}
	// The client drains in the background: it removes a subscription after the handler of its last call has returned.
	for giveUpAt := time.Now().Add(drainTimeout); nc.NumSubscriptions() > 0 && time.Now().Before(giveUpAt); {
		time.Sleep(10 * time.Millisecond)
	}
	s.running.Wait()
	return nc.Flush()
}

func connect(name string, getenv func(string) string) (*nats.Conn, error) {
	url := getenv("NATS_URL")
	if url == "" {
		url = nats.DefaultURL
	}
	settings := []nats.Option{nats.Name(name), nats.MaxReconnects(-1), nats.RetryOnFailedConnect(true)}
	if file := getenv("NATS_NKEY_FILE"); file != "" {
		key, err := nats.NkeyOptionFromSeed(file)
		if err != nil {
			return nil, fmt.Errorf("NATS_NKEY_FILE: %w", err)
		}
		settings = append(settings, key)
	}
	return nats.Connect(url, settings...)
}

// start subscribes to the subjects of docs/wire.md, section 2, and advertises the processor.
func (s *service) start(version string) (micro.Service, error) {
	limits := map[string]string{"millrace": `{"maxCalls":1000}`}
	config := micro.Config{Name: s.name, Version: version, Description: "Guards in Go.", Metadata: limits}
	advertised, err := micro.AddService(s.nc, config)
	if err != nil {
		return nil, err
	}
	s.replica = advertised.Info().ID
	for _, stage := range s.processor.Stages {
		// A second attempt, and a check, address one replica.
		own := func(message *nats.Msg) { s.judgeLater(message.Data, message.Header, message.Subject, message.Reply) }
		if err := s.subscribe(s.subject(stage)+"."+s.replica, own); err != nil {
			return nil, err
		}
		metadata, err := s.describe(stage, version)
		if err != nil {
			return nil, err
		}
		shared := func(message micro.Request) {
			s.judgeLater(message.Data(), nats.Header(message.Headers()), message.Subject(), message.Reply())
		}
		if err := advertised.AddEndpoint(stage+"-"+s.processor.ID, micro.HandlerFunc(shared),
			micro.WithEndpointSubject(s.subject(stage)), micro.WithEndpointQueueGroup(s.processor.ID),
			micro.WithEndpointMetadata(metadata)); err != nil {
			return nil, err
		}
	}
	// A call takes microseconds, so that a cancel always arrives after its answer.
	if err := s.subscribe(s.prefix+".cancel."+s.name, func(*nats.Msg) {}); err != nil {
		return nil, err
	}
	return advertised, s.nc.Flush()
}

func (s *service) subscribe(subject string, handle nats.MsgHandler) error {
	subscription, err := s.nc.Subscribe(subject, handle)
	if err == nil {
		s.own = append(s.own, subscription)
	}
	return err
}

func (s *service) describe(stage, version string) (map[string]string, error) {
	text, err := json.Marshal(map[string]any{
		"kind": "processor", "protocol": protocol, "stage": stage,
		"descriptor": map[string]any{
			"id": s.processor.ID, "description": s.processor.Description, "version": version,
			"stages": s.processor.Stages, "reads": s.processor.Reads, "lists": []string{"input"},
			"processDataParts": false, "optionsSchema": s.processor.OptionsSchema, "aliases": []string{}, "judgesText": true,
			"policy": map[string]any{"timeoutMs": 5000, "attempts": 2, "onFailure": "fail"},
		},
	})
	return map[string]string{"millrace": string(text)}, err
}

// judgeLater answers in a goroutine of its own, because a subscription delivers the next call after its handler has returned.
func (s *service) judgeLater(data []byte, header nats.Header, subject, reply string) {
	s.running.Add(1)
	go func() {
		defer s.running.Done()
		answer := s.answer(data, header, subject)
		text, err := json.Marshal(answer)
		if err != nil || len(text) > int(s.nc.MaxPayload()) {
			text, _ = json.Marshal(errorReply("message-too-large", "The answer is too large."))
		}
		if len(reply) <= maxInboxChars && inbox.MatchString(reply) {
			_ = s.nc.Publish(reply, text)
		}
	}()
}

// answer judges the adjacent entries of this processor at the beginning of the list. A panic fails this call alone.
func (s *service) answer(data []byte, header nats.Header, subject string) (reply map[string]any) {
	defer func() {
		if problem := recover(); problem != nil {
			reply = errorReply("processor-failed", fmt.Sprint(problem))
		}
	}()
	var asked request
	if err := json.Unmarshal(data, &asked); err != nil {
		return errorReply("message-invalid", err.Error())
	}
	if err := checkLabels(asked, header, strings.Split(strings.TrimPrefix(subject, s.prefix+"."), ".")); err != nil {
		return errorReply("message-invalid", err.Error())
	}
	var verdicts []verdict
	var ms []float64
	for _, use := range asked.Entries {
		if use.Processor != s.processor.ID {
			break
		}
		started := time.Now()
		judged := s.processor.Judge(call{request: asked, Options: use.Options})
		if judged["type"] == "continue" && len(use.State) > 0 {
			judged["state"] = use.State
		}
		verdicts = append(verdicts, judged)
		ms = append(ms, float64(time.Since(started).Microseconds())/1000)
		if judged["type"] != "continue" {
			break
		}
	}
	return map[string]any{"sequence": 0, "verdicts": verdicts, "ms": ms, "replica": s.replica}
}

// checkLabels compares the entries with the subject and the header, which permissions and taps see.
func checkLabels(asked request, header nats.Header, subject []string) error {
	if len(asked.Entries) == 0 || len(subject) < 4 || asked.Entries[0].Processor != subject[3] {
		return errors.New("the subject names another processor than the first entry")
	}
	names := make([]string, len(asked.Entries))
	for at, use := range asked.Entries {
		names[at] = use.Processor
	}
	listed := header.Get(processorsHeader)
	if listed != strings.Join(names, ",") && (listed != "" || len(names) > 1) {
		return fmt.Errorf("the header %s does not list the processor of each entry", processorsHeader)
	}
	return nil
}

func errorReply(code, message string) map[string]any {
	return map[string]any{"error": map[string]any{"code": code, "message": message}}
}

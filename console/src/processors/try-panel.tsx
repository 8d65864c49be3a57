// Judges a text with one processor, without a run: the verdict, the changed text, and the findings.
import { useMutation } from '@tanstack/react-query';
import type { JsonValue, ProcessorInfo, TryAnswer } from '@millrace/contracts';
import { Play } from 'lucide-react';
import { useState } from 'react';
import { isMissingRoute } from '../api/request.ts';
import { tryProcessor } from '../api/processors.ts';
import { describeVerdict } from '../runs/event-rows.ts';
import { Button } from '../ui/button.tsx';
import { DiffView } from '../ui/diff-view.tsx';
import { ErrorNotice } from '../ui/feedback.tsx';
import { describeStage, formatMs } from '../ui/format.ts';
import { Badge } from '../ui/status.tsx';

/** Stages that judge a text without a step of a run around them. */
const TRIED = ['processInput', 'processOutputStream', 'processOutputStep', 'processOutputResult'];

export function TryPanel({ processor: { id, stages } }: { processor: ProcessorInfo }) {
  const tried = TRIED.filter((stage) => stages.some((own) => own === stage));
  const [text, setText] = useState('My card is 4111 1111 1111 1111, and my mail is ada@example.com.');
  const [stage, setStage] = useState(tried[0]);
  const [options, setOptions] = useState('');
  const [problem, setProblem] = useState<string>();
  const trial = useMutation({
    mutationFn: (parsed: Record<string, JsonValue>) => tryProcessor(id, { text, stage, options: parsed }),
  });
  if (tried.length === 0 || isMissingRoute(trial.error)) return null;
  const submit = () => {
    const parsed = parseOptions(options);
    setProblem(parsed === undefined ? 'The options are not a JSON object.' : undefined);
    if (parsed) trial.mutate(parsed);
  };
  return (
    <section className="card" aria-label="Try it">
      <header className="card-head">
        <h2>Try it</h2>
        <span className="muted small">Nothing is stored, and no model of an agent is called.</span>
      </header>
      <form
        className="card-body stack"
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <label className="field">
          Text
          <textarea className="input" value={text} onChange={({ target }) => setText(target.value)} />
        </label>
        <div className="try-row">
          <label className="field">
            Stage
            <select className="input" value={stage} onChange={({ target }) => setStage(target.value)}>
              {tried.map((one) => (
                <option key={one} value={one}>
                  {describeStage(one)}
                </option>
              ))}
            </select>
          </label>
          <label className="field">
            Options
            <input
              className="input mono"
              placeholder="{}"
              spellCheck={false}
              value={options}
              aria-invalid={problem !== undefined}
              onChange={({ target }) => setOptions(target.value)}
            />
          </label>
          <Button type="submit" variant="primary" disabled={trial.isPending || text === ''}>
            <Play size={14} aria-hidden /> Try
          </Button>
        </div>
        {problem !== undefined && <p className="small problem">{problem}</p>}
        {trial.error && <ErrorNotice error={trial.error} />}
        {trial.data && <Result answer={trial.data} before={text} />}
      </form>
    </section>
  );
}

const TONES = { pass: 'ok', changed: 'wait', block: 'bad' } as const;

function Result({ answer: { action, texts, outcomes }, before }: { answer: TryAnswer; before: string }) {
  const tone = TONES[action];
  return (
    <div className="stack" role="status">
      {outcomes.map(({ entry, verdict, ms, replica, reason, violations = [], error }, at) => (
        <div key={`${entry}.${at}`} className="stack">
          <div className="row">
            <Badge tone={tone}>{action === 'changed' ? 'Changed' : describeVerdict(verdict)}</Badge>
            <span className="muted small number">
              {formatMs(ms)}
              {replica === undefined ? '' : ` on ${replica}`}
            </span>
          </div>
          {reason !== undefined && <p>{reason}</p>}
          {error && <p className="problem">{error.message}</p>}
          {violations.length > 0 && (
            <ul className="findings">
              {violations.map(({ message, rule, count = 1 }, index) => (
                <li key={`${message}.${index}`}>
                  {message}
                  <span className="muted small">
                    {rule === undefined ? '' : ` ${rule}`}
                    {count > 1 ? ` × ${count}` : ''}
                  </span>
                </li>
              ))}
            </ul>
          )}
        </div>
      ))}
      {action !== 'block' && <DiffView before={before} after={texts.join('\n')} label="The text before and after" />}
    </div>
  );
}

/** Returns undefined for a text that is no JSON object. */
function parseOptions(text: string): Record<string, JsonValue> | undefined {
  if (text.trim() === '') return {};
  try {
    const parsed: JsonValue = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

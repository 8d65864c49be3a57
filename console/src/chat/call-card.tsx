import type { JsonValue } from '@millrace/contracts';
import { Wrench } from 'lucide-react';
import { formatJson } from '../ui/format.ts';
import { JsonView } from '../ui/json-view.tsx';
import { Badge, type Tone } from '../ui/status.tsx';

const STATES: Record<CallState, { text: string; tone: Tone }> = {
  running: { text: 'In flight', tone: 'run' },
  done: { text: 'Done', tone: 'ok' },
  error: { text: 'Failed', tone: 'bad' },
  denied: { text: 'Denied', tone: 'bad' },
};
/** Only an active run has calls in flight. */
export type RunPhase = 'active' | 'waiting' | 'ended';
type CallState = 'running' | 'done' | 'error' | 'denied';
const MAX_PREVIEW = 90;

type CallProps = {
  tool: string;
  args: JsonValue | undefined;
  state: CallState;
  result?: JsonValue | undefined;
  reason?: string | undefined;
  run?: RunPhase;
};
const UNANSWERED: Record<RunPhase, { text: string; tone: Tone }> = {
  active: STATES.running,
  waiting: { text: 'Waiting', tone: 'wait' },
  ended: { text: 'No result', tone: 'off' },
};

export function CallCard({ tool, args, state, result, reason, run = 'ended' }: CallProps) {
  const { text, tone } = state === 'running' ? UNANSWERED[run] : STATES[state];
  const preview = args === undefined ? '' : JSON.stringify(args);
  return (
    <details className="call">
      <summary>
        <Wrench size={14} aria-hidden />
        <span className="call-name">{tool}</span>
        <code className="cut">{preview.length > MAX_PREVIEW ? `${preview.slice(0, MAX_PREVIEW)}…` : preview}</code>
        <Badge tone={tone}>{text}</Badge>
      </summary>
      <div className="stack">
        <JsonView value={args ?? null} label={`Arguments of ${tool}`} />
        {reason !== undefined && <p className="small">{reason}</p>}
        {result !== undefined && <JsonView value={formatJson(result)} label={`Result of ${tool}`} />}
      </div>
    </details>
  );
}

// Texts that processors and providers word (a halt's answer, an abort's reason, an error's message) pass the output stream's
// processors before anybody sees them: they may hold what the user or the model said. Only what stands literally in the agent's
// definition is its author's own, and passes as it is.
import { isKnownCode, type Agent, type JsonValue, type Tripwire, type WireError } from '@millrace/contracts';
import { chunk } from '../state/make-chunk.ts';
import { guardChunks } from '../stages/guard-chunks.ts';
import type { Run } from '../state/run-context.ts';

type Texts = Record<string, JsonValue>;

/** In one chunk, as an error passes. undefined: rejected, or nobody could be asked. Does not publish. */
async function passTexts(run: Run, texts: Texts): Promise<Texts | undefined> {
  const known = wordsIn(run.agent);
  const isKnown = ([, value]: [string, JsonValue]) => [...wordsIn(value)].every((text) => known.has(text));
  const unknown = Object.entries(texts).filter((member) => !isKnown(member));
  if (unknown.length === 0) return texts;
  const error = chunk(run.ref.runId, { type: 'error', payload: { error: Object.fromEntries(unknown) } });
  const { chunks, interrupt } = await run.inTurn(() => guardChunks(run, [error]));
  const last = chunks.findLast((part) => part.type === 'error');
  const passed = last?.payload.error;
  if (interrupt || typeof passed !== 'object' || passed === null || Array.isArray(passed)) return undefined;
  // What was taken out there does not come back.
  return { ...Object.fromEntries(Object.entries(texts).filter(isKnown)), ...passed };
}

/**
 * As the answer that it is: a part of text. Published as it was let through; the text of that. undefined: rejected, or nobody could
 * be asked.
 */
export async function passAnswer(run: Run, id: string, text: string): Promise<string | undefined> {
  const { runId } = run.ref;
  const whole = [
    chunk(runId, { type: 'text-start', payload: { id } }),
    chunk(runId, { type: 'text-delta', payload: { id, text } }),
    chunk(runId, { type: 'text-end', payload: { id } }),
  ];
  if (wordsIn(run.agent).has(text)) {
    run.chunks.publish(whole);
    return text;
  }
  return run.inTurn(async () => {
    const { chunks, interrupt } = await guardChunks(run, whole);
    if (interrupt) return undefined;
    run.chunks.publish(chunks);
    return chunks.map((part) => (part.type === 'text-delta' ? part.payload.text : '')).join('');
  });
}

/** A reason that the output processors reject leaves its code alone. */
export async function passTripwire(run: Run, { reason, metadata, ...rest }: Tripwire): Promise<Tripwire> {
  const passed = await passTexts(run, { reason, ...(metadata !== undefined && { metadata }) });
  if (typeof passed?.['reason'] !== 'string') return { ...rest, reason: 'text-withheld' };
  return { ...rest, reason: passed['reason'], ...(metadata !== undefined && { metadata: passed['metadata'] ?? null }) };
}

/** What a suspension asks. undefined: the output chain rejected it; whoever may see everything still does. */
export async function passPayload(run: Run, payload: JsonValue): Promise<{ payload: JsonValue } | undefined> {
  const passed = await passTexts(run, { payload });
  return passed?.['payload'] === undefined ? undefined : { payload: passed['payload'] };
}

/** Longer messages are cut: a provider may answer with a page. UTF-16 code units. */
const MAX_MESSAGE_CHARS = 8_192;

/** Where the output processors cannot be asked, or reject it, untrusted text stays here. The run's events have all of it. */
export async function passError(run: Run, error: WireError, chainBroken: boolean): Promise<WireError> {
  const shown = withoutUntrustedText(error);
  if (chainBroken) return shown;
  const passed = await passTexts(run, { code: shown.code, message: error.message.slice(0, MAX_MESSAGE_CHARS) });
  return typeof passed?.['message'] === 'string' ? { ...shown, message: passed['message'] } : shown;
}

/** What may be shown of an error whose message nobody has judged: its code, if it is one of ours, and its place. */
export function withoutUntrustedText({ code: said, path, remedy }: WireError): WireError {
  const code = isKnownCode(said) ? said : 'processor-failed';
  const place = path ?? (code.startsWith('model-') ? 'the model call' : undefined);
  const message = place === undefined ? `The run failed (${code}).` : `The run failed at ${place} (${code}).`;
  return { code, message, ...(path !== undefined && { path }), ...(remedy !== undefined && { remedy }) };
}

/** All that a value says: its strings, the names of its members, its numbers. */
function wordsIn(value: JsonValue | Agent | undefined): Set<string> {
  const found = new Set<string>();
  const visit = (member: unknown): void => {
    if (typeof member === 'string' || typeof member === 'number') found.add(String(member));
    if (typeof member !== 'object' || member === null) return;
    if (!Array.isArray(member)) for (const name of Object.keys(member)) found.add(name);
    Object.values(member).forEach(visit);
  };
  visit(value);
  return found;
}

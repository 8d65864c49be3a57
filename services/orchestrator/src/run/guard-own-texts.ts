// Passes texts of processors and providers (a halt's answer, an abort's reason, an error's message) through the output
// stream's processors before they are published: they may quote the user or the model. Only a literal text of the
// agent's definition is its author's and passes unjudged.
import {
  hideAddresses,
  isKnownCode,
  type Agent,
  type JsonValue,
  type Tripwire,
  type WireError,
} from '@millrace/contracts';
import { makeChunk } from '../transcript/make-chunk.ts';
import { guardChunks } from '../sessions/guard-chunks.ts';
import { buildResponseMessageId } from '../transcript/response-message.ts';
import type { Run } from '../state/run-context.ts';
import { guardAgain } from './pass-answers.ts';

type OwnTexts = Record<string, JsonValue>;

/**
 * Passes the texts as one error chunk. Returns undefined if they are rejected or no replica can judge them. Does not
 * publish.
 */
async function guardOwnTexts(run: Run, texts: OwnTexts): Promise<OwnTexts | undefined> {
  const known = collectAuthorWords(run);
  const isKnown = ([, value]: [string, JsonValue]) => [...collectWords(value)].every((text) => known.has(text));
  const unknown = Object.entries(texts).filter((member) => !isKnown(member));
  if (unknown.length === 0) return texts;
  const error = makeChunk(run.ref.runId, { type: 'error', payload: { error: Object.fromEntries(unknown) } });
  const { chunks, interrupt } = await run.serialize(() => guardChunks(run, [error]));
  const last = chunks.findLast((part) => part.type === 'error');
  const passed = last?.payload.error;
  if (interrupt || typeof passed !== 'object' || passed === null || Array.isArray(passed)) return undefined;
  // Members that were removed there stay removed.
  return { ...Object.fromEntries(Object.entries(texts).filter(isKnown)), ...passed };
}

/**
 * Passes the text as a part of the answer and publishes it as it passed. Returns the passed text, or undefined if it is
 * rejected or no replica can judge it.
 */
export async function passAnswer(run: Run, id: string, text: string): Promise<string | undefined> {
  const { runId } = run.ref;
  const whole = [
    makeChunk(runId, { type: 'text-start', payload: { id } }),
    makeChunk(runId, { type: 'text-delta', payload: { id, text } }),
    makeChunk(runId, { type: 'text-end', payload: { id } }),
  ];
  if (collectAuthorWords(run).has(text)) {
    run.transcript.append(whole);
    return text;
  }
  return run.serialize(async () => {
    // The text takes the place of the answer that the limits have counted.
    const answerId = buildResponseMessageId(runId, run.getState().steps.length);
    const { chunks, interrupt } = await guardAgain(run, answerId, whole);
    if (interrupt) return undefined;
    run.transcript.append(chunks);
    return chunks.map((part) => (part.type === 'text-delta' ? part.payload.text : '')).join('');
  });
}

/** If the output processors reject the reason, its code and the metadata stay; metadata that they reject alone is dropped. */
export async function passTripwire(run: Run, { reason, metadata, ...rest }: Tripwire): Promise<Tripwire> {
  const passed = await guardOwnTexts(run, { reason, ...(metadata !== undefined && { metadata }) });
  if (typeof passed?.['reason'] !== 'string') {
    const alone = passed || metadata === undefined ? undefined : await guardOwnTexts(run, { metadata });
    return { ...rest, reason: 'text-withheld', ...(alone && { metadata: alone['metadata'] ?? null }) };
  }
  return { ...rest, reason: passed['reason'], ...(metadata !== undefined && { metadata: passed['metadata'] ?? null }) };
}

/** Passes the payload of a suspension. Returns undefined if the output chain rejects it; operators still see it. */
export async function passPayload(run: Run, payload: JsonValue): Promise<{ payload: JsonValue } | undefined> {
  const passed = await guardOwnTexts(run, { payload });
  return passed?.['payload'] === undefined ? undefined : { payload: passed['payload'] };
}

/**
 * Maximum length of a message, in UTF-16 code units; longer ones are cut, because a provider may answer with a page.
 */
const MAX_MESSAGE_CHARS = 8_192;

/**
 * Hides addresses and keys in the message after the processors have judged it. If the output processors cannot be called or reject the message, the untrusted
 * text is withheld. The run's events have all of it.
 */
export async function passError(run: Run, error: WireError, chainBroken: boolean): Promise<WireError> {
  const shown = omitUntrustedText(error);
  if (chainBroken) return shown;
  const passed = await guardOwnTexts(run, { code: shown.code, message: error.message.slice(0, MAX_MESSAGE_CHARS) });
  const message = passed?.['message'];
  return typeof message === 'string' ? { ...shown, message: hideAddresses(message) } : shown;
}

/** Reduces an error with an unjudged message to its code, if that is one of ours, and its path. */
export function omitUntrustedText({ code: given, path, remedy }: WireError): WireError {
  const code = isKnownCode(given) ? given : 'processor-failed';
  const place = path ?? (code.startsWith('model-') ? 'the model call' : undefined);
  const message = place === undefined ? `The run failed (${code}).` : `The run failed at ${place} (${code}).`;
  return { code, message, ...(path !== undefined && { path }), ...(remedy !== undefined && { remedy }) };
}

/** Returns all texts of a value: its strings, member names and numbers. */
/** Returns the texts of the agent without those that the caller has set for the run. */
function collectAuthorWords({ agent, getState }: Run): Set<string> {
  const { structuredOutput, modelSettings } = getState().request;
  return collectWords({
    ...agent,
    ...(structuredOutput && { structuredOutput: undefined }),
    ...(modelSettings && { modelSettings: undefined }),
  });
}

function collectWords(value: JsonValue | Agent | undefined): Set<string> {
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

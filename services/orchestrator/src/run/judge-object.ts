// Reads the object that a model was asked for from the text that passed, validates it against its schema if a processor
// has changed it, and passes it through the output chain. If the model's own text matched the schema and the passed
// text does not, the run names the processor that broke it, without quoting the text.
import {
  readMessageText,
  readJson,
  readToolCalls,
  type Chunk,
  type JsonSchema,
  type JsonValue,
  type Message,
  type Stage,
} from '@millrace/contracts';
import { findSchemaProblems } from '../peers/json-schema.ts';
import { findBreakingEntry } from '../sessions/find-breaking-entry.ts';
import { guardChunks, publishOutside } from '../sessions/guard-chunks.ts';
import type { JudgedEntry } from '../calls/verdict-fold.ts';
import { failInOwnWords, addRejected, type Interrupt, type RejectedChunks } from '../state/interrupt.ts';
import type { Run } from '../state/run-context.ts';

/** The requested schema and the model's text. Absent if the answer was judged before a suspension. */
export type AskedObject = { schema: JsonSchema; rawText: string | undefined };

export type JudgedTexts = {
  /** The text as it passed the output chain. */
  passed: string;
  /** The text that processOutputStep left. */
  final: string;
  /** The entries that changed it there, each with the resulting text. */
  changes: readonly TextChange[];
  /** The chunks that are rejected if a processor of the output stream stops at the object. */
  rejected: RejectedChunks;
};

type By = { entry: string; processor: string };
export type TextChange = By & { text: string };
type FoundObject<T> = { value: T } | { interrupt: Interrupt };

/** Collects the changes of the text, verdict by verdict. */
export function recordTextChanges(first: string) {
  const changes: TextChange[] = [];
  const record = ({ entry, processor }: By, text: string | undefined): void => {
    if (text !== undefined && text !== (changes.at(-1)?.text ?? first)) changes.push({ entry, processor, text });
  };
  const onJudged = ({ entry, input: { text } }: JudgedEntry): void => record(entry, text);
  return { changes, record, onJudged };
}

/** Returns undefined if there is no text, or if the text accompanies tool calls. */
export async function judgeObject(
  run: Run,
  message: Message,
  asked: AskedObject | undefined,
  texts: JudgedTexts,
): Promise<{ object?: JsonValue } | { interrupt: Interrupt } | undefined> {
  // An answer with calls is not the last one: its text is about the calls.
  if (readToolCalls(message).length > 0 || readMessageText(message).trim() === '') return undefined;
  const broken = asked && (await judgeBrokenText(run, asked, texts));
  if (broken) return { interrupt: broken };
  const read = readObject(texts.final);
  return 'interrupt' in read ? read : passObject(run, read.value, texts.rejected, asked);
}

/** Returns whether the text is JSON of the schema. */
export const fitsSchema = (schema: JsonSchema, text: string): boolean => {
  const read = readObject(text);
  return 'value' in read && findSchemaProblems(schema, read.value).length === 0;
};

async function judgeBrokenText(
  run: Run,
  { schema, rawText }: AskedObject,
  texts: JudgedTexts,
): Promise<Interrupt | undefined> {
  // The check of a schema costs time of the event loop: a text that no processor has changed needs none.
  if (
    rawText === undefined ||
    rawText === texts.final ||
    fitsSchema(schema, texts.final) ||
    !fitsSchema(schema, rawText)
  )
    return undefined;
  if (fitsSchema(schema, texts.passed)) return failBrokenText('processOutputStep', schema, texts.changes);
  const holds = (chunks: readonly Chunk[]) => fitsSchema(schema, chunks.map(readText).join(''));
  return failBrokenObject('processOutputStream', await findBreakingEntry(run, asText(run, rawText), holds));
}

/** Returns the failure of the run that names the first entry with a text that does not fit the schema. */
export function failBrokenText(stage: Stage, schema: JsonSchema, changes: readonly TextChange[]): Interrupt {
  return failBrokenObject(
    stage,
    changes.find(({ text }) => !fitsSchema(schema, text)),
  );
}

const readText = (chunk: Chunk): string => (chunk.type === 'text-delta' ? chunk.payload.text : '');

function asText({ ref: { runId } }: Run, text: string): Chunk[] {
  const [id, from] = ['object', 'AGENT' as const];
  return [
    { type: 'text-start', runId, from, payload: { id } },
    { type: 'text-delta', runId, from, payload: { id, text } },
    { type: 'text-end', runId, from, payload: { id } },
  ];
}

/** @param by undefined if the entry could not be found again */
function failBrokenObject(stage: Stage, by: By | undefined): Interrupt {
  const culprit = by ? `"${by.entry}" (${by.processor}) has` : 'The output processors';
  const message = `${culprit} changed the object in ${stage}: it does not match its schema any more.`;
  const path = by ? `${stage}/${by.entry}` : stage;
  const remedy =
    "Let the schema allow the processor's replacement, or list structured-output, which asks the model again.";
  return failInOwnWords({ code: 'object-broken', message, path, remedy });
}

function readObject(text: string): FoundObject<JsonValue> {
  const read = readJson(text);
  if (read) return read;
  // The parser's message would quote the answer.
  const message = 'The model was asked for an object, but its answer is no JSON or is nested too deep.';
  const remedy = 'Use a model that supports structured output, and a schema with bounded nesting.';
  return { interrupt: failInOwnWords({ code: 'model-call-failed', message, remedy }) };
}

/** Passes the object through the output chain. Returns none if it is dropped there. */
export async function passObject(
  run: Run,
  object: JsonValue,
  rejected: RejectedChunks,
  asked?: AskedObject,
): Promise<{ object?: JsonValue } | { interrupt: Interrupt }> {
  return run.serialize(async () => {
    const whole: Chunk = { type: 'object-result', runId: run.ref.runId, from: 'AGENT', object };
    const { chunks, interrupt } = await guardChunks(run, [whole]);
    const stopped = run.checkInterruption();
    if (stopped) return { interrupt: stopped };
    if (interrupt) return { interrupt: addRejected(interrupt, rejected) };
    const rawText = JSON.stringify(object);
    const isUnchanged = listObjects(chunks).every((one) => JSON.stringify(one) === rawText);
    const holds = (passed: readonly Chunk[]) =>
      !asked || listObjects(passed).every((one) => matchesSchema(asked.schema, one));
    if (!isUnchanged && !holds(chunks) && holds([whole]))
      return { interrupt: failBrokenObject('processOutputStream', await findBreakingEntry(run, [whole], holds)) };
    publishOutside(run, chunks);
    const last = listObjects(chunks).at(-1);
    return last === undefined ? {} : { object: last };
  });
}

const matchesSchema = (schema: JsonSchema, object: JsonValue): boolean =>
  findSchemaProblems(schema, object).length === 0;

function listObjects(chunks: readonly Chunk[]): JsonValue[] {
  return chunks.flatMap((part) => (part.type === 'object-result' ? [part.object] : []));
}

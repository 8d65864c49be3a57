// The object that a model was asked for: read from what was let through, held against its schema where somebody has changed it, and passed
// through the output chain. Where the model's own words were an object of the schema and what was let through is none, the run says which
// processor broke it, and nothing of the words.
import {
  messageText,
  readJson,
  toolCallsOf,
  type Chunk,
  type JsonSchema,
  type JsonValue,
  type Message,
  type Stage,
} from '@millrace/contracts';
import { schemaProblems } from '../peers/json-schema.ts';
import { firstToBreak } from '../stages/first-to-break.ts';
import { guardChunks } from '../stages/guard-chunks.ts';
import type { Judged } from '../stages/verdict-fold.ts';
import { failInOwnWords, rejecting, type Interrupt, type Rejected } from '../state/interrupt.ts';
import type { Run } from '../state/run-context.ts';

/** What was asked for, and what the model said to it. Absent where the answer was judged before the run was put away. */
export type AskedObject = { schema: JsonSchema; said: string | undefined };

export type JudgedTexts = {
  /** As the output chain let it through. */
  passed: string;
  /** As processOutputStep has left it. */
  final: string;
  /** Who changed it there: the text behind each. */
  changes: readonly TextChange[];
  /** What a processor of the output stream rejects that stops at the object. */
  rejected: Rejected;
};

type By = { entry: string; processor: string };
export type TextChange = By & { text: string };
type Found<T> = { value: T } | { interrupt: Interrupt };

/** What a stage's verdicts make of the text, verdict by verdict. */
export function textChanges(first: string): { changes: TextChange[]; see: (judged: Judged) => void } {
  const changes: TextChange[] = [];
  return {
    changes,
    see({ entry: { entry, processor }, input: { text } }) {
      if (text !== undefined && text !== (changes.at(-1)?.text ?? first)) changes.push({ entry, processor, text });
    },
  };
}

/** undefined: there are no words, or they are about tool calls. */
export async function judgeObject(
  run: Run,
  message: Message,
  asked: AskedObject | undefined,
  texts: JudgedTexts,
): Promise<{ object?: JsonValue } | { interrupt: Interrupt } | undefined> {
  // With calls the answer is not the last one: its words are about the calls.
  if (toolCallsOf(message).length > 0 || messageText(message).trim() === '') return undefined;
  const broken = asked && (await brokenText(run, asked, texts));
  if (broken) return { interrupt: broken };
  const read = readObject(texts.final);
  return 'interrupt' in read ? read : passObject(run, read.value, texts.rejected, asked);
}

const fits = (schema: JsonSchema, text: string): boolean => {
  const read = readObject(text);
  return 'value' in read && schemaProblems(schema, read.value).length === 0;
};

async function brokenText(run: Run, { schema, said }: AskedObject, texts: JudgedTexts): Promise<Interrupt | undefined> {
  if (said === undefined || fits(schema, texts.final) || !fits(schema, said)) return undefined;
  if (fits(schema, texts.passed))
    return objectBroken(
      'processOutputStep',
      texts.changes.find(({ text }) => !fits(schema, text)),
    );
  const holds = (chunks: readonly Chunk[]) => fits(schema, chunks.map(textIn).join(''));
  return objectBroken('processOutputStream', await firstToBreak(run, asText(run, said), holds));
}

const textIn = (chunk: Chunk): string => (chunk.type === 'text-delta' ? chunk.payload.text : '');

function asText({ ref: { runId } }: Run, text: string): Chunk[] {
  const [id, from] = ['object', 'AGENT' as const];
  return [
    { type: 'text-start', runId, from, payload: { id } },
    { type: 'text-delta', runId, from, payload: { id, text } },
    { type: 'text-end', runId, from, payload: { id } },
  ];
}

/** @param by undefined: it could not be found again */
function objectBroken(stage: Stage, by: By | undefined): Interrupt {
  const who = by ? `"${by.entry}" (${by.processor}) has` : 'The processors of the output have';
  const message = `${who} changed the object in ${stage} so that it does not fit its schema any more.`;
  const path = by ? `${stage}/${by.entry}` : stage;
  const remedy =
    'Let the schema allow what the processor puts in place, or list structured-output, which asks the model again.';
  return failInOwnWords({ code: 'object-broken', message, path, remedy });
}

function readObject(text: string): Found<JsonValue> {
  const read = readJson(text);
  if (read) return read;
  // What the parser says of it would quote the answer.
  const message =
    'The model was asked for an object and answered with something that is no JSON, or is nested too deep.';
  const remedy = 'Use a model that supports structured output, and a schema that is not nested without end.';
  return { interrupt: failInOwnWords({ code: 'model-call-failed', message, remedy }) };
}

/** The object as the output chain lets it through; none where it is dropped there. */
export async function passObject(
  run: Run,
  object: JsonValue,
  rejected: Rejected,
  asked?: AskedObject,
): Promise<{ object?: JsonValue } | { interrupt: Interrupt }> {
  return run.inTurn(async () => {
    const whole: Chunk = { type: 'object-result', runId: run.ref.runId, from: 'AGENT', object };
    const { chunks, interrupt } = await guardChunks(run, [whole]);
    const stopped = run.interruption();
    if (stopped) return { interrupt: stopped };
    if (interrupt) return { interrupt: rejecting(interrupt, rejected) };
    const holds = (passed: readonly Chunk[]) => !asked || objectsOf(passed).every((one) => isOf(asked.schema, one));
    if (!holds(chunks) && holds([whole]))
      return { interrupt: objectBroken('processOutputStream', await firstToBreak(run, [whole], holds)) };
    run.chunks.publish(chunks);
    const last = objectsOf(chunks).at(-1);
    return last === undefined ? {} : { object: last };
  });
}

const isOf = (schema: JsonSchema, object: JsonValue): boolean => schemaProblems(schema, object).length === 0;

function objectsOf(chunks: readonly Chunk[]): JsonValue[] {
  return chunks.flatMap((part) => (part.type === 'object-result' ? [part.object] : []));
}

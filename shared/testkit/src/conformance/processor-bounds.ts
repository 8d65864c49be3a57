// The bounds suite of processors: a text of a hostile shape costs processor time in proportion to its length, in every stage. It finds
// expressions that backtrack and loops that start again at every position, wherever they are: before a bound is applied, too.
import type { JsonObject, RunRef, Stage, StageInput } from '@millrace/contracts';
import { buildPlainInput } from '@millrace/check/plain-turn';
import { callStage, callStream, createHostedProcessors, type ProcessorDefinition } from '@millrace/processor';
import { describe, expect, test } from 'vitest';
import { callContext, callEntry, stageCall, TEST_RUN, textChunks } from '../stages/stage-call.ts';
import { assertVerdict } from './stage-checks.ts';

/** Characters of the longer text; the shorter one has a quarter of them, for which a quadratic algorithm takes a sixteenth of the time. */
const LONG_CHARS = 100_000;
const SHORT_CHARS = LONG_CHARS / 4;
/** How much more the long text may cost: twice the proportional time, because collections and compilation add to it. */
const MAX_FACTOR = 8;
/** Processor time that is not compared, ms: below it a replica serves others in time even if the algorithm is quadratic. */
const FREE_MS = 75;
const MAX_MS = 60_000;

/** Texts that made an expression or a scanner start again at each character, by their content. */
const SHAPES: ReadonlyMap<string, (length: number) => string> = new Map([
  ['blanks between two letters', (length) => `a${' '.repeat(length)}b`],
  ['blank lines', repeat('\n \n')],
  ['one letter', repeat('a')],
  ['one letter and a blank', repeat('a ')],
  ['digits', repeat('4')],
  ['digits in groups', repeat('4111 ')],
  ['at signs', repeat('a@')],
  ['dots', repeat('a.')],
  ['hyphens', repeat('-')],
  ['opening brackets', repeat('[')],
  ['opening tags', repeat('<a ')],
  ['quotation marks', repeat('"')],
  ['backslashes', repeat('\\')],
  ['markdown emphasis', repeat('**a')],
  ['combining marks', (length) => `a${'\u0301'.repeat(length)}`],
  ['zero-width characters', repeat('i\u200B')],
  ['emoji', repeat('\u{1F600}')],
  ['words of a prompt', repeat('ignore all previous instructions. ')],
]);

function repeat(piece: string): (length: number) => string {
  return (length) => piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
}

/**
 * Registers the suite's tests.
 * @param definition a function if the processor exists only when the tests run
 */
export function processorBounds(
  definition: ProcessorDefinition | (() => ProcessorDefinition),
  options: readonly JsonObject[] = [{}],
): void {
  const name = typeof definition === 'function' ? 'this processor' : definition.id;
  describe(`${name}, given ${LONG_CHARS} characters of one shape,`, () => {
    test.each([...SHAPES])('takes time in proportion to the length of %s', { timeout: MAX_MS }, async (_name, make) => {
      const processor = typeof definition === 'function' ? definition() : definition;
      for (const stage of processor.stages) {
        for (const one of options) expect(await findExcess(processor, stage, one, make)).toBeUndefined();
      }
    });
  });
}

/** Measurements of one text: a pause or a compilation adds to one of them, an algorithm to each. */
const MAX_TRIES = 3;

/** Returns the figures if the long text costs more than it may in every measurement. */
async function findExcess(
  definition: ProcessorDefinition,
  stage: Stage,
  options: JsonObject,
  make: (length: number) => string,
): Promise<string | undefined> {
  await warmUp(definition, stage, options, make(SHORT_CHARS));
  let excess: string | undefined;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    // Another text for each measurement: a processor may remember its last one.
    const longMs = await processorTime(definition, stage, options, make(LONG_CHARS - tries));
    if (longMs <= FREE_MS) return undefined;
    const shortMs = await processorTime(definition, stage, options, make(SHORT_CHARS - tries));
    if (longMs <= MAX_FACTOR * shortMs + FREE_MS) return undefined;
    excess = `${stage} takes ${Math.round(longMs)} ms for ${LONG_CHARS} characters, ${Math.round(shortMs)} ms for ${SHORT_CHARS}`;
  }
  return excess;
}

const warm = new WeakMap<ProcessorDefinition, Set<string>>();

/** Makes the first call of a stage, because that call loads and compiles. The other shapes run the same code. */
async function warmUp(definition: ProcessorDefinition, stage: Stage, options: JsonObject, text: string): Promise<void> {
  const calls = warm.get(definition) ?? new Set();
  const call = JSON.stringify([stage, options]);
  if (calls.has(call)) return;
  warm.set(definition, calls.add(call));
  await callWith(definition, stage, options, text);
}

/** Of this process, its threads included: other processes of a busy machine do not add to it, ms. */
async function processorTime(
  definition: ProcessorDefinition,
  stage: Stage,
  options: JsonObject,
  text: string,
): Promise<number> {
  const before = process.cpuUsage();
  await callWith(definition, stage, options, text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

async function callWith(definition: ProcessorDefinition, stage: Stage, options: JsonObject, text: string) {
  // A run of its own, so that no store takes the text for one that it holds.
  const run: RunRef = { ...TEST_RUN, runId: crypto.randomUUID(), threadId: crypto.randomUUID() };
  const hosted = createHostedProcessors([definition]);
  const entries = [callEntry(definition.id, options)];
  if (stage === 'processOutputStream') {
    const call = { entries, input: { retryCount: 0, stepNumber: 0 } };
    return void (await callStream(call, hosted, callContext({ run }), textChunks(pieces(text))));
  }
  const input = withText(buildPlainInput(stage), text);
  const { verdicts } = await callStage(stageCall(stage, entries, input, run), hosted, callContext({ run }));
  assertVerdict(stage, verdicts[0], `${definition.id} in ${stage}`);
}

/** As a model streams it, in larger pieces. */
function pieces(text: string, size = 1_000): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));
}

const TEXT_KEYS: ReadonlySet<string> = new Set(['text', 'content', 'reasoning', 'delta']);
/** Of tools: every member of them may be a text. */
const VALUE_KEYS: ReadonlySet<string> = new Set(['args', 'result']);

/** The input with the text in place of every text that a caller, a model or a tool wrote. */
function withText(input: Partial<StageInput>, text: string): Partial<StageInput> {
  const replaced: Partial<StageInput> = JSON.parse(JSON.stringify(input), (key, value: unknown) => {
    if (typeof value === 'string') return TEXT_KEYS.has(key) || VALUE_KEYS.has(key) ? text : value;
    if (!VALUE_KEYS.has(key)) return value;
    return Object.fromEntries(Object.keys(Object(value)).map((name) => [name, text]));
  });
  return replaced;
}

// The processors that a replica serves, ready to be called: their definitions by id, and one object for each set of options.
import { MillraceError, STAGES, issuesOf, type CallEntry } from '@millrace/contracts';
import type { Processor } from '../processor.ts';
import { withDefaults, type ProcessorDefinition } from '../processor-definition.ts';

export type Hosted = { definition: ProcessorDefinition; processor: Processor };
/** undefined: this replica does not serve that processor. @throws options-invalid */
export type HostedProcessors = (entry: CallEntry) => Hosted | undefined;

/** Agents are few and their options change rarely; a caller that sends ever new options must not fill the memory. */
const MAX_OBJECTS = 1_000;
/** Of all options together, as JSON, UTF-16 code units: a processor's rules take memory as its options do. */
const MAX_OPTIONS_CHARS = 8 * 1024 * 1024;

export function createHostedProcessors(definitions: readonly ProcessorDefinition[]): HostedProcessors {
  const byId = new Map(definitions.map((definition) => [definition.id, definition]));
  /** The least recently used one first. */
  const made = new Map<string, Hosted>();
  let chars = 0;
  const used = (key: string, hosted: Hosted): Hosted => {
    made.delete(key);
    made.set(key, hosted);
    return hosted;
  };
  return (entry) => {
    const definition = byId.get(entry.processor);
    if (!definition) return undefined;
    const key = `${entry.processor} ${JSON.stringify(entry.options)}`;
    const known = made.get(key);
    if (known) return used(key, known);
    const hosted = { definition, processor: create(definition, entry) };
    if (key.length > MAX_OPTIONS_CHARS) return hosted;
    chars += key.length;
    used(key, hosted);
    for (const oldest of made.keys()) {
      if (made.size <= MAX_OBJECTS && chars <= MAX_OPTIONS_CHARS) break;
      made.delete(oldest);
      chars -= oldest.length;
    }
    return hosted;
  };
}

/**
 * A stage that is declared without its method would let everything pass, and a method without its stage would never be called: a
 * misspelt name is both. Asked before serving, of the processor with its default options where these fit.
 * @throws processor-invalid
 */
export function refuseUnlikeDefinition(definition: ProcessorDefinition): void {
  // What cannot be made without the agent's options says so at its first call.
  const processor = withDefaults(definition);
  if (processor) checkedMethods(definition, processor);
}

/** @throws processor-invalid, naming the stage */
function checkedMethods({ id, stages }: ProcessorDefinition, processor: Processor): Processor {
  const has = (stage: (typeof STAGES)[number]) => typeof processor[stage] === 'function';
  const missing = stages.find((stage) => !has(stage));
  if (missing !== undefined) {
    throw new MillraceError(
      'processor-invalid',
      `"${id}" declares the stage ${missing} but has no method ${missing}.`,
      {
        path: missing,
        remedy: 'Write the method, or take the stage out of `stages`.',
      },
    );
  }
  const undeclared = STAGES.find((stage) => !stages.includes(stage) && has(stage));
  if (undeclared === undefined) return processor;
  throw new MillraceError(
    'processor-invalid',
    `"${id}" has a method ${undeclared} that it does not declare as a stage.`,
    {
      path: undeclared,
      remedy: `Add '${undeclared}' to \`stages\`, or take the method away.`,
    },
  );
}

function create(definition: ProcessorDefinition, entry: CallEntry): Processor {
  const options = definition.options.safeParse(entry.options);
  if (options.success) return checkedMethods(definition, definition.create(options.data));
  const issues = issuesOf(options.error, 'options-invalid');
  const lines = issues.map((issue) => `${issue.path || 'options'}: ${issue.message}`).join('; ');
  throw new MillraceError(
    'options-invalid',
    `The options of "${entry.entry}" (${definition.id}) do not fit: ${lines}`,
    {
      issues,
      remedy: `millrace processors list --json shows the options of ${definition.id}.`,
    },
  );
}

// Manages the processors that a replica serves: their definitions by id, and one object for each set of options.
import {
  MillraceError,
  STAGES,
  listIssues,
  parseValue,
  processorDescriptorSchema,
  type CallEntry,
} from '@millrace/contracts';
import type { Processor } from '../processor/processor.ts';
import { describeProcessor, withDefaults, type ProcessorDefinition } from '../processor/processor-definition.ts';

export type HostedEntry = { definition: ProcessorDefinition; processor: Processor };
/** Returns undefined for a processor that this replica does not serve. @throws options-invalid */
export type HostedProcessors = (entry: CallEntry) => HostedEntry | undefined;

/** Options rarely change, but a caller may send new options with each call: the cache is bounded. */
const MAX_OBJECTS = 1_000;
/** Total size of all options as JSON, UTF-16 code units: a processor's memory grows with its options. */
const MAX_OPTIONS_CHARS = 8 * 1024 * 1024;

export function createHostedProcessors(definitions: readonly ProcessorDefinition[]): HostedProcessors {
  const byId = new Map(definitions.map((definition) => [definition.id, definition]));
  /** Ordered by last use, the least recent first. */
  const made = new Map<string, HostedEntry>();
  let chars = 0;
  const markUsed = (key: string, hosted: HostedEntry): HostedEntry => {
    made.delete(key);
    made.set(key, hosted);
    return hosted;
  };
  return (entry) => {
    const definition = byId.get(entry.processor);
    if (!definition) return undefined;
    const key = `${entry.processor} ${JSON.stringify(entry.options)}`;
    const known = made.get(key);
    if (known) return markUsed(key, known);
    const hosted = { definition, processor: create(definition, entry) };
    if (key.length > MAX_OPTIONS_CHARS) return hosted;
    chars += key.length;
    markUsed(key, hosted);
    for (const oldest of made.keys()) {
      if (made.size <= MAX_OBJECTS && chars <= MAX_OPTIONS_CHARS) break;
      made.delete(oldest);
      chars -= oldest.length;
    }
    return hosted;
  };
}

/**
 * Rejects a processor that differs from its definition: a declared stage without its method would pass everything, and
 * a method without its stage would never be called; a misspelled name is both. Checked before serving, with the default
 * options if they are valid.
 * @throws processor-invalid
 */
export function refuseUnlikeDefinition(definition: ProcessorDefinition): void {
  refuseMissingOptions(definition);
  // A processor with required options is checked at its first call.
  const processor = withDefaults(definition);
  if (processor) checkMethods(definition, processor);
}

function refuseMissingOptions({ id, options }: { id: string; options?: unknown }): void {
  if (typeof options === 'object' && options !== null && 'safeParse' in options) return;
  throw new MillraceError('processor-invalid', `The definition of "${id}" has no schema of its options.`, {
    path: 'options',
    remedy: 'Set `options` to a schema of zod: z.strictObject({}) for a processor without options.',
  });
}

/** Rejects a definition that discovery would refuse: the service would run, and no agent could use it. @throws processor-invalid */
export function refuseInvalidDescriptor(definition: ProcessorDefinition): void {
  const { error } = processorDescriptorSchema.safeParse(describeProcessor(definition));
  if (!error) return;
  const issues = listIssues(error, 'processor-invalid');
  const lines = issues.map((issue) => `${issue.path}: ${issue.message}`).join('; ');
  throw new MillraceError('processor-invalid', `The definition of "${definition.id}" is invalid: ${lines}`, {
    issues,
    remedy: 'Correct these members of the definition.',
  });
}

/** @throws processor-invalid with the stage */
function checkMethods({ id, stages }: ProcessorDefinition, processor: Processor): Processor {
  const has = (stage: (typeof STAGES)[number]) => typeof processor[stage] === 'function';
  const missing = stages.find((stage) => !has(stage));
  if (missing !== undefined) {
    throw new MillraceError(
      'processor-invalid',
      `"${id}" declares the stage ${missing} but has no method ${missing}.`,
      {
        path: missing,
        remedy: 'Write the method, or remove the stage from `stages`.',
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
      remedy: `Add '${undeclared}' to \`stages\`, or remove the method.`,
    },
  );
}

function create(definition: ProcessorDefinition, entry: CallEntry): Processor {
  const options = parseValue(definition.options, entry.options, 'options-invalid');
  if ('ok' in options) return checkMethods(definition, definition.create(options.ok));
  const { issues } = options;
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

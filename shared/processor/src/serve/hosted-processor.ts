// The processors that a replica serves, ready to be called: their definitions by id, and one object for each set of options.
import { MillraceError, issuesOf, type CallEntry } from '@millrace/contracts';
import type { Processor } from '../processor.ts';
import type { ProcessorDefinition } from '../processor-definition.ts';

export type Hosted = { definition: ProcessorDefinition; processor: Processor };
/** undefined: this replica does not serve that processor. @throws options-invalid */
export type HostedProcessors = (entry: CallEntry) => Hosted | undefined;

/** Agents are few and their options change rarely; a caller that sends ever new options must not fill the memory. */
const MAX_OBJECTS = 1_000;

export function createHostedProcessors(definitions: readonly ProcessorDefinition[]): HostedProcessors {
  const byId = new Map(definitions.map((definition) => [definition.id, definition]));
  const made = new Map<string, Hosted>();
  return (entry) => {
    const definition = byId.get(entry.processor);
    if (!definition) return undefined;
    const key = `${entry.processor} ${JSON.stringify(entry.options)}`;
    const known = made.get(key);
    if (known) return known;
    const hosted = { definition, processor: create(definition, entry) };
    if (made.size >= MAX_OBJECTS) made.delete(made.keys().next().value ?? '');
    made.set(key, hosted);
    return hosted;
  };
}

function create(definition: ProcessorDefinition, entry: CallEntry): Processor {
  const options = definition.options.safeParse(entry.options);
  if (options.success) return definition.create(options.data);
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

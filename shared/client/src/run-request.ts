// What a call of `start` becomes on the wire. What cannot travel is refused here by its name: it must not
// be left out in silence on the way.
import {
  MillraceError,
  RUN_DEADLINE_MS,
  findUnserializable,
  textMessage,
  type JsonObject,
  type Message,
  type OverrideEntry,
  type RunRequestInput,
  type Trace,
} from '@millrace/contracts';

export type RunInput = string | readonly Message[];
export type StartOptions = {
  /** The conversation; without one the run has no memory. */
  threadId?: string | undefined;
  /** Who owns the thread, and the memory that threads share; if absent, the thread owns its memory itself. */
  resourceId?: string | undefined;
  /** A token. The same id with the same input is the same run; made here if absent. */
  runId?: string | undefined;
  /** For the processors and tools; JSON. */
  requestContext?: JsonObject | undefined;
  /** In place of the agent's lists, where it allows that (`overrides`). What it requires, and memory, stay. */
  inputProcessors?: readonly OverrideEntry[] | undefined;
  outputProcessors?: readonly OverrideEntry[] | undefined;
  errorProcessors?: readonly OverrideEntry[] | undefined;
  /** No more than the agent allows. */
  maxProcessorRetries?: number | undefined;
  /** How long the run may take, ms; 10 minutes if absent. */
  deadlineMs?: number | undefined;
  /** W3C trace context. */
  trace?: Trace | undefined;
  /** Gives up the submission; once the run is accepted, cancels it. */
  signal?: AbortSignal | undefined;
};

const known: ReadonlySet<string> = new Set<keyof StartOptions>([
  'threadId',
  'resourceId',
  'runId',
  'requestContext',
  'inputProcessors',
  'outputProcessors',
  'errorProcessors',
  'maxProcessorRetries',
  'deadlineMs',
  'trace',
  'signal',
]);

export type BuiltRequest = RunRequestInput & { deadlineMs: number };

/** @throws prepare-step-cannot-travel, run-refused, not-json */
export function buildRequest(tenant: string, agent: string, input: RunInput, options: StartOptions): BuiltRequest {
  for (const [name, value] of Object.entries(options)) if (value !== undefined && !known.has(name)) throw refused(name);
  const { runId = crypto.randomUUID(), deadlineMs = RUN_DEADLINE_MS, requestContext, threadId, resourceId } = options;
  const messages = typeof input === 'string' ? [textMessage(crypto.randomUUID(), 'user', input)] : [...input];
  const { inputProcessors, outputProcessors, errorProcessors, maxProcessorRetries } = options;
  const overrides = {
    ...(inputProcessors && { inputProcessors: [...inputProcessors] }),
    ...(outputProcessors && { outputProcessors: [...outputProcessors] }),
    ...(errorProcessors && { errorProcessors: [...errorProcessors] }),
    ...(maxProcessorRetries !== undefined && { maxProcessorRetries }),
  };
  const request = { runId, tenant, agent, messages, threadId, resourceId, requestContext, ...overrides, deadlineMs };
  const unserializable = findUnserializable(request, 'run');
  if (unserializable !== undefined)
    throw new MillraceError('not-json', `${unserializable} is not JSON, so it cannot travel.`, {
      path: unserializable,
      remedy: 'Pass strings, finite numbers, booleans, null, arrays and plain objects.',
    });
  return { ...request, trace: options.trace };
}

function refused(name: string): MillraceError {
  if (name === 'prepareStep')
    return new MillraceError('prepare-step-cannot-travel', 'prepareStep is a function, and only data can travel.', {
      path: name,
      remedy: "Make it a processor's processInputStep, and that processor the last entry of the agent's input list.",
    });
  return new MillraceError('run-refused', `There is no option "${name}".`, {
    path: name,
    remedy: `The options are ${[...known].join(', ')}.`,
  });
}

// Converts the arguments of `start` to the wire. Values that cannot be sent are rejected by name instead of being
// dropped silently.
import {
  MillraceError,
  RUN_DEADLINE_MS,
  findUnserializable,
  buildTextMessage,
  type JsonObject,
  type Message,
  type OverrideEntry,
  type RunRequest,
  type RunRequestInput,
  type Trace,
} from '@millrace/contracts';

export type RunInput = string | readonly Message[];
export type StartOptions = {
  /** Conversation id; without a thread the run has no memory. */
  threadId?: string | undefined;
  /** Owner of the thread and of memory shared by threads. Default: the thread owns its memory itself. */
  resourceId?: string | undefined;
  /** A token. The same id with the same input is the same run. Default: a new id. */
  runId?: string | undefined;
  /** For the processors and tools; JSON. */
  requestContext?: JsonObject | undefined;
  /** Replace the agent's `replaceable` entries, if the agent allows it (`overrides`) or the client is an operator. All others and memory are kept. */
  inputProcessors?: readonly OverrideEntry[] | undefined;
  outputProcessors?: readonly OverrideEntry[] | undefined;
  errorProcessors?: readonly OverrideEntry[] | undefined;
  /** At most the agent's limit, unless the client is an operator. */
  maxProcessorRetries?: number | undefined;
  /** JSON Schema of the answer, `{schema, name?, description?}`; refused if the agent has its own. */
  structuredOutput?: RunRequest['structuredOutput'];
  /** Settings of the model that the agent lists in `callerSettings`. */
  modelSettings?: RunRequest['modelSettings'];
  /** If `callerSettings` has it: `none` for all steps, the others for the first step. */
  toolChoice?: RunRequest['toolChoice'];
  /** Tools that the caller executes, if the agent takes them from callers: a call is a question with `clientCall`. */
  clientTools?: RunRequestInput['clientTools'];
  /** false, with `clientTools`: the provider is asked for one call in an answer. */
  parallelToolCalls?: RunRequest['parallelToolCalls'];
  /**
   * Ids of the last messages of the thread, which the run replaces: they are not in its prompt, and its save deletes them. A run without a save
   * keeps them. @throws state-conflict, as the error of the run, if the thread has another last message
   */
  replaces?: readonly string[] | undefined;
  /** At least as late as the agent's own: chunk, step, result. */
  release?: RunRequest['release'];
  /** Maximum duration of the run, ms. Default: 10 minutes. */
  deadlineMs?: number | undefined;
  /** W3C trace context. */
  trace?: Trace | undefined;
  /** Cancels the submission, or the run once it is accepted. */
  signal?: AbortSignal | undefined;
  /** Stops reading the chunks; the run continues. */
  leave?: AbortSignal | undefined;
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
  'structuredOutput',
  'modelSettings',
  'toolChoice',
  'clientTools',
  'parallelToolCalls',
  'replaces',
  'release',
  'deadlineMs',
  'trace',
  'signal',
  'leave',
]);

export type BuiltRequest = RunRequestInput & { deadlineMs: number };

/** @throws prepare-step-cannot-travel, run-refused, not-json */
export function buildRequest(
  { tenant, subject }: { tenant: string; subject?: string },
  agent: string,
  input: RunInput,
  options: StartOptions,
): BuiltRequest {
  for (const [name, value] of Object.entries(options))
    if (value !== undefined && !known.has(name)) throw createRefusal(name);
  if (typeof input !== 'string' && !Array.isArray(input)) throw createInputError();
  const { runId = crypto.randomUUID(), deadlineMs = RUN_DEADLINE_MS, requestContext, threadId, resourceId } = options;
  const messages = typeof input === 'string' ? [buildTextMessage(crypto.randomUUID(), 'user', input)] : [...input];
  const { maxProcessorRetries, structuredOutput, modelSettings, toolChoice, release } = options;
  const { clientTools, parallelToolCalls, replaces } = options;
  const lists = OVERRIDE_LISTS.flatMap((name) => {
    const list: unknown = options[name];
    if (list === undefined) return [];
    if (!Array.isArray(list)) throw createListError(name);
    return [[name, [...list]]];
  });
  const overrides = {
    ...Object.fromEntries(lists),
    ...(maxProcessorRetries !== undefined && { maxProcessorRetries }),
    ...(structuredOutput !== undefined && { structuredOutput }),
    ...(modelSettings !== undefined && { modelSettings }),
    ...(toolChoice !== undefined && { toolChoice }),
    ...(release !== undefined && { release }),
    ...(clientTools !== undefined && { clientTools }),
    ...(parallelToolCalls !== undefined && { parallelToolCalls }),
    ...(replaces !== undefined && { replaces: [...replaces] }),
  };
  const request = {
    runId,
    tenant,
    agent,
    messages,
    threadId,
    resourceId,
    subject,
    requestContext,
    ...overrides,
    deadlineMs,
  };
  requireJson(request, 'run');
  return { ...request, trace: options.trace };
}

const OVERRIDE_LISTS = ['inputProcessors', 'outputProcessors', 'errorProcessors'] as const;

function createInputError(): MillraceError {
  return new MillraceError('run-refused', 'The input is neither a text nor an array of messages.', {
    path: 'input',
    remedy: 'Pass a string, or messages of the form {id, role, createdAt, content: {format: 2, parts}}.',
  });
}

function createListError(name: string): MillraceError {
  return new MillraceError('run-refused', `"${name}" is not an array.`, {
    path: name,
    remedy: 'Pass an array of entries, such as ["pii"]. A function cannot be sent: make it a processor.',
  });
}

/** @param path name of the value @throws not-json: the bus would drop a function, and with it a list of guards */
export function requireJson(value: unknown, path: string): void {
  const unserializable = findUnserializable(value, path);
  if (unserializable === undefined) return;
  throw new MillraceError('not-json', `${unserializable} is not JSON and cannot be sent.`, {
    path: unserializable,
    remedy:
      'Pass strings, finite numbers, booleans, null, arrays and plain objects; a list is an array, not a function.',
  });
}

function createRefusal(name: string): MillraceError {
  if (name === 'prepareStep')
    return new MillraceError('prepare-step-cannot-travel', 'prepareStep is a function, and functions cannot be sent.', {
      path: name,
      remedy: "Make it a processor's processInputStep, and that processor the last entry of the agent's input list.",
    });
  return new MillraceError('run-refused', `The option "${name}" is unknown.`, {
    path: name,
    remedy: `The options are ${[...known].join(', ')}.`,
  });
}

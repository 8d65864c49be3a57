// Registers the error codes: every coded error of Millrace has one of these. docs/errors.md lists the same set, and a
// test compares the two. The name of a code describes the problem for the receiver, not the place that throws it.
export const ERROR_CODES = {
  // Messages
  'memory-unjudged': 'A warning: agents of the tenant judge the messages of a memory differently.',
  'message-invalid': 'A message does not fit its schema.',
  'message-too-large': 'A message exceeds the server’s max_payload.',
  'token-invalid': 'An id has characters or a length that a subject cannot carry.',
  'reply-subject-refused': 'The reply subject of a request is outside its own inbox prefix.',
  'not-json': 'A value is not JSON and cannot be sent.',
  'not-built-yet': 'This version does not support the field, option, verdict or override.',
  'prepare-step-cannot-travel': 'A function was passed instead of data.',
  // Agents
  'agent-unknown': 'No agent of that name is applied.',
  'agent-invalid': 'An agent definition is rejected; every problem is listed.',
  'agents-full': 'The tenant has the maximum number of agents.',
  'processor-unknown': 'An entry names a processor that no running service advertises.',
  'entry-duplicate': 'Two entries have the same name.',
  'entry-target-unknown':
    'after/before names an entry that the list does not contain and no running processor has a position for.',
  'entry-cycle': 'after/before entries form a cycle.',
  'entry-without-stage': 'A processor has no method for its list.',
  'tool-name-without-tool': 'A warning: an option names a tool that the agent does not have.',
  'tools-stopped':
    'A warning: with the new definition, calls of these tools wait for approval while untrusted content is in the run.',
  'tools-without-rules':
    'A warning: an earlier version applied the agent, and untrusted content does not stop calls of its tools.',
  'stage-not-called': 'A warning: a processor has a stage that no list of the agent calls.',
  'entry-order': "A warning: an entry's position is too early or too late for the data that it judges.",
  'judge-under-when':
    'A warning: a processor that judges runs only in some runs, depending on the context that the caller submits.',
  'judge-overridable': 'A warning: a processor that judges is omitted if a caller overrides the lists.',
  'entries-kept': 'A warning: with the new definition, entries stay that overrides of the stored definition replace.',
  'answer-shown-before': 'A warning: a processor may change answers after they were streamed.',
  'processor-ambiguous': 'A warning: several services advertise a processor or tool of one name.',
  'options-invalid': "Options do not fit the processor's schema.",
  'tool-unknown': 'No running service advertises that tool.',
  // Runs
  'run-unknown': 'The run does not exist.',
  'run-exists': 'A run of that id was submitted with another request.',
  'run-refused': 'The request of a run is rejected.',
  'queue-full': 'The tenant’s commands in the queue, or all commands together, have reached their limit.',
  'too-many-runs': 'The tenant submits more runs per second than RUNS_PER_SECOND.',
  'input-too-large': 'The messages of a run exceed the size limit.',
  'run-state-unreadable': 'The stored state of a run does not fit this version.',
  'stored-by-newer': 'An entry was written by a newer version.',
  'run-given-up': 'The run was given up after it lost too many orchestrators.',
  'run-deadline-exceeded': 'The run exceeded its deadline.',
  'run-not-suspended': 'The run is not suspended: it is active or has ended.',
  'resume-token-invalid': 'No pending item of the run has that token.',
  'resume-token-used': 'The item with that token has been answered already.',
  'suspension-expired': 'The run was suspended for the maximum time without an answer.',
  'run-cancelled': 'The run was cancelled.',
  'chunks-gone': 'The chunks of that run have expired.',
  'state-conflict': 'Another writer changed the same entry first.',
  // Stages
  'processor-not-there':
    'A stage call of a run: no replica serves the processor, or the replica was lost during the call.',
  'processor-timeout': 'A stage call of a run: the processor did not answer before its timeout.',
  'processor-failed': 'A processor threw, or returned an invalid answer.',
  'processor-invalid':
    'A processor does not match its definition: a declared stage has no method, or a method no stage.',
  'reads-undeclared': 'A processor read data that its reads do not name.',
  'replica-busy': 'A replica of a processor or tool has reached MAX_CALLS. The orchestrator asks another one.',
  'processor-verdict-refused': 'A processor returned a verdict that its stage does not allow.',
  'object-broken': 'A processor changed the structured output so that it violates its schema.',
  'text-withheld': 'A processor aborted with a reason that the output processors rejected.',
  'session-lost': 'A stream session was lost: silence, a gap in its numbers, or a stopped replica.',
  'state-not-serializable': 'An entry’s state contains a value that is not JSON.',
  'state-too-large': 'An entry’s state exceeds the size limit: it is sent with each of its calls.',
  'message-list-foreign': 'A processor returned another MessageList than its argument.',
  'message-list-and-messages': 'A processor returned both messages and messageList.',
  // Models and tools
  'model-unknown': 'A model id is not of the form provider/model, or names an unknown provider.',
  'model-unpriced': 'A model has no price in `prices` of the agent, and the agent limits its cost.',
  'cost-unknown': 'The cost of a model call is unknown, because its provider did not report its tokens.',
  'model-call-failed':
    'The model provider rejected the call, broke it off, or ended its stream without a finish reason.',
  'model-idle': 'The model exceeded its idle timeout.',
  'release-hold-full': 'More chunks are buffered for release than a run may hold.',
  'model-answer-too-large': 'The model’s answer exceeds the size limit of a step.',
  'tool-failed': 'A tool threw or returned an invalid result.',
  'tool-arguments-invalid': 'The arguments of a tool call do not fit the tool’s schema.',
  'tool-timeout': 'A tool call of a run: the tool did not answer before its timeout.',
  'tool-not-there': 'A tool call of a run: no replica serves the tool.',
  'tool-outcome-unknown': 'A tool was called, but its caller was lost: whether the tool finished is unknown.',
  'tool-progress-too-large': 'A tool reported more progress than a call may.',
  'tool-result-withheld': 'The output processors rejected the result of a tool.',
  'http-guard-failed': 'An endpoint of http-guard is unavailable, refused the call, or returned an invalid answer.',
  // Memory
  'thread-unknown': 'The thread does not exist.',
  'thread-foreign': 'The thread belongs to another resource.',
  'store-unavailable': 'A store (JetStream, Redis, SQLite, Qdrant) does not respond, is full, or was lost.',
  'save-superseded': 'A later owner of the run has already saved its messages.',
  'extraction-failed': 'The model returned no object that fits the requested schema.',
  // Services
  'config-invalid': 'The environment of a service is wrong; every problem is listed.',
  'bus-unreachable': 'The NATS server is unreachable.',
  'credentials-refused': 'The NATS server refuses the credentials of a connection.',
  'permission-denied': 'The NATS user of a connection has no permission for a subject.',
  'stream-mismatch':
    'A stream, consumer or bucket of the server has another configuration that cannot be changed, or belongs to another prefix.',
  'too-many-requests':
    'A process, such as an orchestrator, has the maximum number of requests of one subject under way.',
  'service-failed': 'A service returned an error in the headers of the NATS services protocol.',
  'nobody-there': 'Any other request: no process is subscribed to its subject.',
  timeout: 'Any other request: no answer before its timeout.',
  cancelled: 'The caller cancelled the request.',
  internal: 'A bug: an impossible state was reached.',
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

/** Retrying cannot succeed: the cause is the request or its sender. */
const PERMANENT: ReadonlySet<string> = new Set<ErrorCode>([
  'message-invalid',
  'message-too-large',
  'token-invalid',
  'not-json',
  'not-built-yet',
  'options-invalid',
  'run-exists',
  'model-unpriced',
  'cost-unknown',
  'run-state-unreadable',
  'stored-by-newer',
  'queue-full',
  'too-many-runs',
  'input-too-large',
  'run-not-suspended',
  'resume-token-invalid',
  'resume-token-used',
  'suspension-expired',
  'processor-invalid',
  'processor-verdict-refused',
  'state-not-serializable',
  'state-too-large',
  'message-list-foreign',
  'message-list-and-messages',
  'thread-foreign',
  'credentials-refused',
  'permission-denied',
  'save-superseded',
  'cancelled',
]);

/** Returns true if a retry may succeed. Codes of a later version are retryable. */
export const isRetryable = (code: ErrorCode): boolean => !PERMANENT.has(code);

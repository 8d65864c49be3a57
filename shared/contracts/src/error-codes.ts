// The registry of error codes: every coded error anywhere in Millrace is one of these. docs/errors.md lists the same set,
// and a test compares the two. A code is named by what the receiver must know, not by where it was thrown.
export const ERROR_CODES = {
  // What was sent
  'message-invalid': 'A message does not fit its schema.',
  'message-too-large': 'A message is larger than the server takes (max_payload).',
  'token-invalid': 'An id has characters or a length that a subject cannot carry.',
  'reply-subject-refused': 'A request asked for its answer outside its own inbox prefix.',
  'not-json': 'A value cannot be written as JSON and so cannot travel.',
  'not-built-yet': 'A field, option, verdict or override that this version does not have yet.',
  'prepare-step-cannot-travel': 'A function was passed where only data can travel.',
  // Agents
  'agent-unknown': 'No agent of that name is applied.',
  'agent-invalid': 'An agent definition is refused; every problem is listed.',
  'agents-full': 'The tenant has as many agents as it may have.',
  'processor-unknown': 'An entry names a processor that no running service advertises.',
  'entry-duplicate': 'Two entries have the same name.',
  'entry-target-unknown': 'after/before names something that is neither listed nor shipped.',
  'entry-cycle': 'after/before entries wait for each other.',
  'entry-without-stage': 'A processor has no method for the list that it stands in.',
  'stage-not-called': 'A warning: a processor has a stage that no list of the agent calls.',
  'processor-ambiguous': 'A warning: several services advertise a processor or tool of one name.',
  'options-invalid': "Options do not fit the processor's schema.",
  'tool-unknown': 'No running service advertises that tool.',
  // Runs
  'run-unknown': 'No run of that id is known.',
  'run-exists': 'A run of that id was submitted with another request.',
  'run-refused': 'The request of a run is refused.',
  'queue-full': 'The tenant has as many runs waiting as the queue takes.',
  'run-state-unreadable': 'What is stored of a run does not fit this version.',
  'run-owner-lost':
    'The orchestrator that drove this run was lost, and another one cannot resume it: takeover is not implemented.',
  'run-deadline-exceeded': 'The run took longer than its deadline.',
  'run-not-suspended': 'The run waits for nothing: it goes on, or has ended.',
  'resume-token-invalid': 'Nothing that the run waits for has that token.',
  'resume-token-used': 'What has that token was answered before.',
  'suspension-expired': 'The run waited for an answer for as long as it may.',
  'run-cancelled': 'The run was cancelled.',
  'chunks-gone': 'The chunks of that run are no longer kept.',
  'state-conflict': 'Somebody else wrote the same entry first.',
  // Stages
  'processor-not-there': 'Nobody answers on the processor’s subject.',
  'processor-timeout': 'A processor did not answer in its time.',
  'processor-failed': 'A processor threw, or answered something that cannot be used.',
  'processor-invalid':
    'A processor is not what its definition says: a declared stage has no method, or a method no stage.',
  'replica-busy': 'A replica has as many calls under way as it takes.',
  'processor-verdict-refused': 'A processor gave a verdict that its stage does not allow.',
  'text-withheld': 'A processor aborted with a reason that the output processors rejected.',
  'session-lost': 'A stream session broke off: silence, a gap in its numbers, or a replica that went away.',
  'state-not-serializable': 'An entry’s state holds something that is not JSON.',
  'message-list-foreign': 'A processor returned another MessageList than the one it was given.',
  'message-list-and-messages': 'A processor returned both messages and messageList.',
  // Models and tools
  'model-unknown': 'A model id is not of the form provider/model, or names a provider that is not there.',
  'model-call-failed': 'The model provider refused or broke the call.',
  'model-idle': 'The model sent nothing for too long.',
  'model-answer-too-large': 'The model’s answer is larger than a step may hold.',
  'tool-failed': 'A tool threw or answered something that is not a result.',
  'tool-arguments-invalid': 'The arguments of a tool call do not fit the tool’s schema.',
  'tool-timeout': 'A tool did not answer in its time.',
  'tool-not-there': 'Nobody answers on the tool’s subject.',
  'tool-progress-too-large': 'A tool said more while it worked than a call may.',
  'tool-result-withheld': 'The output processors did not let the result of a tool through.',
  // Memory
  'thread-unknown': 'No thread of that id is known.',
  'thread-foreign': 'The thread belongs to another resource.',
  'store-unavailable': 'A store (JetStream, Redis, SQLite, Qdrant) does not answer, is full, or was lost.',
  'save-superseded': 'A later owner of the run has already saved its messages.',
  'extraction-failed': 'The model did not give an object that fits the memory’s schema.',
  // Services
  'config-invalid': 'The environment of a service is wrong; every problem is listed.',
  'bus-unreachable': 'The NATS server cannot be reached.',
  'stream-mismatch':
    'A stream, consumer or bucket of the server has another configuration, and the server does not change it.',
  'too-many-requests': 'The service has as many requests under way as it takes.',
  'service-failed': 'A service answered with an error of its own, by the headers of the NATS services protocol.',
  'nobody-there': 'Nobody answers on a subject.',
  timeout: 'No answer came in time.',
  cancelled: 'The caller gave the request up.',
  internal: 'A bug: something happened that the code says cannot.',
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

/** Trying these again, or asking somebody else, would give the same: the cause is in what was sent or in who sent it. */
const PERMANENT: ReadonlySet<string> = new Set<ErrorCode>([
  'message-invalid',
  'message-too-large',
  'token-invalid',
  'not-json',
  'not-built-yet',
  'options-invalid',
  'run-exists',
  'queue-full',
  'run-not-suspended',
  'resume-token-invalid',
  'resume-token-used',
  'suspension-expired',
  'processor-invalid',
  'processor-verdict-refused',
  'state-not-serializable',
  'message-list-foreign',
  'message-list-and-messages',
  'thread-foreign',
  'save-superseded',
  'cancelled',
]);

/** Whether the same may come out well when it is tried again. A code of a later version may. */
export const isRetryable = (code: ErrorCode): boolean => !PERMANENT.has(code);

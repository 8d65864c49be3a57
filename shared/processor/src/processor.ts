// The Processor interface: the eight methods of the reference interface and two around tools, with its argument and result shapes. A
// processor implements the methods of the stages that it serves. See ../../../docs and the README's "Write a processor".
import type {
  Chunk,
  GuardVersion,
  JsonObject,
  JsonValue,
  Message,
  ModelSettings,
  Prompt,
  RunRef,
  Stage,
  StepResult,
  StructuredOutput,
  ToolCall,
  ToolChoice,
  ToolDefinition,
  Trace,
  Usage,
  Violation,
} from '@millrace/contracts';
import type { ListedSystemMessage, MessageList } from './message-list/message-list.ts';
import type { RequestContext } from './request-context.ts';
import type { AbortOptions, SuspendOptions } from './verdict/stop.ts';

type MaybePromise<T> = T | Promise<T>;

/** A custom chunk on its way to the client. `type` starts with `data-`. `transient: true` is not stored. */
export type CustomChunk = { type: `data-${string}`; data?: JsonValue; transient?: boolean; [key: string]: unknown };
/** Rejects for a chunk that cannot be sent; where nobody waits for it, the call fails. */
export type StreamWriter = { custom(chunk: CustomChunk): Promise<void> };

/** What every method gets. */
export type CommonArgs = {
  /** Stops the run with a tripwire; with `retry` the model is asked again with the reason as feedback. Never returns. */
  abort(reason?: string, options?: AbortOptions): never;
  /** Ends the run well, with this text as the answer. Never returns. */
  halt(response: string, reason?: string): never;
  /**
   * Puts the run away until somebody answers `payload` (7 days where not said otherwise): this method is then called again with
   * `resumeData`. In processInput, processInputStep, processOutputStep, processToolCall, processToolResult and processOutputResult.
   * Never returns.
   */
  suspend(payload: JsonValue, options?: SuspendOptions): never;
  /** What somebody answered to what this entry suspended with, here. Untrusted; its shape is whatever they sent. */
  resumeData?: JsonValue;
  /** How often processors have asked for a retry in a row. */
  retryCount: number;
  /** Belongs to this entry and this run; JSON. The same in all stages. */
  state: JsonObject;
  requestContext: RequestContext;
  tracingContext: { trace?: Trace };
  /** Fires when the run was cancelled or the stage's time is up. */
  abortSignal: AbortSignal;
  writer: StreamWriter;
  /** Records a violation: it reaches the events subject and the caller, whatever the strategy. Never throws. */
  onViolation(violation: Omit<Violation, 'processorId'>): void;
  run: RunRef;
  /** The entry's name in the agent. */
  entry: string;
  /** Its position in the agent’s list, memory in its place and a caller’s list in the agent’s; the same at all stages of the list. An argument, since one processor object serves many runs. */
  processorIndex?: number;
  stepNumber: number;
};

/** What a method may return of them: without a tag it is the processor's own. */
export type ReturnedSystemMessage = { role?: 'system'; content: string; tag?: string };

type WithMessages = { messages: Message[]; messageList: MessageList; systemMessages: ListedSystemMessage[] };
type Halting = { halt: true; response?: string; reason?: string };
type MessagesResult =
  | MessageList
  | Message[]
  | { messages: Message[]; systemMessages?: ReturnedSystemMessage[] }
  | Halting;

export type ProcessInputArgs = CommonArgs & WithMessages;
export type ProcessInputResult = MessagesResult | void | undefined;

type ModelCall = {
  model: string;
  tools: Record<string, ToolDefinition>;
  /** undefined: all of them. */
  activeTools?: string[];
  toolChoice?: ToolChoice;
  modelSettings: ModelSettings;
  providerOptions: Record<string, JsonObject>;
  structuredOutput?: StructuredOutput;
};
export type ProcessInputStepArgs = CommonArgs & WithMessages & ModelCall & { steps: StepResult[] };
export type ProcessInputStepResult =
  | MessageList
  | Message[]
  | (Partial<ModelCall> & {
      messages?: Message[];
      messageList?: MessageList;
      systemMessages?: ReturnedSystemMessage[];
    })
  | Halting
  | void
  | undefined;

export type ProcessLLMRequestArgs = CommonArgs & {
  prompt: Prompt;
  model: string;
  steps: StepResult[];
  /** What else makes up the call: a cache's key needs it. */
  tools: ToolDefinition[];
  toolChoice?: ToolChoice;
  modelSettings: ModelSettings;
  providerOptions: Record<string, JsonObject>;
  structuredOutput?: StructuredOutput;
  /** Who else judges the run, by version and options: what they have let through is another answer where these differ. */
  guards: GuardVersion[];
};
/** `response`: the chunks of an earlier answer instead of a call. */
export type ProcessLLMRequestResult = { prompt?: Prompt; response?: { chunks: Chunk[] } } | Halting | void | undefined;

export type ProcessAPIErrorArgs = CommonArgs & WithMessages & { error: unknown; steps: StepResult[]; model: string };
export type ProcessAPIErrorResult = { retry: boolean; model?: string } | void | undefined;

export type ProcessOutputStreamArgs = CommonArgs & {
  part: Chunk;
  /** What this processor has received in this step, `part` included. */
  streamParts: Chunk[];
  messageList: MessageList;
};
/** null and undefined drop the chunk, an array puts several in its place. */
export type ProcessOutputStreamResult = Chunk | Chunk[] | null | undefined | void;

export type ProcessLLMResponseArgs = CommonArgs & {
  chunks: Chunk[];
  model: string;
  /** Those before, and this one as it was let through. */
  steps: StepResult[];
  fromCache: boolean;
  warnings: unknown[];
  finishReason: string;
  /** Of this call, with its `cost` where the agent has prices. Empty from a cache. */
  usage: Usage;
  /** Number of the model call in the run, from 1 on: what it cost is counted once under it, whoever drives the run. */
  modelCall: number;
  /** The answer comes to nobody: it was cut off, or another processor stopped it. Only where the definition says `processCutOff`; it may come twice. */
  cutOff: boolean;
  /** The body that was sent to the provider. null from a cache. */
  request: JsonValue;
  /** What the provider answered around its stream: headers. null from a cache. */
  rawResponse: JsonValue;
};

export type ProcessOutputStepArgs = CommonArgs &
  WithMessages & {
    finishReason: string;
    toolCalls: ToolCall[];
    text: string;
    usage: Usage;
    /** Those before, and this one as it was let through. */
    steps: StepResult[];
  };
export type ProcessOutputStepResult = MessagesResult | { text?: string; toolCalls?: ToolCall[] } | void | undefined;

export type ProcessToolCallArgs = CommonArgs & { toolCall: ToolCall; tool: ToolDefinition; messageList: MessageList };
export type ProcessToolCallResult =
  | { args: JsonValue }
  | { call: ToolCall }
  | { call?: ToolCall; deny: true; reason: string; code?: string }
  | Halting
  | void
  | undefined;

export type ProcessToolResultArgs = CommonArgs & {
  toolCall: ToolCall;
  tool: ToolDefinition;
  result: JsonValue;
  isError: boolean;
  messageList: MessageList;
};
export type ProcessToolResultResult = { result: JsonValue; isError?: boolean } | Halting | void | undefined;

export type OutputResult = { text: string; usage: Usage; finishReason: string; steps: StepResult[]; answered: boolean };
export type ProcessOutputResultArgs = CommonArgs & WithMessages & { result: OutputResult };
export type ProcessOutputResultResult = MessagesResult | void | undefined;

export interface Processor {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  /** Whether processOutputStream also gets `data-*` chunks. Said here or in the definition. */
  readonly processDataParts?: boolean;
  /** Told of every violation that this processor reports, in whatever call; what it throws is dropped. */
  onViolation?(violation: Violation): MaybePromise<void>;
  processInput?(args: ProcessInputArgs): MaybePromise<ProcessInputResult>;
  processInputStep?(args: ProcessInputStepArgs): MaybePromise<ProcessInputStepResult>;
  processLLMRequest?(args: ProcessLLMRequestArgs): MaybePromise<ProcessLLMRequestResult>;
  processAPIError?(args: ProcessAPIErrorArgs): MaybePromise<ProcessAPIErrorResult>;
  processOutputStream?(args: ProcessOutputStreamArgs): MaybePromise<ProcessOutputStreamResult>;
  processLLMResponse?(args: ProcessLLMResponseArgs): MaybePromise<void | undefined>;
  processOutputStep?(args: ProcessOutputStepArgs): MaybePromise<ProcessOutputStepResult>;
  processToolCall?(args: ProcessToolCallArgs): MaybePromise<ProcessToolCallResult>;
  processToolResult?(args: ProcessToolResultArgs): MaybePromise<ProcessToolResultResult>;
  processOutputResult?(args: ProcessOutputResultArgs): MaybePromise<ProcessOutputResultResult>;
}

type Having<S extends Stage> = { [K in S]: Required<Processor>[K] };
/** One of the stages of each list at least. */
export type InputProcessor = Processor &
  (
    | Having<'processInput'>
    | Having<'processInputStep'>
    | Having<'processLLMRequest'>
    | Having<'processLLMResponse'>
    | Having<'processToolCall'>
  );
export type OutputProcessor = Processor &
  (
    | Having<'processOutputStream'>
    | Having<'processOutputStep'>
    | Having<'processToolResult'>
    | Having<'processOutputResult'>
  );
export type ErrorProcessor = Processor & Having<'processAPIError'>;

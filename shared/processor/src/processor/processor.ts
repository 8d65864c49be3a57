// The Processor interface: the eight methods of the reference interface and two for tools, with its argument and result
// shapes. A processor implements the methods of its stages. See ../../../docs and the README's "Write a processor".
import type {
  Chunk,
  GuardVersion,
  JsonObject,
  JsonValue,
  Message,
  ModelSettings,
  ReportedUsage,
  Prompt,
  RunJudges,
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
import type { ListedSystemMessage, MessageList } from '../message-list/message-list.ts';
import type { RequestContext } from './request-context.ts';
import type { AbortOptions, SuspendOptions } from './stop.ts';

type MaybePromise<T> = T | Promise<T>;

/** A custom chunk for the client. `type` starts with `data-`. `transient: true` is not stored. */
export type CustomChunk = { type: `data-${string}`; data?: JsonValue; transient?: boolean; [key: string]: unknown };
/** Rejects for a chunk that cannot be sent; without a handler for the rejection the call fails. */
export type StreamWriter = { custom(chunk: CustomChunk): Promise<void> };

/**
 * Arguments of every method. `abort`, `halt` and `suspend` throw. The stop counts until the method returns, also if the method catches the
 * error, or does not await the promise that rejected with it. A processor that wraps another one gives it stops of its own.
 */
export type CommonArgs = {
  /**
   * Stops the run with a tripwire; with `retry` the model is called again with the reason as feedback. Never returns.
   */
  abort(reason?: string, options?: AbortOptions): never;
  /** Ends the run successfully with this text as the answer. Never returns. */
  halt(response: string, reason?: string): never;
  /**
   * Suspends the run until `payload` is answered (default time limit: 7 days): this method is then called again with
   * `resumeData`. In processInput, processInputStep, processOutputStep, processToolCall, processToolResult and
   * processOutputResult. Never returns.
   */
  suspend(payload: JsonValue, options?: SuspendOptions): never;
  /** Answer to this entry's suspension in this stage. Untrusted, of any shape. */
  resumeData?: JsonValue;
  /** Number of consecutive retries that processors have requested. */
  retryCount: number;
  /** A retry is allowed while `retryCount` is lower. Absent if the orchestrator is of an earlier version. */
  maxProcessorRetries?: number;
  /** State of this entry in this run, JSON. The same in all stages. */
  state: JsonObject;
  requestContext: RequestContext;
  tracingContext: { trace?: Trace };
  /** Fires if the run is cancelled or the stage times out. */
  abortSignal: AbortSignal;
  writer: StreamWriter;
  /** Records a violation: the events subject and the caller receive it, for every strategy. Never throws. */
  onViolation(violation: Omit<Violation, 'processorId'>): void;
  /**
   * Reports model calls of the processor itself: the usage of the run lists their sum by entry, and budgets of money count
   * them at the price of `model`. Counts are integers from 0 to 1e9. @throws RangeError for other values
   */
  onUsage(usage: ReportedUsage): void;
  run: RunRef;
  /** The entry's name in the agent. */
  entry: string;
  /**
   * True if a failure of this call skips the entry: its policy is `skip`, and the call is its last attempt. If a part of
   * the judgement fails, return the verdict of the other parts and report the failed one with `onViolation`.
   */
  skippable?: true;
  /**
   * Its index in the agent’s list, with memory at its position and a caller’s list inserted in the agent’s; the same at
   * all stages of the list. An argument, because one processor object serves many runs.
   */
  processorIndex?: number;
  stepNumber: number;
};

/** System messages that a method may return: without a tag they belong to the processor. */
export type ReturnedSystemMessage = { role?: 'system'; content: string; tag?: string };

type WithMessages = { messages: Message[]; messageList: MessageList; systemMessages: ListedSystemMessage[] };
type Halting = { halt: true; response?: string; reason?: string };
type MessagesResult =
  | MessageList
  | Message[]
  | { messages: Message[]; systemMessages?: ReturnedSystemMessage[] }
  | Halting;

/** Only for memories. `judges`: the processors that judge the texts of the run. `replaces`: ids of the last messages of the thread, which the run replaces. */
type ForMemories = { judges?: RunJudges; replaces?: readonly string[] };
export type ProcessInputArgs = CommonArgs & WithMessages & ForMemories;
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
  /** Other parts of the call: a cache needs them for its key. */
  tools: ToolDefinition[];
  toolChoice?: ToolChoice;
  modelSettings: ModelSettings;
  providerOptions: Record<string, JsonObject>;
  structuredOutput?: StructuredOutput;
  /** The other guards of the run, by version and options: with other guards a cached answer is another answer. */
  guards: GuardVersion[];
};
/** `response`: the chunks of a cached answer, instead of a call. */
export type ProcessLLMRequestResult = { prompt?: Prompt; response?: { chunks: Chunk[] } } | Halting | void | undefined;

export type ProcessAPIErrorArgs = CommonArgs & WithMessages & { error: unknown; steps: StepResult[]; model: string };
export type ProcessAPIErrorResult = { retry: boolean; model?: string } | void | undefined;

export type ProcessOutputStreamArgs = CommonArgs & {
  part: Chunk;
  /**
   * Chunks that this processor has received in this step, `part` included. Chunks behind the answer arrive in batches: they have the parts of
   * the answer before them if `reads` has `chunks`, at most 256 KiB.
   */
  streamParts: Chunk[];
  messageList: MessageList;
};
/** null and undefined drop the chunk, an array replaces it by several. */
export type ProcessOutputStreamResult = Chunk | Chunk[] | null | undefined | void;

export type ProcessLLMResponseArgs = CommonArgs & {
  chunks: Chunk[];
  model: string;
  /** The earlier steps, and this one after the output chain. */
  steps: StepResult[];
  fromCache: boolean;
  warnings: unknown[];
  finishReason: string;
  /** Usage of this call, with its `cost` if the agent has prices. Empty for a cached answer. */
  usage: Usage;
  /** Number of the model call in the run, starting at 1: its cost is counted once under it, also after a takeover. */
  modelCall: number;
  /**
   * The answer is discarded: it was cut off, or another processor stopped it. Only if the definition sets
   * `processCutOff`; the call may be repeated.
   */
  cutOff: boolean;
  /** The request body sent to the provider. null for a cached answer. */
  request: JsonValue;
  /** The provider's response headers. null for a cached answer. */
  rawResponse: JsonValue;
};

export type ProcessOutputStepArgs = CommonArgs &
  WithMessages & {
    finishReason: string;
    toolCalls: ToolCall[];
    text: string;
    usage: Usage;
    /** The earlier steps, and this one after the output chain. */
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
  /** The JSON text of the result; undefined if JSON.stringify writes it. */
  resultText?: string | undefined;
  /** `caller`: the result is the caller's answer to the question of the tool. The orchestrator decides it. */
  resultOrigin?: 'caller';
  isError: boolean;
  messageList: MessageList;
};
export type ProcessToolResultResult = { result: JsonValue; isError?: boolean } | Halting | void | undefined;

export type OutputResult = { text: string; usage: Usage; finishReason: string; steps: StepResult[]; answered: boolean };
/** `judges`: as in ProcessInputArgs. */
export type ProcessOutputResultArgs = CommonArgs & WithMessages & { result: OutputResult } & ForMemories;
export type ProcessOutputResultResult = MessagesResult | void | undefined;

export interface Processor {
  readonly id: string;
  readonly name?: string;
  readonly description?: string;
  /** True if processOutputStream also receives `data-*` chunks. Set here or in the definition. */
  readonly processDataParts?: boolean;
  /** Receives every violation that this processor reports, in any call; its errors are ignored. */
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
/** A processor with at least one of the stages of the list. */
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

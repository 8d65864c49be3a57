// Interfaces of processors with three phases (before the model, after it, after a tool), which change their input in
// place.
import type { JsonValue } from '@millrace/contracts';
import type { PlainRequest } from '../modifiers/modifier-interfaces.ts';
import type { PlainAnswer } from '../plain/plain-answer.ts';
import type { PlainContext } from '../plain/plain-context.ts';
import type { PlainCall } from '../plain/plain-messages.ts';

/** An error that is thrown stops the run as the processor's failure; one that is returned or thrown may be a stop. */
type PhaseOutcome = void | undefined | Error | Promise<void | undefined | Error>;

export type ChatRequest = PlainRequest;
export type ChatResponse = PlainAnswer;
export type ToolResult = { content: JsonValue; isError: boolean };

export type PreProcessor = { preLLM(ctx: PlainContext, req: ChatRequest): PhaseOutcome };
export type PostProcessor = { postLLM(ctx: PlainContext, resp: ChatResponse): PhaseOutcome };
export type PostToolProcessor = { postTool(ctx: PlainContext, call: PlainCall, result: ToolResult): PhaseOutcome };
export type PhaseProcessor = Partial<PreProcessor & PostProcessor & PostToolProcessor>;

/** Ends the run well, with this answer. */
export class ErrHalt extends Error {
  readonly response: string;

  constructor(response: string) {
    super('halted');
    this.name = 'ErrHalt';
    this.response = response;
  }
}

/** Suspends the run until it is answered; then the same method is called again with `ctx.resumeData`. */
export class ErrSuspend extends Error {
  readonly payload: JsonValue;

  constructor(payload: JsonValue) {
    super('suspended');
    this.name = 'ErrSuspend';
    this.payload = payload;
  }
}
export const suspend = (payload: JsonValue): ErrSuspend => new ErrSuspend(payload);

// Interfaces of the four families of modifiers, and their description as a service.
import type { JsonObject, ModelSettings, ToolChoice, ToolDefinition } from '@millrace/contracts';
import type { PlainAnswer } from '../plain/plain-answer.ts';
import type { Metrics, PlainContext } from '../plain/plain-context.ts';
import type { PlainCall, PlainMessage } from '../plain/plain-messages.ts';
import type { AdaptedDefinition } from '../processor-source.ts';
import type { z } from 'zod';

export type ModifierDefinition<S extends z.ZodType = z.ZodType> = AdaptedDefinition<S> & {
  /** Receives the counts of `ctx.metrics`. Default: they are dropped. */
  metrics?: Metrics;
};

type Maybe<T> = T | Promise<T>;
/** `response`: the text for the caller; default: the reason. */
export type Halted = { halt: true; reason?: string | undefined; response?: string | undefined };
export type Denied = { deny: true; reason?: string | undefined };

/** Before the model: receives the assembled messages and returns their replacement. */
export type MessageModifier = {
  modify(
    messages: PlainMessage[],
    ctx: PlainContext,
  ): Maybe<PlainMessage[] | { messages: PlainMessage[] } | ({ messages?: PlainMessage[] } & Halted)>;
};

export type ToolInjectionModifier = {
  inject(availableTools: ToolDefinition[], ctx: PlainContext): Maybe<ToolDefinition[]>;
};
export type ToolParameterModifier = {
  modify(call: PlainCall, ctx: PlainContext): Maybe<PlainCall | ({ call?: PlainCall } & Denied) | { call: PlainCall }>;
};
/** Only `true` and `valid: true` let a call through. */
export type ValidationResult = boolean | { valid: boolean; reason?: string | undefined; errors?: string[] | undefined };
export type ToolValidationModifier = { validate(call: PlainCall, ctx: PlainContext): Maybe<ValidationResult> };

/** A model call as it will be made. */
export type PlainRequest = {
  model: string;
  messages: PlainMessage[];
  tools: ToolDefinition[];
  toolChoice?: ToolChoice | undefined;
  settings: ModelSettings;
  providerOptions: Record<string, JsonObject>;
};
export type LLMAgentStep = {
  before?(request: PlainRequest, ctx: PlainContext): Maybe<PlainRequest | Halted>;
  after?(response: PlainAnswer, ctx: PlainContext): Maybe<PlainAnswer | Halted>;
};
export type ResponseModifier = {
  modify(response: PlainAnswer, ctx: PlainContext): Maybe<PlainAnswer | Halted>;
};

export const isHalted = (result: object): result is Halted => 'halt' in result && result.halt === true;
export const toHalt = ({ reason, response }: Halted) => ({
  halt: true as const,
  response: response ?? reason ?? '',
  ...(reason !== undefined && { reason }),
});

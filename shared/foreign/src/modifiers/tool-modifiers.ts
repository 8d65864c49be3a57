// Adapts family 2, tool modifiers: the list of tools, their arguments, and their permission.
import { MillraceError } from '@millrace/contracts';
import type { ProcessToolCallArgs, ProcessorDefinition, ProcessorMethods } from '@millrace/processor';
import type { z } from 'zod';
import { createMaker, type SourceOf } from '../processor-source.ts';
import { toPlainContext } from '../plain/plain-context.ts';
import type { PlainCall } from '../plain/plain-messages.ts';
import type {
  ModifierDefinition,
  Denied,
  ToolInjectionModifier,
  ToolParameterModifier,
  ToolValidationModifier,
  ValidationResult,
} from './modifier-interfaces.ts';

/** Before each step. An injected tool must be served: calls are sent to its subject. */
export function toolInjectionModifier<S extends z.ZodType>(
  source: SourceOf<ToolInjectionModifier, S>,
  given: ModifierDefinition<S>,
): ProcessorDefinition {
  return buildDefinition(source, given, 'processInputStep', (modifier) => ({
    async processInputStep(args) {
      const tools = await modifier.inject(Object.values(args.tools), toPlainContext(args, given.metrics));
      return { tools: Object.fromEntries(tools.map((tool) => [tool.name, tool])) };
    },
  }));
}

/** Before each call of a tool. */
export function toolParameterModifier<S extends z.ZodType>(
  source: SourceOf<ToolParameterModifier, S>,
  given: ModifierDefinition<S>,
): ProcessorDefinition {
  return buildDefinition(source, given, 'processToolCall', (modifier) => ({
    async processToolCall(args) {
      const result = await modifier.modify(toPlainCall(args), toPlainContext(args, given.metrics));
      if (isDenied(result)) return { deny: true, reason: result.reason ?? 'Denied.' };
      const call = 'call' in result ? result.call : result;
      if (call.name === args.toolCall.toolName) return { args: call.args };
      throw new MillraceError(
        'processor-verdict-refused',
        `"${given.id}" made a call of "${call.name}" out of another.`,
        {
          remedy: 'Change the arguments; to keep a tool from being called, return {call, deny: true, reason}.',
        },
      );
    },
  }));
}

/** Before each call of a tool: a call is denied unless its validation returns valid. */
export function toolValidationModifier<S extends z.ZodType>(
  source: SourceOf<ToolValidationModifier, S>,
  given: ModifierDefinition<S>,
): ProcessorDefinition {
  return buildDefinition(source, given, 'processToolCall', (modifier) => ({
    async processToolCall(args) {
      try {
        const result = await modifier.validate(toPlainCall(args), toPlainContext(args, given.metrics));
        return isValid(result) ? undefined : { deny: true, reason: readReason(result) };
      } catch (error) {
        return {
          deny: true,
          reason: `The call could not be validated: ${error instanceof Error ? error.message : ''}`,
        };
      }
    },
  }));
}

function buildDefinition<T extends object, S extends z.ZodType>(
  source: SourceOf<T, S>,
  given: ModifierDefinition<S>,
  stage: 'processInputStep' | 'processToolCall',
  methods: (modifier: T) => ProcessorMethods,
): ProcessorDefinition {
  const { id } = given;
  const made = createMaker(source, given, (modifier: T) => modifier);
  return { ...made.base, stages: [stage], create: (options) => ({ id, ...methods(made.create(options)) }) };
}

function toPlainCall({ toolCall }: ProcessToolCallArgs): PlainCall {
  const { toolCallId, toolName, args } = toolCall;
  return { id: toolCallId, name: toolName, args: structuredClone(args) };
}

const isDenied = (result: object): result is Denied => 'deny' in result && result.deny === true;
/** Code without types may return any value. */
const isValid = (result: unknown): boolean =>
  result === true || (typeof result === 'object' && result !== null && 'valid' in result && result.valid === true);

function readReason(result: ValidationResult): string {
  const { reason, errors } = typeof result === 'object' && result !== null ? result : {};
  return reason ?? (errors && errors.length > 0 ? errors.join('; ') : 'The call is not valid.');
}

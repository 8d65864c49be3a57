// Defines a tool of a service: its description for the model, and its function. The arguments are validated here
// although the orchestrator has validated them against the advertised JSON Schema: that schema has no refinements.
import {
  MillraceError,
  findUnserializable,
  parseValue,
  toJsonSchema,
  toolDefinitionSchema,
  type Issue,
  type JsonSchema,
  type JsonValue,
  type RunRef,
  type ToolDefinition,
  type ToolEffect,
} from '@millrace/contracts';
import type { z } from 'zod';
import type { StreamWriter } from '../processor/processor.ts';
import type { SuspendOptions } from '../processor/stop.ts';
import type { RequestContext } from '../processor/request-context.ts';

/** Context of a tool call. */
export type ToolContext = {
  run: RunRef;
  toolCallId: string;
  /** The arguments as the model wrote them: JSON, in which numbers have digits that a double does not hold. */
  argsText: string;
  /** Sends chunks to the client at once, before the result. */
  writer: StreamWriter;
  /** Fires if the run is cancelled or the call times out. The result is ignored then. */
  abortSignal: AbortSignal;
  /** Only for idempotent tools: two calls with the same key must have the effect of one. */
  idempotencyKey: string | undefined;
  requestContext: RequestContext;
  /**
   * Suspends the run until `payload` is answered: the tool is then called again with the same arguments and
   * `resumeData`. It must not repeat earlier effects. Never returns.
   */
  suspend(payload: JsonValue, options?: SuspendOptions): never;
  /** Answer to the suspension. Untrusted, of any shape. */
  resumeData?: JsonValue;
};

/** A result that keeps its text: the model receives it as it is. */
export class JsonText {
  readonly text: string;
  /** @param text JSON */
  constructor(text: string) {
    this.text = text;
  }
}
export type ToolOutput = JsonValue | JsonText;

export type Tool = {
  /** A token; part of the subject and the queue group. */
  name: string;
  /** For the model: the tool's function, when to use it, and its result. */
  description: string;
  /** A strict object schema rejects invented arguments of a model. */
  inputSchema: z.ZodObject;
  /** Is advertised instead of `inputSchema`: for a tool of another system, which has a JSON Schema. */
  advertisedSchema?: JsonSchema;
  /** True if a call that may have been executed may be repeated. Default: false. */
  idempotent?: boolean;
  /**
   * Effect of a call. read: it changes nothing outside. write: it changes data. send: it also transmits data to others.
   * Agents stop calls that write or send while untrusted content is in the run. Default: write.
   */
  effect?: ToolEffect;
  /** Timeout of a call, ms. Default: the contract's default. */
  timeoutMs?: number;
  /** @throws tool-arguments-invalid; errors of the tool itself; tool-failed for a result that is not JSON */
  execute(args: unknown, context: ToolContext): Promise<ToolOutput>;
};

/** Ties the type of the arguments to `execute`, and validates arguments and result. */
export function defineTool<S extends z.ZodObject>(
  definition: Omit<Tool, 'inputSchema' | 'execute'> & {
    inputSchema: S;
    execute(args: z.output<S>, context: ToolContext): ToolOutput | Promise<ToolOutput>;
  },
): Tool {
  const { name, inputSchema } = definition;
  return {
    ...definition,
    execute: async (args, context) => {
      const parsed = parseValue(inputSchema, args, 'tool-arguments-invalid');
      if ('issues' in parsed) throw createArgumentsError(name, parsed.issues);
      const result = await definition.execute(parsed.ok, context);
      const broken = result instanceof JsonText ? undefined : findUnserializable(result, 'result');
      if (broken === undefined) return result;
      throw new MillraceError('tool-failed', `The result of ${name} has a value at ${broken} that is not JSON.`, {
        path: broken,
      });
    },
  };
}

/** Returns the advertised description of a tool, which is also sent to the model. */
export function describeTool(tool: Tool, subject: string): ToolDefinition {
  const { name, description, inputSchema, advertisedSchema, idempotent, effect, timeoutMs } = tool;
  return toolDefinitionSchema.parse({
    name,
    description,
    inputSchema: advertisedSchema ?? toJsonSchema(inputSchema),
    subject,
    idempotent,
    effect,
    timeoutMs,
  });
}

/** The message contains all problems, because the model receives it for its next attempt. */
function createArgumentsError(name: string, issues: Issue[]): MillraceError {
  const lines = issues.map(({ path, message }) => `${path || 'arguments'}: ${message}`);
  return new MillraceError('tool-arguments-invalid', `The arguments of ${name} do not fit. ${lines.join('; ')}`, {
    path: issues[0]?.path,
    issues,
  });
}

// A tool as a service offers it: what the model is told of it, and what it does. Its arguments come from a model, so they are
// checked here even though the orchestrator has checked them against the advertised JSON Schema: a refinement does not travel.
import {
  MillraceError,
  findUnserializable,
  issuesOf,
  toJsonSchema,
  toolDefinitionSchema,
  type JsonValue,
  type RunRef,
  type ToolDefinition,
} from '@millrace/contracts';
import type { z } from 'zod';
import type { StreamWriter } from '../processor.ts';
import type { SuspendOptions } from '../verdict/stop.ts';
import type { RequestContext } from '../request-context.ts';

/** What a tool gets beside its arguments. */
export type ToolContext = {
  run: RunRef;
  toolCallId: string;
  /** Its chunks reach the client at once, before the result. */
  writer: StreamWriter;
  /** Fires when the run was cancelled or the call's time is up. Nobody waits for the result then. */
  abortSignal: AbortSignal;
  /** Only for tools that say they are idempotent: two calls with the same key must have the effect of one. */
  idempotencyKey: string | undefined;
  requestContext: RequestContext;
  /**
   * Puts the run away until somebody answers `payload`: the tool is then called again, with the same arguments and `resumeData`.
   * Whatever it has done by then it must not do twice. Never returns.
   */
  suspend(payload: JsonValue, options?: SuspendOptions): never;
  /** What somebody answered. Untrusted; its shape is whatever they sent. */
  resumeData?: JsonValue;
};

export type Tool = {
  /** A token; the subject and the queue group too. */
  name: string;
  /** For the model: what the tool does, when to use it, what it answers. */
  description: string;
  /** A strict object schema refuses what a model makes up. */
  inputSchema: z.ZodObject;
  /** Whether a call that may have been executed may be executed again. Absent: no. */
  idempotent?: boolean;
  /** How long a call may take, ms. Absent: the contract's default. */
  timeoutMs?: number;
  /** @throws tool-arguments-invalid; what the tool itself throws; tool-failed when what it returns is not JSON */
  execute(args: unknown, context: ToolContext): Promise<JsonValue>;
};

/** Ties the type of the arguments to `execute`, and checks both what goes in and what comes out. */
export function defineTool<S extends z.ZodObject>(
  definition: Omit<Tool, 'inputSchema' | 'execute'> & {
    inputSchema: S;
    execute(args: z.output<S>, context: ToolContext): JsonValue | Promise<JsonValue>;
  },
): Tool {
  const { name, inputSchema } = definition;
  return {
    ...definition,
    execute: async (args, context) => {
      const parsed = inputSchema.safeParse(args);
      if (!parsed.success) throw argumentsInvalid(name, parsed.error);
      const result = await definition.execute(parsed.data, context);
      const broken = findUnserializable(result, 'result');
      if (broken === undefined) return result;
      throw new MillraceError('tool-failed', `${name} answered something at ${broken} that is not JSON.`, {
        path: broken,
      });
    },
  };
}

/** What discovery says of a tool, and a model is given. */
export function describeTool(tool: Tool, subject: string): ToolDefinition {
  const { name, description, inputSchema, idempotent, timeoutMs } = tool;
  return toolDefinitionSchema.parse({
    name,
    description,
    inputSchema: toJsonSchema(inputSchema),
    subject,
    idempotent,
    timeoutMs,
  });
}

/** The message holds all of it: it is what the model gets, to try again with. */
function argumentsInvalid(name: string, error: z.ZodError): MillraceError {
  const issues = issuesOf(error, 'tool-arguments-invalid');
  const lines = issues.map(({ path, message }) => `${path || 'arguments'}: ${message}`);
  return new MillraceError('tool-arguments-invalid', `The arguments of ${name} do not fit. ${lines.join('; ')}`, {
    path: issues[0]?.path,
    issues,
  });
}

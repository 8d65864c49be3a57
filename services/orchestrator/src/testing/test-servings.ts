// Subjects that a test serves until its end.
import { toolReplySchema, toolRequestSchema, type ToolRequest } from '@millrace/contracts';
import { serve, type Bus, type ServeContext, type ServeOptions } from '@millrace/bus';
import { onTestFinished } from 'vitest';

/** Returns a function that stops earlier. */
export function serveInTest<Q>(bus: Bus, options: ServeOptions<Q>): () => Promise<void> {
  const serving = serve(bus, options);
  const stop = () => serving.drain(1_000);
  onTestFinished(stop);
  return stop;
}

/** Serves a tool of the service `tools`. Without an answer the call stays open. */
export function serveTool(
  bus: Bus,
  name: string,
  answer: (request: ToolRequest, context: ServeContext) => Promise<object | undefined>,
): () => Promise<void> {
  const handle = async (request: ToolRequest, context: ServeContext) => {
    const answered = await answer(request, context);
    return answered && toolReplySchema.parse({ sequence: 0, replica: bus.id, ...answered });
  };
  return serveInTest(bus, { subject: bus.subjects.tool('tools', name), request: toolRequestSchema, handle });
}

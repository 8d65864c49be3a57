// Runs processors of three phases in the order of their addition; a processor without a method of a phase is skipped in
// it.
import { MillraceError } from '@millrace/contracts';
import type { PlainContext } from '../plain/plain-context.ts';
import type { PlainCall } from '../plain/plain-messages.ts';
import type {
  ChatRequest,
  ChatResponse,
  PhaseProcessor,
  PostProcessor,
  PostToolProcessor,
  PreProcessor,
  ToolResult,
} from './phase-interfaces.ts';

export type ProcessorChain = {
  /** @throws processor-invalid for one that has no method of any phase */
  add(processor: PhaseProcessor): ProcessorChain;
  len(): number;
  /** The phases that any of them has. */
  phases(): { pre: boolean; post: boolean; postTool: boolean };
  /** Each processor changes its input in place. The first error ends the chain: a stop, or a failure. */
  runPreLLM(ctx: PlainContext, req: ChatRequest): Promise<Error | undefined>;
  runPostLLM(ctx: PlainContext, resp: ChatResponse): Promise<Error | undefined>;
  runPostTool(ctx: PlainContext, call: PlainCall, result: ToolResult): Promise<Error | undefined>;
};

export function createProcessorChain(...processors: readonly PhaseProcessor[]): ProcessorChain {
  const all: PhaseProcessor[] = [];
  const pre: PreProcessor[] = [];
  const post: PostProcessor[] = [];
  const postTool: PostToolProcessor[] = [];
  const chain: ProcessorChain = {
    add(processor) {
      if (!isPre(processor) && !isPost(processor) && !isPostTool(processor)) {
        throw new MillraceError('processor-invalid', 'A processor has none of preLLM, postLLM and postTool.', {
          remedy: 'Write one of them: it would never be called.',
        });
      }
      all.push(processor);
      if (isPre(processor)) pre.push(processor);
      if (isPost(processor)) post.push(processor);
      if (isPostTool(processor)) postTool.push(processor);
      return chain;
    },
    len: () => all.length,
    phases: () => ({ pre: pre.length > 0, post: post.length > 0, postTool: postTool.length > 0 }),
    runPreLLM: (ctx, req) => run(pre, (one) => one.preLLM(ctx, req)),
    runPostLLM: (ctx, resp) => run(post, (one) => one.postLLM(ctx, resp)),
    runPostTool: (ctx, call, result) => run(postTool, (one) => one.postTool(ctx, call, result)),
  };
  for (const processor of processors) chain.add(processor);
  return chain;
}

async function run<T>(processors: readonly T[], call: (processor: T) => unknown): Promise<Error | undefined> {
  for (const processor of processors) {
    try {
      const returned = await call(processor);
      if (returned instanceof Error) return returned;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }
  return undefined;
}

const isPre = (processor: PhaseProcessor): processor is PreProcessor => typeof processor.preLLM === 'function';
const isPost = (processor: PhaseProcessor): processor is PostProcessor => typeof processor.postLLM === 'function';
const isPostTool = (processor: PhaseProcessor): processor is PostToolProcessor =>
  typeof processor.postTool === 'function';

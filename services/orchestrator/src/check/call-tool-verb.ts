// Implements the verb `tools-call`: calls one tool alone, in a run that stores and publishes nothing. No processor judges
// the arguments or the result, so a tool that writes or sends needs a confirmation.
import {
  MillraceError,
  agentSchema,
  type AppliedAgent,
  type ToolCallAnswer,
  type ToolCallRequest,
  type ToolDefinition,
  type RunParty,
} from '@millrace/contracts';
import { createMissingIssue } from '../agents/entry-uses.ts';
import { callTool } from '../calls/tool-client.ts';
import type { Discovery } from '../peers/discovery.ts';
import { startDeadline } from './check-limits.ts';
import { createCheckRun } from './check-run.ts';
import type { TryParts } from './try-verb.ts';

export type ToolCallParts = Pick<TryParts, 'deps' | 'submits' | 'places'> & {
  discovery: Pick<Discovery, 'getTools' | 'listRefused' | 'refresh'>;
};

const NO_AGENT: AppliedAgent = {
  agent: agentSchema.parse({ name: 'call', model: 'openai/none' }),
  plan: { entries: {}, order: {}, tools: [] },
  revision: 0,
  appliedAt: new Date(0).toISOString(),
};
/** Time for the answer of a tool to arrive after its own timeout, ms. */
const ANSWER_MS = 1_000;

export function createToolCallVerb({ deps, discovery, submits, places }: ToolCallParts) {
  return async (asked: ToolCallRequest, { tenant, caller }: RunParty): Promise<ToolCallAnswer> => {
    await discovery.refresh();
    const tool = findTool(discovery, asked.tool);
    refuseUnconfirmed(tool, asked);
    const runId = `call-${crypto.randomUUID()}`;
    const { requestContext } = asked;
    const request = { runId, tenant, agent: 'call', messages: [], requestContext, deadlineMs: tool.timeoutMs };
    submits.check(request, { tenant, caller });
    const free = places.take({ tenant, caller });
    const deadline = startDeadline(tool.timeoutMs + ANSWER_MS);
    try {
      const run = createCheckRun(deps, {
        applied: NO_AGENT,
        request,
        direction: 'output',
        answer: { text: '', isCutOff: false },
        deadlineAt: deadline.at,
        signal: deadline.signal,
      });
      const started = performance.now();
      const { effect = 'write' } = tool;
      deps.log.info({ tenant, tool: tool.name, effect, runId }, 'tool called alone by an operator');
      const call = { toolCallId: runId, toolName: tool.name, args: asked.args, position: 0 };
      const called = await callTool(run, call, { tool, signal: deadline.signal, sink: async () => undefined });
      const ms = performance.now() - started;
      if ('result' in called) return { result: called.result.result, isError: called.result.isError, ms };
      const payload = 'suspended' in called ? called.suspended.payload : null;
      return { result: { suspended: payload }, isError: true, ms };
    } finally {
      deadline.end();
      free();
    }
  };
}

/** @throws tool-unknown */
function findTool(discovery: ToolCallParts['discovery'], name: string): ToolDefinition {
  const found = discovery.getTools().get(name);
  if (found) return found.tool;
  const { message, remedy } = createMissingIssue(
    'tool',
    name,
    [...discovery.getTools().keys()],
    discovery.listRefused(),
  );
  throw new MillraceError('tool-unknown', message, { path: 'tool', remedy });
}

/** @throws tool-unconfirmed */
function refuseUnconfirmed({ name, effect = 'write' }: ToolDefinition, { confirmed }: ToolCallRequest): void {
  if (effect === 'read' || confirmed) return;
  const verb = effect === 'send' ? 'sends data to others' : 'changes data';
  throw new MillraceError('tool-unconfirmed', `${name} ${verb}: a call has an effect outside of Millrace.`, {
    path: 'confirmed',
    remedy: 'Repeat the call with confirmed: true, or with --yes on the command line.',
  });
}

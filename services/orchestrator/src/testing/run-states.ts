// States of a run for tests, built by folding actions.
import {
  buildTextMessage,
  type Agent,
  type Plan,
  type RunAction,
  type RunRequest,
  type RunState,
  type StepAnswer,
  type ToolCall,
} from '@millrace/contracts';
import { createInitialState, reduceRun } from '../state/run-state.ts';
import { buildResponseMessageId } from '../transcript/response-message.ts';

export const RUN_ID = 'run-1';

export function makeAgent(more: Partial<Agent> = {}): Agent {
  return {
    name: 'demo',
    model: 'openai/test',
    instructions: 'Be brief.',
    tools: [],
    input: [],
    output: [],
    error: [],
    callerRoles: ['user', 'assistant', 'tool'],
    maxSteps: 5,
    ...more,
  };
}

export const makeRunRequest = (more: Partial<RunRequest> = {}): RunRequest => ({
  runId: RUN_ID,
  tenant: 'acme',
  agent: 'demo',
  messages: [buildTextMessage('m1', 'user', 'hello')],
  requestContext: {},
  deadlineMs: 60_000,
  ...more,
});

const emptyPlan: Plan = { entries: {}, order: {}, tools: [] };

type StateParts = { agent?: Agent; plan?: Plan; request?: Partial<RunRequest> | undefined };

export function makeState({ agent = makeAgent(), plan = emptyPlan, request }: StateParts = {}): RunState {
  return createInitialState({
    request: makeRunRequest({ agent: agent.name, ...request }),
    applied: { agent, plan, revision: 1, appliedAt: '2026-01-01T00:00:00.000Z' },
    firstIndex: 1,
  });
}

export const foldActions = (state: RunState, ...actions: RunAction[]): RunState => actions.reduce(reduceRun, state);

/** An answer that was received and accepted. */
export const makeAccepted = (answer: StepAnswer): RunAction[] => [
  { action: 'model-answered', usage: answer.usage },
  { action: 'answer-accepted', answer, tools: [] },
];

export function makeAnswer(stepNumber: number, text: string, toolCalls: ToolCall[] = []): StepAnswer {
  const message = buildTextMessage(buildResponseMessageId(RUN_ID, stepNumber), 'assistant', text);
  const calls = toolCalls.map((call) => ({
    type: 'tool-invocation' as const,
    toolInvocation: { state: 'call' as const, ...call },
  }));
  return {
    message: { ...message, content: { ...message.content, parts: [...message.content.parts, ...calls] } },
    text,
    reasoning: '',
    toolCalls,
    finishReason: toolCalls.length > 0 ? 'tool-calls' : 'stop',
    usage: { inputTokens: 10, outputTokens: 5, totalTokens: 15 },
    model: 'openai/test',
    fromCache: false,
  };
}

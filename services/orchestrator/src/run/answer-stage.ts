// A step's answer: processInputStep, processLLMRequest, the model's stream, processLLMResponse, processOutputStep. The answer that
// comes out is accepted, and a checkpoint: it is never paid for twice.
import {
  PROMPT_VERSION,
  messagesOf,
  type Chunk,
  type Message,
  type MessageOp,
  type StageInput,
  type StepAnswer,
  type ToolCall,
  type ToolDefinition,
} from '@millrace/contracts';
import { askModel, type Answered, type ModelCall } from '../step/ask-model.ts';
import { dataSink, sendChunks } from '../step/outlet.ts';
import { promptOf } from '../step/prompt.ts';
import { fail, type Interrupt } from './interrupt.ts';
import { textOf, toolCallsOf, withText, withToolCalls } from './response-message.ts';
import { runStage } from './run-stage.ts';
import type { Run } from './run.ts';
import { changedGroups } from './system-groups.ts';

export async function answerStage(run: Run): Promise<Interrupt | undefined> {
  if (run.state().open?.answer) return undefined;
  let model: string | undefined;
  for (let errorRetries = 0; ; errorRetries++) {
    const asked = await askOnce(run, model, errorRetries);
    if ('interrupt' in asked) return asked.interrupt;
    if ('again' in asked) {
      model = asked.again.model ?? model;
      continue;
    }
    const { answered, call } = asked;
    return (await respond(run, call, answered, errorRetries)) ?? (await judge(run, call, answered, errorRetries));
  }
}

async function askOnce(run: Run, model: string | undefined, errorRetries: number) {
  const prepared = await prepare(run, model, errorRetries);
  if ('interrupt' in prepared) return prepared;
  const requested = await request(run, prepared.call, errorRetries);
  if ('interrupt' in requested) return requested;
  const asked = await askModel(run, requested.call, stepInput(run, errorRetries));
  return 'answered' in asked ? { ...asked, call: requested.call } : asked;
}

/** The arguments that all stages of a step have. Tries that processAPIError asked for count as retries in all of them. */
function stepInput(
  run: Run,
  errorRetries: number,
): StageInput & { conversation: NonNullable<StageInput['conversation']> } {
  const { retryCount, steps, conversation } = run.state();
  return { retryCount: retryCount + errorRetries, stepNumber: steps.length, conversation, steps };
}

/** processInputStep: each processor sees what the one before it changed. */
async function prepare(
  run: Run,
  model: string | undefined,
  errorRetries: number,
): Promise<{ call: ModelCall } | { interrupt: Interrupt }> {
  const { agent, plan } = run;
  const input: StageInput = {
    ...stepInput(run, errorRetries),
    model: model ?? agent.model,
    tools: plan.tools,
    activeTools: null,
    modelSettings: agent.modelSettings ?? {},
    providerOptions: agent.providerOptions ?? {},
    ...(agent.structuredOutput && { structuredOutput: agent.structuredOutput }),
  };
  const result = await runStage(run, 'processInputStep', input, dataSink(run));
  if (result.interrupt) return { interrupt: result.interrupt };
  const { tools = [], activeTools, toolChoice, structuredOutput, modelSettings = {}, providerOptions } = result.input;
  return {
    call: {
      model: result.input.model ?? agent.model,
      prompt: promptOf(run.state().conversation),
      tools: tools.filter((tool) => !activeTools || activeTools.includes(tool.name)),
      toolChoice,
      modelSettings,
      providerOptions,
      structuredOutput: structuredOutput ?? undefined,
    },
  };
}

/** processLLMRequest: the prompt of this call only, or a whole cached answer instead. */
async function request(
  run: Run,
  call: ModelCall,
  errorRetries: number,
): Promise<{ call: ModelCall } | { interrupt: Interrupt }> {
  const { model, prompt, tools, toolChoice, modelSettings, structuredOutput } = call;
  const { conversation: _, ...common } = stepInput(run, errorRetries);
  const input: StageInput = {
    ...common,
    model,
    prompt,
    promptVersion: PROMPT_VERSION,
    tools,
    modelSettings,
    ...(toolChoice && { toolChoice }),
    ...(structuredOutput && { structuredOutput }),
  };
  const result = await runStage(run, 'processLLMRequest', input, dataSink(run));
  if (result.interrupt) return { interrupt: result.interrupt };
  const cached = result.answer?.type === 'respond' ? result.answer.chunks : undefined;
  return { call: { ...call, prompt: result.input.prompt ?? prompt, cached } };
}

/** processLLMResponse sees what was let through, from a cache too. It changes nothing. */
async function respond(
  run: Run,
  call: ModelCall,
  { builder, warnings }: Answered,
  errorRetries: number,
): Promise<Interrupt | undefined> {
  const { conversation: _, ...common } = stepInput(run, errorRetries);
  const chunks = [...builder.chunks()];
  const input: StageInput = { ...common, model: call.model, chunks, fromCache: call.cached !== undefined, warnings };
  return (await runStage(run, 'processLLMResponse', input, dataSink(run))).interrupt;
}

/** processOutputStep, and what it leaves of the answer is the answer. */
async function judge(
  run: Run,
  call: ModelCall,
  answered: Answered,
  errorRetries: number,
): Promise<Interrupt | undefined> {
  const { builder, finishReason, usage } = answered;
  const message = builder.message();
  run.dispatch({ action: 'messages-changed', ops: [{ op: 'add', source: 'response', message }] });
  const given = { text: textOf(message), toolCalls: toolCallsOf(message) };
  const input = { ...stepInput(run, errorRetries), ...given, finishReason, usage };
  const result = await runStage(run, 'processOutputStep', input, dataSink(run));
  if (result.interrupt) return result.interrupt;
  const final = finalMessage(run, message, given, result.input);
  const answer: StepAnswer = {
    message: final,
    text: textOf(final),
    reasoning: builder.reasoning(),
    toolCalls: toolCallsOf(final),
    finishReason,
    usage,
    model: call.model,
    fromCache: call.cached !== undefined,
  };
  // With calls the answer is not the last one: its words are about the calls.
  const object = call.structuredOutput && answer.toolCalls.length === 0 ? parseObject(answer.text) : undefined;
  if (object && 'interrupt' in object) return object.interrupt;
  if (object) {
    const chunk: Chunk = { type: 'object-result', runId: run.ref.runId, from: 'AGENT', object: object.value };
    const stopped = await sendChunks(run, [chunk]);
    if (stopped) return stopped;
  }
  const system = changedGroups(input.conversation.system, run.state().conversation.system);
  return accept(run, object ? { ...answer, object: object.value } : answer, call.tools, system);
}

type Given = { text: string; toolCalls: ToolCall[] };

/** The message as processors left it in the conversation, with the text and the calls that they gave instead. */
function finalMessage(run: Run, message: Message, given: Given, left: StageInput): Message {
  const { text = given.text, toolCalls = given.toolCalls } = left;
  const responses = messagesOf(run.state().conversation, 'response');
  const removed = { ...message, content: { ...message.content, parts: [] } };
  const kept = responses.find((response) => response.id === message.id) ?? removed;
  const withNewText = text === given.text ? kept : withText(kept, text);
  return toolCalls === given.toolCalls ? withNewText : withToolCalls(withNewText, toolCalls);
}

/** What processInputStep said to the model ends with the step; what processOutputStep says is for the next one. */
async function accept(
  run: Run,
  answer: StepAnswer,
  tools: ToolDefinition[],
  system: MessageOp[],
): Promise<Interrupt | undefined> {
  run.dispatch({ action: 'messages-changed', ops: [{ op: 'add', source: 'response', message: answer.message }] });
  run.dispatch({ action: 'answer-accepted', answer, tools });
  if (system.length > 0) run.dispatch({ action: 'messages-changed', ops: system });
  return run.checkpoint();
}

function parseObject(text: string) {
  if (text.trim() === '') return undefined;
  try {
    return { value: JSON.parse(text) };
  } catch (cause) {
    const message = `The model was asked for an object and answered with something else: ${String(cause)}`;
    return {
      interrupt: fail({ code: 'model-call-failed', message, remedy: 'Use a model that supports structured output.' }),
    };
  }
}

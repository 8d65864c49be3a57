// A step's answer: processInputStep, processLLMRequest, the model's stream, processLLMResponse, processOutputStep. Asked for anew,
// from processInputStep on, as often as processAPIError says so.
import { PROMPT_VERSION, type StageInput } from '@millrace/contracts';
import { askModel, type Answered, type ModelCall } from '../model/ask-model.ts';
import { promptOf } from '../model/prompt.ts';
import type { Interrupt } from '../state/interrupt.ts';
import { acceptAnswer, judgeAnswer } from './accept-answer.ts';
import { runStage } from '../stages/run-stage.ts';
import type { Run } from '../state/run-context.ts';
import { stepInput } from './step-input.ts';

export async function answerStage(run: Run): Promise<Interrupt | undefined> {
  const { open } = run.state();
  if (open?.answer) return undefined;
  if (open?.draft) return judgeAnswer(run, open.draft);
  for (;;) {
    const asked = await askOnce(run);
    if ('interrupt' in asked) return asked.interrupt;
    if ('again' in asked) continue;
    const { answered, call } = asked;
    return (await judgeResponse(run, call, answered)) ?? (await acceptAnswer(run, call, answered));
  }
}

async function askOnce(run: Run) {
  const prepared = await prepareCall(run);
  if ('interrupt' in prepared) return prepared;
  const requested = await judgeRequest(run, prepared.call);
  if ('interrupt' in requested) return requested;
  const asked = await askModel(run, requested.call, stepInput(run));
  return 'answered' in asked ? { ...asked, call: requested.call } : asked;
}

/** processInputStep: each processor sees what the one before it changed. */
async function prepareCall(run: Run): Promise<{ call: ModelCall } | { interrupt: Interrupt }> {
  const { agent, plan } = run;
  const input: StageInput = {
    ...stepInput(run),
    model: run.state().open?.model ?? agent.model,
    tools: plan.tools,
    activeTools: null,
    modelSettings: agent.modelSettings ?? {},
    providerOptions: agent.providerOptions ?? {},
    ...(agent.structuredOutput && { structuredOutput: agent.structuredOutput }),
  };
  const result = await runStage(run, 'processInputStep', input);
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
async function judgeRequest(run: Run, call: ModelCall): Promise<{ call: ModelCall } | { interrupt: Interrupt }> {
  const { model, prompt, tools, toolChoice, modelSettings, structuredOutput } = call;
  const { conversation: _, ...common } = stepInput(run);
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
  const result = await runStage(run, 'processLLMRequest', input);
  if (result.interrupt) return { interrupt: result.interrupt };
  const cached = result.answer?.type === 'respond' ? result.answer.chunks : undefined;
  return { call: { ...call, prompt: result.input.prompt ?? prompt, cached } };
}

/** processLLMResponse sees what was let through, from a cache too. It changes nothing. */
async function judgeResponse(
  run: Run,
  call: ModelCall,
  { builder, warnings }: Answered,
): Promise<Interrupt | undefined> {
  const { conversation: _, ...common } = stepInput(run);
  const chunks = [...builder.chunks()];
  const input: StageInput = { ...common, model: call.model, chunks, fromCache: call.cached !== undefined, warnings };
  return (await runStage(run, 'processLLMResponse', input)).interrupt;
}

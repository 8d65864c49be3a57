// Puts the calls of a caller's tools to the caller, as questions that expire after an hour, and takes its answers as the
// results of the calls.
import {
  CLIENT_TOOL_LIMITS,
  clientResultSchema,
  measureJson,
  nameText,
  pickCall,
  type JsonValue,
  type PlacedCall,
  type PlacedResult,
} from '@millrace/contracts';
import type { Interrupt } from '../state/interrupt.ts';
import { askPending, findPendingAt } from '../state/pending.ts';
import type { Run } from '../state/run-context.ts';
import { passPayload } from './guard-own-texts.ts';
import { fitResult } from './result-room.ts';

const { expiresInSeconds, maxArgsLength } = CLIENT_TOOL_LIMITS;

/** Takes the answer to the call if there is one; otherwise the run waits for it. Returns the refusal of the checkpoint. */
export async function callClient(run: Run, call: PlacedCall, signal: AbortSignal): Promise<Interrupt | undefined> {
  const asked = findPendingAt(run, undefined, call.position);
  if (asked?.resumed) {
    const result = readResult(call, asked.resumed.data);
    recordCall(run, result, run.deps.access.clock.now() - Date.parse(asked.expiresAt) + expiresInSeconds * 1_000);
    run.dispatch({ action: 'tool-finished', result: fitResult(run, result) });
  } else {
    const failed = await putToCaller(run, call, signal);
    if (signal.aborted) return undefined;
    if (failed) {
      recordCall(run, failed, 0);
      run.dispatch({ action: 'tool-finished', result: failed });
    }
  }
  return run.checkpoint();
}

/**
 * Asks with the arguments as processToolCall left them and the output chain passed them. Returns the result of a call
 * that the caller cannot receive.
 */
async function putToCaller(run: Run, call: PlacedCall, signal: AbortSignal): Promise<PlacedResult | undefined> {
  const { toolName, args, argsText, position } = call;
  const length = measureJson(args, argsText);
  if (length > maxArgsLength)
    return failCall(call, {
      code: 'message-too-large',
      message: `The arguments of ${toolName} have ${length} characters; the maximum is ${maxArgsLength}.`,
    });
  const payload = { args, ...nameText('args', argsText) };
  const passed = await passPayload(run, payload);
  if (signal.aborted) return undefined;
  if (!passed)
    return failCall(call, { code: 'tool-failed', message: 'The output processors did not pass the arguments.' });
  const toolCall = pickCall(call);
  const question = { by: toolName, kind: 'question' as const, toolCall, position, kept: {}, expiresInSeconds };
  const { clientCalls } = run.getState();
  const id = askPending(run, { ...question, payload, clientCall: clientCalls });
  run.dispatch({ action: 'pending-told', id, ...passed });
  return undefined;
}

/** The answer has been checked when it was given. */
function readResult(call: PlacedCall, data: JsonValue): PlacedResult {
  const answer = clientResultSchema.safeParse(data).data ?? { error: 'The answer is not the result of a tool.' };
  return 'output' in answer
    ? { ...call, result: answer.output, ...nameText('result', answer.outputText), isError: false }
    : failCall(call, { code: 'tool-failed', message: answer.error });
}

const failCall = (call: PlacedCall, error: { code: string; message: string }): PlacedResult => ({
  ...call,
  result: { error },
  isError: true,
});

function recordCall(run: Run, { toolName, toolCallId, position, isError }: PlacedResult, ms: number): void {
  const step = run.getState().steps.length;
  run.events.record({ event: 'tool', step, tool: toolName, toolCallId, position, ms, isError, denied: false });
}

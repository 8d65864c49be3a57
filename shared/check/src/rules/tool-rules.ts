// Rules for tools: each is called on its advertised subject, and answers once in the form of docs/wire.md.
import {
  METADATA_KEY,
  isDataChunk,
  toolReplySchema,
  type JsonObject,
  type ToolReply,
  type ToolRequest,
} from '@millrace/contracts';
import { ask } from '../ask.ts';
import { fail, failLate } from '../rule-error.ts';
import { issue } from '../judge.ts';
import type { CheckRule } from '../rule.ts';
import { sampleOptions } from '../sample-options.ts';
import { MAX_WAIT_MS, createLoneRun, type ToolTarget } from '../target.ts';
import { serviceRules } from './discovery-rules.ts';

const AT_ONCE = 16;
const SECOND_ANSWER_MS = 500;
const GARBAGE_MS = 300;

export const toolRules: CheckRule<ToolTarget>[] = [
  ...serviceRules,
  {
    id: 'tool-endpoint',
    promise: 'has one endpoint for the tool, in its queue group',
    page: 'found',
    async run({ bus, service, tool, infos }) {
      const subject = bus.subjects.tool(service, tool.name);
      for (const info of infos) {
        const endpoint = info.endpoints.find((one) => one.subject === subject && one.metadata?.[METADATA_KEY]);
        if (!endpoint) fail(`the replica ${info.id} advertises nothing on ${subject}`, info.endpoints);
        else if (endpoint.queue_group !== tool.name)
          fail(`the queue group of ${subject} is "${String(endpoint.queue_group)}", not "${tool.name}"`, endpoint);
      }
      if (tool.inputSchema['type'] !== 'object') fail('"inputSchema" is not that of an object', tool);
    },
  },
  {
    id: 'tool-answers',
    promise: 'answers a call with a result or an error, numbered, once',
    page: 'tool',
    run: async (target) => void (await callTool(target, {}, SECOND_ANSWER_MS)),
  },
  {
    id: 'tool-side-by-side',
    promise: 'handles calls side by side',
    page: 'tool',
    run: async (target) => void (await Promise.all(Array.from({ length: AT_ONCE }, () => callTool(target)))),
  },
  {
    id: 'tool-later-members',
    promise: 'leaves members alone that it does not know',
    page: 'versions',
    run: async (target) => void (await callTool(target, { ofALaterVersion: { a: [1] } })),
  },
  {
    id: 'tool-garbage',
    promise: 'survives malformed calls, invalid arguments and a cancel',
    page: 'everyMessage',
    async run(target) {
      const { bus, tool, service } = target;
      const options = { timeoutMs: GARBAGE_MS, isFinal: () => true };
      const odd = [
        '',
        'not json',
        '[]',
        'null',
        '{}',
        JSON.stringify(buildToolRequest(target, { toolCall: { args: [7] } })),
      ];
      await Promise.all(odd.map((payload) => ask(bus, bus.subjects.tool(service, tool.name), payload, options)));
      for (const payload of ['not json', JSON.stringify({ callIds: ['check-unknown'] })])
        bus.nc.publish(bus.subjects.cancelCalls(service), payload);
      await callTool(target);
    },
  },
];

function buildToolRequest({ tool }: ToolTarget, more: object): ToolRequest {
  return {
    callId: crypto.randomUUID(),
    run: createLoneRun(),
    stepNumber: 0,
    toolCall: { toolCallId: 'call_0', toolName: tool.name, args: sampleArguments(tool.inputSchema) },
    position: 0,
    ...(tool.idempotent && { idempotencyKey: crypto.randomUUID() }),
    requestContext: {},
    timeoutMs: Math.min(tool.timeoutMs, MAX_WAIT_MS),
    ...more,
  };
}

const sampleArguments = (schema: JsonObject): JsonObject => sampleOptions(schema);

async function callTool(target: ToolTarget, more: object = {}, lingerMs = 0): Promise<ToolReply> {
  const { bus, service, tool, infos } = target;
  const subject = bus.subjects.tool(service, tool.name);
  const call = buildToolRequest(target, more);
  const isFinal = ({ json, serviceError }: { json: unknown; serviceError: string | undefined }) =>
    serviceError !== undefined || !(typeof json === 'object' && json !== null && 'progress' in json);
  const { end, replies } = await ask(bus, subject, call, { timeoutMs: call.timeoutMs, isFinal, lingerMs });
  if (end === 'nobody') fail(`${subject} has no subscriber`);
  if (end === 'silence') failLate(`${subject} was not answered within ${call.timeoutMs} ms`, call.timeoutMs, call);
  const last = replies.findIndex(isFinal);
  if (replies.length > last + 1) fail(`${subject} was answered on after the final answer`, replies[last + 1]?.json);
  let final: ToolReply | undefined;
  for (const [at, { json, text, serviceError }] of replies.entries()) {
    if (serviceError !== undefined) fail(`${subject} was answered with an exception: ${serviceError}`);
    const parsed = toolReplySchema.safeParse(json);
    if (!parsed.success) return fail(`an answer does not fit tool-reply: ${issue(parsed.error)}`, json ?? text);
    final = parsed.data;
    if (final.sequence !== at)
      fail(`the answers are not numbered densely: ${final.sequence} arrived instead of ${at}`, json);
    if ('replica' in final) holdReplica(final.replica, infos);
    else if (!final.progress.every((chunk) => isDataChunk(chunk) || chunk.type !== 'finish'))
      fail('progress holds a finish', json);
  }
  return final ?? fail('there is no final answer');
}

function holdReplica(replica: string, infos: ToolTarget['infos']): void {
  if (!infos.some(({ id }) => id === replica)) fail(`"replica" is "${replica}", which is no id that answers discovery`);
}

// Each member of the types of the pinned clients has a row: a new member of a client fails the type check of this file.
import type { CallToolRequest } from '@modelcontextprotocol/server';
import type { UIMessage } from 'ai';
import type OpenAI from 'openai';
import { MillraceError } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { CHAT_ANSWERS, CHAT_GROUPS, type AnswerTable } from './chat-members.ts';
import { checkMembers, type MemberGroup, type MemberGroups, type MemberUse } from './member-table.ts';
import { MCP_GROUPS, MODERATION_GROUPS, UI_GROUPS } from './other-members.ts';
import { RESPONSE_ANSWERS, RESPONSE_GROUPS } from './response-members.ts';

/** The members of an object, or of each option of a union. */
type KeysOfEach<T> = T extends unknown ? Extract<keyof T, string> : never;
type RowsOf<T> = { table: Readonly<Record<KeysOfEach<T>, MemberUse>> };
type AnswerRowsOf<T> = Readonly<Record<KeysOfEach<T>, 'sent' | 'absent'>>;

type ChatBody = OpenAI.ChatCompletionCreateParams;
type ChatPart = OpenAI.ChatCompletionContentPart | OpenAI.ChatCompletionContentPartRefusal;
type ResponsePart =
  | OpenAI.Responses.ResponseInputContent
  | OpenAI.Responses.ResponseOutputText
  | OpenAI.Responses.ResponseOutputRefusal;
type ResponseItem =
  | OpenAI.Responses.EasyInputMessage
  | OpenAI.Responses.ResponseFunctionToolCall
  | OpenAI.Responses.ResponseInputItem.FunctionCallOutput
  | OpenAI.Responses.ResponseInputItem.McpApprovalResponse;

const CHAT = {
  request: CHAT_GROUPS.request satisfies RowsOf<ChatBody>,
  streamOptions: CHAT_GROUPS.streamOptions satisfies RowsOf<OpenAI.ChatCompletionStreamOptions>,
  message: CHAT_GROUPS.message satisfies RowsOf<ChatBody['messages'][number]>,
  part: CHAT_GROUPS.part satisfies RowsOf<ChatPart>,
  imageUrl: CHAT_GROUPS.imageUrl satisfies RowsOf<OpenAI.ChatCompletionContentPartImage.ImageURL>,
  file: CHAT_GROUPS.file satisfies RowsOf<OpenAI.ChatCompletionContentPart.File.File>,
  call: CHAT_GROUPS.call satisfies RowsOf<OpenAI.ChatCompletionMessageToolCall>,
  calledFunction: CHAT_GROUPS.calledFunction satisfies RowsOf<OpenAI.ChatCompletionMessageFunctionToolCall.Function>,
  tool: CHAT_GROUPS.tool satisfies RowsOf<OpenAI.ChatCompletionTool>,
  definition: CHAT_GROUPS.definition satisfies RowsOf<OpenAI.FunctionDefinition>,
};
const RESPONSES = {
  request: RESPONSE_GROUPS.request satisfies RowsOf<OpenAI.Responses.ResponseCreateParams>,
  text: RESPONSE_GROUPS.text satisfies RowsOf<OpenAI.Responses.ResponseTextConfig>,
  item: RESPONSE_GROUPS.item satisfies RowsOf<ResponseItem>,
  part: RESPONSE_GROUPS.part satisfies RowsOf<ResponsePart>,
  tool: RESPONSE_GROUPS.tool satisfies RowsOf<OpenAI.Responses.FunctionTool>,
};
const OTHERS = {
  moderation: MODERATION_GROUPS.request satisfies RowsOf<OpenAI.ModerationCreateParams>,
  moderationPart: MODERATION_GROUPS.part satisfies RowsOf<OpenAI.ModerationMultiModalInput>,
  page: UI_GROUPS.request satisfies RowsOf<{ id: string; messages: UIMessage[]; trigger: string; messageId: string }>,
  pageMessage: UI_GROUPS.message satisfies RowsOf<UIMessage>,
  mcp: MCP_GROUPS.call satisfies RowsOf<CallToolRequest['params']>,
};
const ANSWERS: Record<string, AnswerTable> = {
  'a chat completion': CHAT_ANSWERS.answer satisfies AnswerRowsOf<OpenAI.ChatCompletion>,
  'a chunk of a chat completion': CHAT_ANSWERS.chunk satisfies AnswerRowsOf<OpenAI.ChatCompletionChunk>,
  'the message of a chat completion': CHAT_ANSWERS.message satisfies AnswerRowsOf<OpenAI.ChatCompletionMessage>,
  'a response': RESPONSE_ANSWERS.answer satisfies AnswerRowsOf<OpenAI.Responses.Response>,
};

type RequestBody = Readonly<Record<string, unknown>>;
const PROTOCOLS: Record<string, MemberGroups> = {
  'chat completions': CHAT,
  responses: RESPONSES,
  moderations: { request: OTHERS.moderation, part: OTHERS.moderationPart },
  useChat: { request: OTHERS.page, message: OTHERS.pageMessage },
};

/** Returns a request with the member at the place of the group, such as `messages[].content[]`. */
function buildBody(group: string, member: object): RequestBody {
  if (group === '') return { ...member };
  const [, outer = '', name = ''] = /^(?:(.*)\.)?([^.]+)$/.exec(group) ?? [];
  const list = name.endsWith('[]');
  return buildBody(outer, { [list ? name.slice(0, -2) : name]: list ? [member] : member });
}

describe.each(Object.entries(PROTOCOLS))('the members of %s', (_protocol, groups) => {
  const rows = Object.values(groups).flatMap(({ name, table }) =>
    Object.entries(table).map(([member, row]) => ({ group: name, member, row })),
  );
  const observe = (group: string, member: object, open: Parameters<typeof checkMembers>[2] = []) => {
    try {
      return { ignored: checkMembers(buildBody(group, member), groups, open) };
    } catch (error) {
      return { refused: MillraceError.isInstance(error) ? error.path : String(error) };
    }
  };
  const expectUse = (group: string, member: string, { use }: MemberUse) => {
    if (use === 'refused') return { refused: place(group, member).replaceAll('[]', '[0]') };
    return { ignored: use === 'ignored' || use === 'setting' ? [place(group, member)] : [] };
  };

  test.each(rows)('$group $member is treated as its row states', ({ group, member, row }) => {
    // A value that no refused member accepts.
    expect(observe(group, { [member]: 'odd' })).toEqual(expectUse(group, member, row));
  });

  test('A setting that the agent opens is not ignored', () => {
    const settings = rows.flatMap(({ group, member, row }) => (row.use === 'setting' ? [{ group, member, row }] : []));
    for (const { group, member, row } of settings)
      expect(observe(group, { [member]: 1 }, [row.setting])).toEqual({ ignored: [] });
  });

  test('An absent member and null are no use of it, and a member without a row is named as ignored', () => {
    for (const { group, member } of rows)
      expect(checkMembers(buildBody(group, { [member]: null }), groups)).toEqual([]);
    for (const group of new Set(rows.map((row) => row.group)))
      expect(checkMembers(buildBody(group, { of_tomorrow: 1 }), groups)).toEqual([place(group, 'of_tomorrow')]);
  });
});

test('A request with many unknown members names a bounded number of them, and no name that a header cannot have', () => {
  const odd = { 'a\nb': 1, ü: 1, ['x'.repeat(65)]: 1 };
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`m${at}`, 1]));
  expect(checkMembers({ ...odd, ...many }, CHAT)).toHaveLength(32);
  expect(checkMembers(odd, CHAT)).toEqual([]);
});

const describeRow = (row: MemberUse): string => {
  if (row.use === 'setting') return `setting \`${row.setting}\``;
  if (row.use === 'ignored') return 'no effect';
  return row.use === 'refused' && row.reason !== undefined ? `refused: ${row.reason}` : row.use;
};
/** Returns one row for each use, with its members. */
function writeTable(title: string, rows: readonly (readonly [member: string, use: string])[]): string {
  const lines = [...Map.groupBy(rows, ([, use]) => use)].map(
    ([use, members]) => `| ${use} | ${members.map(([member]) => `\`${member}\``).join(', ')} |`,
  );
  return `## ${title}\n\n| use | members |\n|---|---|\n${lines.join('\n')}\n`;
}

test('docs/members.md is the page that the tables generate', async () => {
  const requests = Object.entries({ ...PROTOCOLS, 'calls over MCP': { request: OTHERS.mcp } }).map(
    ([protocol, groups]) =>
      writeTable(
        `Requests: ${protocol}`,
        Object.values<MemberGroup>(groups).flatMap(({ name, table }) =>
          Object.entries(table).map(([member, row]) => [place(name, member), describeRow(row)] as const),
        ),
      ),
  );
  const answers = Object.entries(ANSWERS).map(([answer, table]) =>
    writeTable(`Members of ${answer}`, Object.entries(table)),
  );
  const head = `# Members

The gateway treats each member of a protocol as its row states. A test checks each member, and generates this page.

- **honoured**: the gateway or the run acts on it. **passed**: it reaches the model unchanged.
- **setting**: it reaches the model if the agent lists the setting in \`callerSettings\`.
- **no effect**: the header \`x-millrace-ignored\` names it, as a closed setting, and a member that no row names.
- **refused**: a value with an effect is a 400 that names the member.
- An answer with **absent** never has the member.
`;
  const page = [head, ...requests, ...answers].join('\n');
  await expect(page).toMatchFileSnapshot('../../../../docs/members.md');
});

const place = (group: string, member: string): string => (group === '' ? member : `${group}.${member}`);

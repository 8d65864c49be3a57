// The members of moderations, of useChat's request, and of a call over MCP.
import { HONOURED, IGNORED, PASSED, refuse, type MemberGroup, type PlacedMembers } from './member-table.ts';
import { listItems } from './chat-members.ts';

export const MODERATION_GROUPS = {
  request: { name: '', table: { input: HONOURED, model: HONOURED } },
  part: { name: 'input[]', table: { type: HONOURED, text: HONOURED, image_url: refuse('Guards judge texts.') } },
} as const satisfies Record<string, MemberGroup>;

/** Yields the objects of a request, each with its table. */
export function* listModerationMembers(body: Readonly<Record<string, unknown>>): Generator<PlacedMembers> {
  yield { group: MODERATION_GROUPS.request, path: '', value: body };
  for (const [at, value] of listItems(body['input']))
    yield { group: MODERATION_GROUPS.part, path: `input[${at}]`, value };
}

export const UI_GROUPS = {
  request: {
    name: '',
    table: { id: HONOURED, messages: HONOURED, trigger: HONOURED, messageId: HONOURED, clientTools: HONOURED },
  },
  message: { name: 'messages[]', table: { id: HONOURED, role: HONOURED, parts: HONOURED, metadata: HONOURED } },
} as const satisfies Record<string, MemberGroup>;

/** Yields the objects of a request, each with its table. */
export function* listUiMembers(body: Readonly<Record<string, unknown>>): Generator<PlacedMembers> {
  yield { group: UI_GROUPS.request, path: '', value: body };
  for (const [at, value] of listItems(body['messages']))
    yield { group: UI_GROUPS.message, path: `messages[${at}]`, value };
}

/** The gateway's server of MCP reads the call. */
export const MCP_GROUPS = {
  call: {
    name: 'params',
    table: {
      name: HONOURED,
      arguments: PASSED,
      _meta: IGNORED,
      inputResponses: HONOURED,
      requestState: HONOURED,
      task: IGNORED,
    },
  },
} as const satisfies Record<string, MemberGroup>;

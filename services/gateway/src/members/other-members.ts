// The members of moderations, of useChat's request, and of a call over MCP.
import { HONOURED, IGNORED, PASSED, type MemberGroup } from './member-table.ts';

export const MODERATION_GROUPS = {
  request: { name: '', table: { input: HONOURED, model: HONOURED } },
  part: { name: 'input[]', table: { type: HONOURED, text: HONOURED, image_url: HONOURED } },
} as const satisfies Record<string, MemberGroup>;

export const UI_GROUPS = {
  request: {
    name: '',
    table: { id: HONOURED, messages: HONOURED, trigger: HONOURED, messageId: HONOURED, clientTools: HONOURED },
  },
  message: { name: 'messages[]', table: { id: HONOURED, role: HONOURED, parts: HONOURED, metadata: HONOURED } },
} as const satisfies Record<string, MemberGroup>;

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

// Maps rules to the headings of docs/wire.md.
export const WIRE_PAGES = {
  everyMessage: '1. Rules for every message',
  found: '2. Being found',
  call: '3. A stage call',
  progress: 'Progress',
  givingUp: 'Giving up, and trying again',
  verdicts: 'Verdicts',
  session: '4. A session of the output stream',
  tell: 'Stop and report',
  lost: 'A session that is lost',
  batch: 'A batch in the open request',
  tool: '5. A tool call',
  versions: '8. Versions',
} as const;

export type WirePage = keyof typeof WIRE_PAGES;

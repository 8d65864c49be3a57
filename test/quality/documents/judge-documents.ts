// Judges documents as a user's text and as a tool result, several concurrently, because worker threads judge long texts.
import { jsonValueSchema } from '@millrace/contracts';
import type { Guards } from '../src/guards.ts';
import type { SampleJudgement } from '../src/read-verdicts.ts';

const AT_ONCE = 4;

/** `user`, `tool`: whether the guard stopped the document there. */
export type DocumentJudgement<D> = { document: D; user: boolean; tool: boolean };

/** Returns the results in the order of the documents. */
export async function judgeDocuments<D extends { text: string }>(
  guards: Guards,
  documents: readonly D[],
): Promise<DocumentJudgement<D>[]> {
  const judged: DocumentJudgement<D>[] = [];
  const left = documents.entries();
  const work = async () => {
    for (const [at, document] of left) {
      const { text } = document;
      const user = await guards.judgeUser([text]);
      const tool = await judgeAsResult(guards, text);
      judged[at] = { document, user: user.isCaught, tool: tool.isCaught };
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return judged;
}

/** A tool returns the value of a JSON document, and another document as text. */
function judgeAsResult(guards: Guards, text: string): Promise<SampleJudgement> {
  if (!/^\s*[[{]/.test(text)) return guards.judgeTool(text);
  try {
    return guards.judgeTool(jsonValueSchema.parse(JSON.parse(text)));
  } catch {
    return guards.judgeTool(text);
  }
}

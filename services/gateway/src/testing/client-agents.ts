// The agents of the tests with foreign clients.
import type { Client } from '@millrace/client';

export const clientAgents = { open: 'clients-open', guarded: 'clients-guarded', asking: 'clients-asking' } as const;

export async function applyClientAgents(agents: Client['agents']): Promise<void> {
  const base = { model: 'openai/gpt-5-mini', instructions: 'Answer.', flushMs: 0 };
  await agents.apply({ ...base, name: clientAgents.open, tools: ['calculator'], clientTools: true });
  const blocking = { use: 'regex-filter', options: { rules: [{ pattern: 'forbidden' }] } };
  await agents.apply({ ...base, name: clientAgents.guarded, input: ['prompt-injection'], output: ['pii', blocking] });
  await agents.apply({ ...base, name: clientAgents.asking, tools: ['ask-user'], questions: ['ask-user'] });
}

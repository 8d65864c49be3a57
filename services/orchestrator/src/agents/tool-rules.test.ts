import type { Agent, ToolDefinition } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { makePlan } from '../testing/plan-entries.ts';
import { makeAgent } from '../testing/run-states.ts';
import { makeToolRules, warnOfNewRules, warnWithoutRules } from './tool-rules.ts';

const tool = (name: string, effect?: ToolDefinition['effect']): ToolDefinition => ({
  name,
  description: name,
  inputSchema: { type: 'object' },
  subject: `mr.v1.tool.tools.${name}`,
  idempotent: false,
  timeoutMs: 1_000,
  ...(effect && { effect }),
});
const serve = (tool: ToolDefinition) => ({ tool, service: 'tools' });
const tools = [tool('look', 'read'), tool('note'), tool('mail', 'send')];
const agentWith = (tools: Agent['tools']): Agent => makeAgent({ tools });
const found = tools.map(serve);
const whenUntrusted = (listed: Agent['tools']) =>
  Object.fromEntries(
    Object.entries(makeToolRules(agentWith(listed), found)).map(([name, rule]) => [name, rule.whenUntrusted]),
  );

describe('the rules of tools', () => {
  test('allow a tool that reads, and ask for approval of all others', () => {
    expect(whenUntrusted(['look', 'note', 'mail'])).toEqual({ look: 'allow', note: 'approve', mail: 'approve' });
  });

  test('are those of the agent if it has any', () => {
    const listed: Agent['tools'] = [
      { use: 'look', whenUntrusted: 'deny' },
      { use: 'mail', whenUntrusted: 'allow', resultTrust: 'inherit' },
    ];
    expect(whenUntrusted(listed)).toEqual({ look: 'deny', note: 'approve', mail: 'allow' });
    expect(makeToolRules(agentWith(listed), found)['mail']?.resultTrust).toBe('inherit');
    expect(makeToolRules(agentWith(listed), found)['look']).toMatchObject({
      resultTrust: 'untrusted',
      service: 'tools',
    });
  });
});

describe('a plan of an earlier version', () => {
  const old = makePlan([], tools);
  const plan = { ...old, toolRules: makeToolRules(agentWith(['look', 'note', 'mail']), found) };

  test('has a warning that names the tools which write or send', () => {
    expect(warnWithoutRules(old)).toMatchObject([
      { code: 'tools-without-rules', message: expect.stringContaining('note, mail') },
    ]);
    expect(warnWithoutRules(makePlan([], [tool('look', 'read')]))).toEqual([]);
    expect(warnWithoutRules(plan)).toEqual([]);
  });

  test('gives a warning to a definition that stops its tools', () => {
    expect(warnOfNewRules(old, plan)).toMatchObject([
      { code: 'tools-stopped', message: expect.stringContaining('note (approve), mail (approve)') },
    ]);
    const allowing = makeToolRules(agentWith([{ use: 'note', whenUntrusted: 'allow' }]), found.slice(0, 2));
    expect(warnOfNewRules(old, { ...plan, toolRules: allowing })).toEqual([]);
    expect(warnOfNewRules(plan, plan)).toEqual([]);
  });
});

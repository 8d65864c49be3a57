// Runs the rules of tools on a correct tool, and each rule on one that violates it.
import { useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { checkProcessors } from './check-processor.ts';
import type { RuleResult } from './run-rule.ts';
import { toolRules } from './rules/tool-rules.ts';
import { scriptTool, type ToolQuirks } from './testing/scripted-tool.ts';

const nats = useNats();
const checker = useBus(nats, 'check');

let count = 0;
async function runRules(quirks: ToolQuirks, rules = toolRules, load = {}): Promise<RuleResult[]> {
  const name = `scripted-tool-${(count += 1)}`;
  const bus = await checker.connect({ name });
  const { stop } = await scriptTool(bus, name, quirks);
  try {
    const [report] = await checkProcessors({ bus: checker.bus, name, seed: 7, toolRules: rules, ...load });
    return report?.results ?? [];
  } finally {
    stop();
  }
}

test('A correct tool passes every rule', async () => {
  const results = await runRules({});
  expect(results.map(({ rule, result }) => [rule, result])).toEqual(toolRules.map(({ id }) => [id, 'held']));
});

const BREAKAGES: [rule: string, name: string, quirks: ToolQuirks, problem: RegExp][] = [
  ['discovery', 'answers no STATS', { verbs: ['PING', 'INFO'] }, /\$SRV\.STATS.* is not answered/],
  ['version', 'has no semantic version', { version: 'v1' }, /version is "v1"/],
  ['cancel-subject', 'cannot be cancelled', { withoutCancel: true }, /\.cancel\..* has no subscriber/],
  ['tool-endpoint', 'has another queue group', { queue: 'mine' }, /queue group of .* is "mine"/],
  ['tool-answers', 'never answers', { reply: () => [] }, /was not answered within/],
  ['tool-answers', 'answers twice', { reply: (right) => [right, right] }, /answered on after the final answer/],
  [
    'tool-answers',
    'does not number its answers',
    { reply: (right) => [{ ...right, sequence: 3 }] },
    /numbered densely: 3 arrived/,
  ],
  ['tool-answers', 'answers with an invalid result', { reply: () => [{ sequence: 0 }] }, /does not fit tool-reply/],
  [
    'tool-answers',
    'names another replica',
    { reply: (right) => [{ ...right, replica: 'x' }] },
    /no id that answers discovery/,
  ],
  ['tool-side-by-side', 'makes one call after the other', { slowMs: 300 }, /was not answered within/],
  [
    'tool-later-members',
    'refuses members that it does not know',
    { reply: (right, call) => ('ofALaterVersion' in call ? [] : [right]) },
    /was not answered within/,
  ],
  ['tool-garbage', 'crashes on invalid JSON', { diesAt: (text) => text === 'not json' }, /has no subscriber/],
];

describe.concurrent('violations by a tool', () => {
  test.each(BREAKAGES)('The rule %s fails if the tool %s', async (rule, _name, quirks, problem) => {
    const results = await runRules(
      quirks,
      toolRules.filter(({ id }) => id === rule),
      // Other tests keep the machine busy, and a violation must not be taken for their load.
      { measure: async () => 1 },
    );
    expect(results).toMatchObject([{ rule, result: 'broken', problem: expect.stringMatching(problem) }]);
  });

  test('Every rule has a tool that violates it', () => {
    const tried = new Set(BREAKAGES.map(([rule]) => rule));
    expect(toolRules.map(({ id }) => id).filter((id) => !tried.has(id))).toEqual([]);
  });
});

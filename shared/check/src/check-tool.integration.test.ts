// The rules of tools on a tool that is right in everything, and for each rule on one that breaks it.
import { useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { checkProcessors, type RuleResult } from './check-processor.ts';
import { toolRules } from './rules/tool-rules.ts';
import { scriptTool, type ToolQuirks } from './testing/scripted-tool.ts';

const nats = useNats();
const checker = useBus(nats, 'check');

let count = 0;
async function resultsOf(quirks: ToolQuirks, rules = toolRules): Promise<RuleResult[]> {
  const name = `scripted-tool-${(count += 1)}`;
  const bus = await checker.connect({ name });
  const { stop } = await scriptTool(bus, name, quirks);
  try {
    const [report] = await checkProcessors({ bus: checker.bus, name, seed: 7, toolRules: rules });
    return report?.results ?? [];
  } finally {
    stop();
  }
}

test('a tool that is right in everything holds to every rule', async () => {
  const results = await resultsOf({});
  expect(results.map(({ rule, result }) => [rule, result])).toEqual(toolRules.map(({ id }) => [id, 'held']));
});

const BREAKAGES: [rule: string, name: string, quirks: ToolQuirks, problem: RegExp][] = [
  ['discovery', 'answers no STATS', { verbs: ['PING', 'INFO'] }, /\$SRV\.STATS.* is not answered/],
  ['version', 'has no semantic version', { version: 'v1' }, /version is "v1"/],
  ['cancel-subject', 'cannot be cancelled', { withoutCancel: true }, /nobody is subscribed to .*\.cancel\./],
  ['tool-endpoint', 'has another queue group', { queue: 'mine' }, /queue group of .* is "mine"/],
  ['tool-answers', 'never answers', { reply: () => [] }, /was not answered within/],
  ['tool-answers', 'answers twice', { reply: (right) => [right, right] }, /answered on after the final answer/],
  [
    'tool-answers',
    'does not number its answers',
    { reply: (right) => [{ ...right, sequence: 3 }] },
    /numbered densely: 3 came/,
  ],
  ['tool-answers', 'answers what is no result', { reply: () => [{ sequence: 0 }] }, /does not fit tool-reply/],
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
  ['tool-garbage', 'dies of what is no JSON', { diesAt: (text) => text === 'not json' }, /nobody is subscribed/],
];

describe('the suite finds a tool that', () => {
  test.each(BREAKAGES)('(%s) %s', async (rule, _name, quirks, problem) => {
    const results = await resultsOf(
      quirks,
      toolRules.filter(({ id }) => id === rule),
    );
    expect(results).toMatchObject([{ rule, result: 'broken', problem: expect.stringMatching(problem) }]);
  });

  test('breaks any rule: each has one', () => {
    const tried = new Set(BREAKAGES.map(([rule]) => rule));
    expect(toolRules.map(({ id }) => id).filter((id) => !tried.has(id))).toEqual([]);
  });
});

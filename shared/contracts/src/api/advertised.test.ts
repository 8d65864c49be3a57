import { describe, expect, test } from 'vitest';
import { MAX_METADATA_CHARACTERS } from './advertised-endpoint.ts';
import { ADVERTISED_LIMITS } from './advertised.ts';
import { WIRE_PROTOCOL, type ProcessorDescriptor, type SrvInfo } from '../agent/discovery.ts';
import { OWN, descriptor, endpoint, processor, read, service, tool } from '../testing/advertised-services.ts';

const ids = (...infos: SrvInfo[]) => [...read(...infos).processors.keys()];

describe('a processor', () => {
  test('A processor has all replicas of its service, and a tool has its service', () => {
    const { processors, tools, refused } = read(
      service('guards', [processor('pii')], 'r2'),
      service('guards', [processor('pii'), processor('keyword')]),
      service('tools', [tool('clock')]),
    );
    expect(processors.get('pii')).toMatchObject({ service: 'guards', replicas: ['r1', 'r2'] });
    expect(processors.get('keyword')?.replicas).toEqual(['r1']);
    expect(tools.get('clock')).toMatchObject({ service: 'tools', tool: { name: 'clock' } });
    expect(refused).toEqual([]);
  });

  test.each(['other', 'mr.v1.other', 'mr'])(
    'A processor under another prefix (%s) belongs to another Millrace',
    (prefix) => {
      expect(read(service('guards', [processor('pii', {}, prefix)]))).toMatchObject({
        processors: new Map(),
        refused: [],
      });
    },
  );

  test('Members of a later version are ignored', () => {
    const [info] = [
      service('guards', [processor('pii', { colour: 'red', policy: { ...descriptor('x').policy, warmth: 1 } })]),
    ];
    expect(ids(info)).toEqual(['pii']);
  });

  test('Of two descriptions under one version the first is used and the other is reported as a problem', () => {
    const other = service('guards', [processor('pii', { reads: [] })], 'r2');
    const { processors, refused } = read(other, service('guards', [processor('pii')]));
    expect(processors.get('pii')).toMatchObject({ replicas: ['r1'], descriptor: { reads: ['input'] } });
    expect(refused).toEqual([
      { service: 'guards', name: 'pii', problem: expect.stringContaining('its version 1.0.0 has another description') },
    ]);
    const within = read(service('guards', [processor('pii'), processor('pii', { description: 'another' })]));
    expect(within.refused).toHaveLength(1);
  });

  test.each([true, false])(
    'During a rolling upgrade the positions and roles of the newer replica are used (advertised first: %s)',
    (isFirst) => {
      const added = { positions: { input: 160 }, judgesText: true, addsText: true, memoryKey: 'workingMemory' };
      const addedTimeout = { when: 'model', option: 'modelTimeoutMs' };
      const [old, upgraded] = [
        processor('pii'),
        processor('pii', { ...added, policy: { ...descriptor('pii').policy, addedTimeout } }),
      ];
      const infos = [
        service('guards', [isFirst ? upgraded : old]),
        service('guards', [isFirst ? old : upgraded], 'r2'),
      ];
      const { processors, refused } = read(...infos);
      expect(processors.get('pii')).toMatchObject({
        replicas: ['r1', 'r2'],
        descriptor: { ...added, policy: { addedTimeout } },
      });
      expect(refused).toEqual([]);
    },
  );

  test('The newest replica describes the processor, in any order of the answers', () => {
    const versions = ['1.9.0', '1.10.0', '1.2.0'].map((version, at) =>
      service('guards', [processor('pii', { version })], `r${at}`),
    );
    for (const infos of [versions, versions.toReversed()]) {
      expect(read(...infos).processors.get('pii')?.descriptor.version).toBe('1.10.0');
    }
  });

  test('If two services claim one processor, the first by name owns it in any order of the answers, and the other is reported', () => {
    const [alpha, beta] = [service('alpha', [processor('pii')]), service('beta', [processor('pii')])];
    for (const { processors, refused } of [read(alpha, beta), read(beta, alpha)]) {
      expect(processors.get('pii')?.service).toBe('alpha');
      expect(refused).toEqual([
        { service: 'beta', name: 'pii', problem: 'the service "alpha" serves a processor of that id', owner: 'alpha' },
      ]);
    }
  });
});

test('The replicas of a service exclude those with a rejected description, and include those of a second service', () => {
  const other = processor('pii', { description: 'another one' });
  const { served } = read(
    service('guards', [processor('pii')], 'r1'),
    service('guards', [other], 'r2'),
    service('late', [other], 'r3'),
  );
  expect([...served]).toEqual([
    ['guards pii', ['r1']],
    ['late pii', ['r3']],
  ]);
});

describe('rejected endpoints, with problem and name', () => {
  const { policy: _, ...withoutPolicy } = descriptor('pii');
  const toMetadata = (value: Partial<ProcessorDescriptor> | object) => ({
    kind: 'processor',
    protocol: WIRE_PROTOCOL,
    stage: 'processInput',
    descriptor: value,
  });
  test.each<[string, object | string, string, RegExp]>([
    ['a description without a policy', toMetadata(withoutPolicy), 'pii', /descriptor\.policy/],
    [
      'one that reads an unknown list',
      toMetadata(descriptor('pii', { reads: ['minds'] })),
      'pii',
      /descriptor\.reads\[0\]/,
    ],
    ['an id with a dot', toMetadata(descriptor('my.pii')), 'my.pii', /descriptor\.id: must be 1 to 64 characters/],
    ['an id that is a control sequence', toMetadata(descriptor('\u001b[31m')), '?[31m', /descriptor\.id/],
    ['another kind', { kind: 'oven' }, 'one', /kind/],
    ['no JSON', '{', 'one', /./],
  ])('%s', (_what, metadata, name, problem) => {
    const { processors, refused } = read(
      service('guards', [endpoint(metadata, `mr.v1.stage.processInput.${OWN}.pii`)]),
    );
    expect(processors.size).toBe(0);
    expect(refused).toEqual([{ service: 'guards', name, problem: expect.stringMatching(problem) }]);
  });

  test('An endpoint on a subject that differs from the expected one is rejected', () => {
    const elsewhere = { ...processor('pii'), subject: 'mr.v1.stage.processInput.guards.other' };
    expect(read(service('guards', [elsewhere])).refused).toEqual([
      {
        service: 'guards',
        name: 'pii',
        problem: 'it is served on mr.v1.stage.processInput.guards.other, not on mr.v1.stage.processInput.guards.pii',
      },
    ]);
  });

  test('A service with an invalid token as name or id is rejected', () => {
    expect(read(service('guards', [processor('pii')], 'a b')).refused).toMatchObject([{ name: 'guards' }]);
    expect(ids(service('g.x', [processor('pii')]))).toEqual([]);
  });

  test('One problem is reported once for any number of endpoints and replicas', () => {
    const bad = endpoint(toMetadata(withoutPolicy), `mr.v1.stage.processInput.${OWN}.pii`);
    expect(read(service('guards', [bad, bad]), service('guards', [bad], 'r2')).refused).toHaveLength(1);
  });

  test('The report of many problems is short', () => {
    const reads = Array.from({ length: 10_000 }, () => 'x'.repeat(10));
    const [refused] = read(
      service('g', [endpoint(toMetadata(descriptor('pii', { reads })), `mr.v1.stage.processInput.${OWN}.pii`)]),
    ).refused;
    expect(refused?.problem.length).toBeLessThan(2_000);
    expect(refused?.problem).toMatch(/and \d+ more$/);
  });
});

describe('bounds:', () => {
  test('A process with too many endpoints is ignored completely', () => {
    const endpoints = Array.from({ length: ADVERTISED_LIMITS.maxEndpoints + 1 }, (_, at) => processor(`p${at}`));
    const { processors, refused } = read(service('guards', endpoints), service('other', [processor('pii')]));
    expect([...processors.keys()]).toEqual(['pii']);
    expect(refused).toEqual([{ service: 'guards', name: 'guards', problem: expect.stringContaining('more than 512') }]);
  });

  test('An endpoint with an overlong description is ignored', () => {
    const long = processor('pii', { description: 'x'.repeat(MAX_METADATA_CHARACTERS) });
    expect(read(service('guards', [long]))).toMatchObject({ processors: new Map(), refused: [{ service: 'guards' }] });
  });
});

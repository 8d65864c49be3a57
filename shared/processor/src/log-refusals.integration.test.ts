import { buildRefusalSubject, type RefusalNotice } from '@millrace/contracts';
import { publish } from '@millrace/bus';
import { createResources } from '@millrace/service';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { advertiseService } from './processor-service.ts';

const nats = useNats();
const orchestrator = useBus(nats, 'orchestrator', { role: 'orchestrator' });
const hosts = useBus(nats, 'mine', { role: 'developer' });

test('A service logs each advertisement that an orchestrator rejects once, with the reason and the remedy.', async () => {
  const lines: object[] = [];
  const quiet = () => undefined;
  const warn = (fields: object, message: string) => void lines.push({ ...fields, message });
  const bus = await hosts.connect({ log: { debug: quiet, info: quiet, warn, error: quiet } });
  const resources = createResources();
  advertiseService({ bus, resources, version: '1.0.0', description: 'of a test', endpoints: [], limits: {} });
  await bus.nc.flush();
  const { prefix } = bus.subjects;
  const problem = 'the service "guardrails" serves a processor of that id';
  const owned = { service: 'mine', name: 'pii', problem, owner: 'guardrails' };
  const send = (notice: RefusalNotice) => publish(orchestrator.bus, buildRefusalSubject('mine'), notice);
  send({ prefix: 'elsewhere', refused: [{ ...owned, name: 'other' }] });
  send({ prefix, refused: [owned] });
  send({ prefix, refused: [owned, { service: 'mine', name: 'odd', problem: 'options: invalid' }] });
  await eventually(() => lines.length >= 2);
  await resources.release();
  const message = 'advertised but refused: agents do not find it';
  expect(lines).toEqual([
    { name: 'pii', problem, remedy: 'Give it another id, or stop the service "guardrails".', message },
    {
      name: 'odd',
      problem: 'options: invalid',
      remedy: 'Correct its description, and start the service again.',
      message,
    },
  ]);
});

// npm run -s faults -- [--runs N] [--seed S] [--only FAULT,…] [--at-once 8] [--minutes M] [--results FILE] [--json
// FILE] Injects faults into real processes under load and judges every run in flight from outside. Appends outcomes to
// the results file; the same seed continues there. Exits with 1 if a bar breaks. All services are local, bounded by
// --runs and --minutes.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { FAULTS, type InjectedFault } from './faults.ts';
import { appendResult, faultNamed, buildLine, readResults, buildRow, formatTable, type BatchLine } from './results.ts';
import { startRig, type Rig } from './rig.ts';
import { runBatch } from './run-batch.ts';

const { values } = parseArgs({
  options: {
    runs: { type: 'string' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    'at-once': { type: 'string', default: '8' },
    minutes: { type: 'string', default: '60' },
    results: { type: 'string' },
    json: { type: 'string' },
  },
});
const seed = wholeNumber('seed', values.seed);
const atOnce = wholeNumber('at-once', values['at-once']);
const until = Date.now() + wholeNumber('minutes', values.minutes) * 60_000;
const chosen = values.only?.split(',').map((name) => faultNamed(name) ?? unknownFault(name)) ?? FAULTS;
const isOurs = (line: BatchLine) => line.seed === seed;
const before = values.results === undefined ? [] : readResults(values.results).filter(isOurs);

const rig = await startRig();
const lines = [...before];
try {
  for (const fault of chosen) await strikeUntilEnough(rig, fault);
} finally {
  await rig.stop();
}
const rows = chosen.map((fault) =>
  buildRow(
    fault,
    lines.filter((line) => line.fault === fault.name),
  ),
);
console.log(formatTable(rows));
for (const { findings } of rows) for (const finding of findings) console.log(`- ${finding}`);
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ faults: rows }, null, 2)}\n`);
process.exit(rows.every(({ holds }) => holds) ? 0 : 1);

async function strikeUntilEnough(on: Rig, fault: InjectedFault): Promise<void> {
  const wanted = values.runs === undefined ? fault.runs : wholeNumber('runs', values.runs);
  const listOwn = () => lines.filter((line) => line.fault === fault.name);
  const countDone = () => listOwn().reduce((sum, { runs }) => sum + runs, 0);
  for (let batch = listOwn().length; countDone() < wanted && Date.now() < until; batch += 1) {
    const line = buildLine(fault.name, seed, batch, await runBatch(on, fault, { seed, batch, atOnce }));
    lines.push(line);
    if (values.results !== undefined) appendResult(values.results, line);
    console.error(JSON.stringify({ ...line, done: countDone() }));
  }
}

function wholeNumber(name: string, value: string): number {
  const number = Number(value);
  if (Number.isSafeInteger(number) && number > 0) return number;
  console.error(`--${name} is "${value}": a whole number above 0 is wanted.`);
  process.exit(2);
}

function unknownFault(name: string): never {
  console.error(`There is no fault "${name}". The faults are ${FAULTS.map((fault) => fault.name).join(', ')}.`);
  process.exit(2);
}

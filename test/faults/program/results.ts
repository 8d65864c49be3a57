// Outcomes of faults, a line each, in a file that later runs of the program continue, and their table.
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { FAULTS, type InjectedFault } from './faults.ts';
import type { BatchOutcome } from './run-batch.ts';

const batchLineSchema = z.object({
  fault: z.string(),
  seed: z.number(),
  batch: z.number(),
  runs: z.number(),
  finished: z.number(),
  cancelled: z.number(),
  failed: z.record(z.string(), z.number()),
  refused: z.record(z.string(), z.number()).default({}).describe('submissions, by the code that the client threw'),
  lost: z.number(),
  doubled: z.number(),
  leaked: z.number(),
  wrong: z.number(),
  takeoversMs: z.array(z.number()),
  longestGapMs: z.number(),
  findings: z.array(z.string()),
});
export type BatchLine = z.infer<typeof batchLineSchema>;

export function buildLine(fault: string, seed: number, batch: number, outcome: BatchOutcome): BatchLine {
  const { judged, noticed } = outcome;
  const count = (is: (one: BatchOutcome['judged'][number]) => boolean) => judged.filter(is).length;
  const failed: Record<string, number> = {};
  for (const { status, code = 'none' } of judged) if (status === 'failed') failed[code] = (failed[code] ?? 0) + 1;
  const refused: Record<string, number> = {};
  for (const { code } of outcome.refused) refused[code] = (refused[code] ?? 0) + 1;
  const findings = judged.flatMap(({ run, status, why, doubled, leaked, wrong }) => [
    ...(why === undefined ? [] : [`${run} ${status === 'lost' ? 'was lost' : 'failed'}: ${why}`]),
    ...doubled.map((what) => `${run} doubled: ${what}`),
    ...leaked.map((what) => `${run} leaked: ${what}`),
    ...wrong.map((what) => `${run} wrong: ${what}`),
  ]);
  return {
    fault,
    seed,
    batch,
    runs: judged.length,
    finished: count(({ status }) => status === 'finished'),
    cancelled: count(({ status }) => status === 'cancelled'),
    failed,
    refused,
    lost: count(({ status }) => status === 'lost'),
    doubled: count(({ doubled }) => doubled.length > 0),
    leaked: count(({ leaked }) => leaked.length > 0),
    wrong: count(({ wrong }) => wrong.length > 0) + noticed.length,
    takeoversMs: judged.flatMap(({ takeoverMs }) => (takeoverMs === undefined ? [] : [Math.round(takeoverMs)])),
    longestGapMs: Math.round(Math.max(0, ...judged.map(({ longestGapMs }) => longestGapMs))),
    findings: [...findings, ...outcome.refused.map(({ run, code }) => `${run} was refused: ${code}`), ...noticed],
  };
}

export function readResults(file: string): BatchLine[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => batchLineSchema.parse(JSON.parse(line)));
}

export function appendResult(file: string, line: BatchLine): void {
  appendFileSync(file, `${JSON.stringify(line)}\n`);
}

export type FaultRow = Omit<BatchLine, 'seed' | 'batch' | 'fault' | 'takeoversMs' | 'failed'> & {
  name: string;
  failed: number;
  codes: Record<string, number>;
  takeoverP50Ms?: number | undefined;
  takeoverP99Ms?: number | undefined;
  /** Whether the fault's bar holds. */
  holds: boolean;
};

export function buildRow(fault: InjectedFault, lines: readonly BatchLine[]): FaultRow {
  const sum = (of: (line: BatchLine) => number) => lines.reduce((total, line) => total + of(line), 0);
  const codes = sumByCode(lines.map(({ failed }) => failed));
  const takeovers = lines.flatMap(({ takeoversMs }) => takeoversMs).toSorted((a, b) => a - b);
  const readPercentile = (share: number) => takeovers[Math.ceil(takeovers.length * share) - 1];
  const row = {
    name: fault.name,
    runs: sum(({ runs }) => runs),
    finished: sum(({ finished }) => finished),
    cancelled: sum(({ cancelled }) => cancelled),
    failed: Object.values(codes).reduce((total, times) => total + times, 0),
    codes,
    refused: sumByCode(lines.map(({ refused }) => refused)),
    lost: sum(({ lost }) => lost),
    doubled: sum(({ doubled }) => doubled),
    leaked: sum(({ leaked }) => leaked),
    wrong: sum(({ wrong }) => wrong),
    longestGapMs: Math.max(0, ...lines.map(({ longestGapMs }) => longestGapMs)),
    takeoverP50Ms: readPercentile(0.5),
    takeoverP99Ms: readPercentile(0.99),
    findings: lines.flatMap(({ findings }) => findings),
  };
  return { ...row, holds: isHeld(fault, row) };
}

function sumByCode(counts: readonly Record<string, number>[]): Record<string, number> {
  const total: Record<string, number> = {};
  for (const [code, times] of counts.flatMap((one) => Object.entries(one))) total[code] = (total[code] ?? 0) + times;
  return total;
}

function isHeld(fault: InjectedFault, row: Omit<FaultRow, 'holds'>): boolean {
  // Without the guards the oracle must find the secrets; otherwise it would find them nowhere.
  if (fault.strike.kind === 'control') return row.leaked === row.runs && row.runs > 0;
  const allowed = Object.keys(row.codes).every((code) => fault.mayFailWith.includes(code));
  const refusable = Object.keys(row.refused).every((code) => fault.mayRefuseWith.includes(code));
  return allowed && refusable && row.lost === 0 && row.doubled === 0 && row.leaked === 0 && row.wrong === 0;
}

export function formatTable(rows: readonly FaultRow[]): string {
  const head =
    '| fault | runs | finished | cancelled | failed | refused | lost | doubled | leaked | wrong | longest gap ms | takeover p50 / p99 ms | bar |';
  const line = (row: FaultRow) => {
    const formatCodes = (codes: Record<string, number>) =>
      Object.entries(codes).map(([code, times]) => `${code} ${times}`);
    const [failed, refused] = [row.codes, row.refused].map((codes) => formatCodes(codes).join(', ') || '0');
    const takeover = row.takeoverP50Ms === undefined ? '' : `${row.takeoverP50Ms} / ${row.takeoverP99Ms ?? ''}`;
    const cells = [
      row.name,
      row.runs,
      row.finished,
      row.cancelled,
      failed,
      refused,
      row.lost,
      row.doubled,
      row.leaked,
      row.wrong,
    ];
    return `| ${[...cells, row.longestGapMs, takeover, row.holds ? 'holds' : 'BROKEN'].join(' | ')} |`;
  };
  return [head, `|${'---|'.repeat(13)}`, ...rows.map(line)].join('\n');
}

export const faultNamed = (name: string): InjectedFault | undefined => FAULTS.find((fault) => fault.name === name);

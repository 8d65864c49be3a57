// Reads the file of budgets, and finds the budgets of a run. docs/limits.md
import {
  budgetAmountSchema,
  isOperator,
  listIssues,
  MillraceError,
  OPERATOR_CALLER,
  pricesSchema,
  readOwner,
  threadIdSchema,
  tokenSchema,
  type MoneyLimits,
  type Issue,
  type Prices,
  type StoredRequest,
} from '@millrace/contracts';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

const MAX_FILE_BYTES = 1024 * 1024;
const MAX_RULES = 1_000;

const scopes = ['tenant', 'agent', 'subject'] as const;
export type BudgetScope = (typeof scopes)[number] | 'key';

const ruleSchema = z
  .strictObject({
    per: z.enum(scopes).describe('one account for each tenant, agent or subject'),
    tenant: tokenSchema.optional().describe('default: every tenant'),
    agent: tokenSchema.optional(),
    subject: threadIdSchema.optional().describe(`"${OPERATOR_CALLER}": runs of operators`),
    day: budgetAmountSchema.optional(),
    month: budgetAmountSchema.optional(),
  })
  .refine(({ day, month }) => day !== undefined || month !== undefined, 'expected day, month or both')
  .refine(({ per, agent }) => agent === undefined || per === 'agent', {
    path: ['agent'],
    message: 'is for budgets per agent',
  })
  .refine(({ per, subject }) => subject === undefined || per === 'subject', {
    path: ['subject'],
    message: 'is for budgets per subject',
  });
const fileSchema = z.strictObject({
  budgets: z.array(ruleSchema).max(MAX_RULES),
  prices: pricesSchema.default({}).describe('replace those of agents'),
});
export type BudgetRules = { budgets: z.output<typeof ruleSchema>[]; prices: Prices };
const NO_RULES: BudgetRules = { budgets: [], prices: {} };

/** The members of a request that name its budgets. */
export type Spender = Pick<StoredRequest, 'tenant' | 'agent' | 'caller' | 'subject' | 'budget'>;
/** `key`: of the account in the bucket. */
export type BudgetOf = { scope: BudgetScope; key: string; limits: MoneyLimits };

/** Returns the budgets of a run: of each scope the first rule that matches, and that of its key. */
export function listBudgets({ budgets }: BudgetRules, spender: Spender): BudgetOf[] {
  const { tenant, agent, budget } = spender;
  const caller = readOwner(spender);
  const subject = isOperator(caller) ? OPERATOR_CALLER : spender.subject;
  const ids = { tenant: 'all', agent, subject: caller };
  const found = scopes.flatMap((scope): BudgetOf[] => {
    const rule = budgets.find(
      (one) =>
        one.per === scope &&
        (one.tenant ?? tenant) === tenant &&
        (one.agent ?? agent) === agent &&
        (one.subject === undefined || one.subject === subject),
    );
    return rule ? [{ scope, key: `${tenant}.${scope}.${ids[scope]}`, limits: rule }] : [];
  });
  return budget ? [...found, { scope: 'key', key: `${tenant}.key.${budget.account}`, limits: budget }] : found;
}

/** @throws config-invalid with every problem of the file */
export async function readBudgetRules(path: string | undefined): Promise<BudgetRules> {
  if (path === undefined) return NO_RULES;
  const file = resolve(path);
  const parsed = fileSchema.safeParse(parseText(file, await readText(file)));
  if (!parsed.success) throw createFileError(file, listIssues(parsed.error, 'config-invalid'));
  return parsed.data;
}

async function readText(file: string): Promise<string> {
  const text = await readFile(file).catch((error: unknown) => {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
    throw createFileError(file, [{ code: 'config-invalid', message: `The file cannot be read (${reason}).` }]);
  });
  if (text.length <= MAX_FILE_BYTES) return text.toString();
  throw createFileError(file, [
    { code: 'config-invalid', message: `The file is larger than ${MAX_FILE_BYTES} bytes.` },
  ]);
}

function parseText(file: string, text: string): unknown {
  try {
    return parse(text);
  } catch {
    throw createFileError(file, [{ code: 'config-invalid', message: 'The file is neither YAML nor JSON.' }]);
  }
}

function createFileError(file: string, issues: readonly Issue[]): MillraceError {
  const lines = issues.map(({ path, message }) => (path === undefined ? message : `${path}: ${message}`));
  return new MillraceError('config-invalid', `${file} does not define budgets. ${lines.join('; ')}`, {
    issues: [...issues],
    remedy: 'Correct the file, or remove BUDGETS. docs/limits.md shows one.',
  });
}

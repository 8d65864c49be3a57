// Texts that each adapter of examples/python/adapters blocks, changes or passes, and the results of the runs.
export const BENIGN = 'The sum of 2 and 3 is 5.';

type JudgedText = { options: object; text: string };
type AdapterTexts = {
  /** Folder in examples/python/adapters. */
  folder: string;
  /** The processor. */
  id: string;
  /** An input that aborts the run. */
  blocked: JudgedText & { reason: string };
  /** An answer, a part of it that the result must not contain, and the result of the run. */
  answered: JudgedText & { hidden: string; result: { status: 'finished'; text: string } | { status: 'aborted' } };
  /** An input for which the library raises an error. */
  failing?: JudgedText;
};

export const ADAPTERS: readonly AdapterTexts[] = [
  {
    folder: 'langchain',
    id: 'langchain-pii',
    blocked: {
      options: { strategy: 'block' },
      text: 'Write to ada@example.com.',
      reason: 'LangChain detected personal data (email).',
    },
    answered: {
      options: { types: ['email', 'credit_card'] },
      text: 'Pay with 4111 1111 1111 1111, or ask ada@example.com.',
      hidden: '4111',
      result: { status: 'finished', text: 'Pay with [REDACTED_CREDIT_CARD], or ask [REDACTED_EMAIL].' },
    },
  },
  {
    folder: 'guardrails-ai',
    id: 'guardrails-ai',
    blocked: {
      options: { strategy: 'block' },
      text: 'It is a secret.',
      reason: 'Guardrails AI blocked the text.',
    },
    answered: {
      options: {},
      text: 'The secret is kept secretly.',
      hidden: 'secret is',
      result: { status: 'finished', text: 'The *** is kept secretly.' },
    },
  },
  {
    folder: 'openai-guardrails',
    id: 'openai-guardrails',
    blocked: {
      options: { keywords: ['budget'] },
      text: 'The budget is low.',
      reason: "OpenAI's guardrails blocked the text.",
    },
    answered: {
      options: { urls: ['example.com'] },
      text: 'Read https://example.org/page.',
      hidden: 'example.org',
      result: { status: 'aborted' },
    },
    /** The address in the list cannot be parsed: the check raises an error, which the library ignores by default. */
    failing: { options: { urls: ['https://[bad'] }, text: 'Read https://example.com/page.' },
  },
  {
    folder: 'nemo',
    id: 'nemo-guardrails',
    blocked: {
      options: {},
      text: 'Help me. ```verdict[{"for": "self-check", "answer": {"block": "yes"}}]```',
      reason: 'NeMo Guardrails blocked the text (self check input).',
    },
    answered: {
      options: {},
      text: 'The secret is out.',
      hidden: 'secret',
      result: { status: 'finished', text: 'The *** is out.' },
    },
    failing: { options: {}, text: 'Help me. ```verdict[{"for": "self-check", "text": "Perhaps."}]```' },
  },
];

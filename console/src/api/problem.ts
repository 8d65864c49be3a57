// An error of the gateway, as it describes it: RFC 9457 with a code, a place and a remedy.

export type ProblemIssue = { path: string; message: string };
export type ProblemBody = {
  status: number;
  detail: string;
  code: string;
  path?: string;
  remedy?: string;
  issues?: ProblemIssue[];
};

export class Problem extends Error {
  readonly status: number;
  readonly code: string;
  readonly path: string | undefined;
  readonly remedy: string | undefined;
  readonly issues: readonly ProblemIssue[];
  constructor(body: ProblemBody) {
    super(body.detail);
    this.name = 'Problem';
    this.status = body.status;
    this.code = body.code;
    this.path = body.path;
    this.remedy = body.remedy;
    this.issues = body.issues ?? [];
  }
}

/** The gateway did not answer, or its answer was lost. */
export const createUnreachable = (cause: unknown): Problem => {
  const problem = new Problem({
    status: 0,
    code: 'gateway-unreachable',
    detail: 'The gateway does not answer.',
    remedy: 'Check that it runs and that this machine is online. The console repeats the request.',
  });
  problem.cause = cause;
  return problem;
};

/** Reads the error of a response. A proxy in front of the gateway may answer in another form. */
export async function readProblem(response: Response): Promise<Problem> {
  const text = await response.text().catch(() => '');
  try {
    const body: unknown = JSON.parse(text);
    if (isProblemBody(body)) return new Problem(body);
  } catch {
    // Not JSON: the status describes it.
  }
  return new Problem({
    status: response.status,
    code: 'http-error',
    detail: `The gateway answered with HTTP ${response.status}.`,
  });
}

function isProblemBody(body: unknown): body is ProblemBody {
  return typeof body === 'object' && body !== null && 'code' in body && 'detail' in body && 'status' in body;
}

// An agent whose costs are limited has prices: of its own model at least. Others are looked at before they are asked.
import { unpriced, type Agent, type Issue, type Plan } from '@millrace/contracts';

export function priceIssues(agent: Agent, plan: Plan): Issue[] {
  const issue = unpriced(agent, plan, agent.model);
  return issue ? [issue] : [];
}

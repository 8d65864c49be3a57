// Writes the table of the verbs for docs/security.md: the scope of each, and its answer for an end client.
import { API, PUBLIC_ANSWERS, VERB_RIGHTS, isOperatorVerb, type ApiVerb, type PublicVerb } from '@millrace/contracts';

const VERBS = Object.keys(API).filter((verb): verb is ApiVerb => verb in API);
const isPublicVerb = (verb: ApiVerb): verb is PublicVerb => verb in PUBLIC_ANSWERS;

const join = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');
const listMembers = (schema: object): string[] => ('shape' in schema ? Object.keys(Object(schema.shape)) : []);

/** Rows in Markdown: a row for each verb of end clients, and one for those of operators. */
export function writeRightsTable(): string {
  const rows = VERBS.filter((verb) => !isOperatorVerb(verb)).map((verb) => {
    const { scope, shows } = VERB_RIGHTS[verb];
    const members = listMembers(isPublicVerb(verb) ? PUBLIC_ANSWERS[verb] : API[verb].answer);
    return `| \`${verb}\` | \`${scope}\` | ${join(members)} | ${shows.join(', ')} |`;
  });
  const ofOperators = join(VERBS.filter(isOperatorVerb));
  return [
    '| verb | scope | members of the answer | of the definition |',
    '|---|---|---|---|',
    ...rows,
    `| ${ofOperators} | \`operate\`, \`admin\` | none: operators alone | |`,
  ].join('\n');
}

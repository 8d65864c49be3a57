// Writes the table of roles for docs/security.md, from the same description as the configuration of NATS.
import { findVerbPlace, type Subjects } from '@millrace/contracts';
import { ROLES } from './permissions.ts';

/** Rows in Markdown. An inbox of the user's own belongs to every role, and is left out. */
export function writeRoleTable(subjects: Subjects): string {
  const list = (all: readonly string[]) =>
    joinVerbs(all, subjects)
      .map((subject) => `\`${subject}\``)
      .join(', ');
  const rows = ROLES.map(({ name, description, permissions }) => {
    const { publish, subscribe, answers } = permissions(subjects);
    const except = subscribe.deny ? '; not those of the shipped services' : '';
    const withheld = publish.deny ? '; not to the bucket of API keys' : '';
    return `| \`${name}\` | ${description} | ${list(publish.allow)}${withheld}${answers ? '; answers' : ''} | ${list(subscribe.allow)}${except} |`;
  });
  return ['| role | purpose | publishes | subscribes to |', '|---|---|---|---|', ...rows].join('\n');
}

/** Joins subjects that differ in their verb alone: `api.{run,cancel}.*.*.*`. */
function joinVerbs(all: readonly string[], { prefix }: Subjects): string[] {
  const verbs = new Map<string, string[]>();
  for (const subject of all) {
    const place = subject.startsWith('$SRV.') ? 1 : findVerbPlace(prefix, subject);
    const tokens = subject.split('.');
    const verb = tokens[place ?? 0] ?? '';
    const key = place === undefined ? subject : tokens.with(place, '\0').join('.');
    verbs.set(key, [...(verbs.get(key) ?? []), verb]);
  }
  return [...verbs].map(([key, own]) => key.replace('\0', own.length > 1 ? `{${own.join(',')}}` : (own[0] ?? '')));
}

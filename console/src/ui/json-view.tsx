import { formatJson } from './format.ts';

/** A value as text. Long values are cut, because a page of megabytes blocks the browser. */
const MAX_CHARS = 20_000;

export function JsonView({ value, label }: { value: unknown; label: string }) {
  const text = formatJson(value);
  const isCut = text.length > MAX_CHARS;
  return (
    <pre className="code" tabIndex={0} role="region" aria-label={label}>
      {isCut ? `${text.slice(0, MAX_CHARS)}\n… ${text.length - MAX_CHARS} more characters` : text}
    </pre>
  );
}
